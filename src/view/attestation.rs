//! The result of `git sq verify` as an in-toto statement (<https://in-toto.io/Statement/v1>) with a Simple Verification
//! Result.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Verification;
use crate::{
    entry::word,
    git::Oid,
    proof::{LogFacts, Proof},
    store::LOCAL_REF,
};

/// The commit whose log and answers were verified, and the question store that was used, with its path.
pub struct Subject<'s> {
    pub tip: Oid,
    pub store: Option<(&'s str, Oid)>,
    pub now: Timestamp,
}

impl Verification {
    /// The proofs that looked at something and hold, all of it, are its properties.
    pub fn attestation(&self, facts: &LogFacts, subject: &Subject) -> Value {
        let commit =
            |name: &str, id: Oid| json!({"name": name, "digest": {"gitCommit": id.to_string()}});
        let logs = facts.logs.iter().filter_map(|log| {
            let newest = log.commits.last()?;
            // A ref of this program's own names nothing to others.
            let is_own = !log.name.starts_with("refs/notes/");
            Some(commit(if is_own { LOCAL_REF } else { &log.name }, newest.id))
        });
        let subjects: Vec<Value> =
            [commit("commit", subject.tip)].into_iter().chain(logs).collect();
        let policies: Vec<Value> = subject
            .store
            .map(|(path, blob)| json!({"name": path, "digest": {"gitBlob": blob.to_string()}}))
            .into_iter()
            .collect();
        let mut properties: Vec<String> = self
            .proofs
            .iter()
            .filter(|proved| proved.of > 0 && proved.holds == proved.of)
            .map(|proved| property(proved.proof))
            .collect();
        if self.of > 0 && self.holds == self.of {
            properties.push(property(Proof::Answers));
        }
        json!({
            "_type": "https://in-toto.io/Statement/v1",
            "subject": subjects,
            "predicateType": "https://in-toto.io/attestation/svr/v0.2",
            "predicate": {
                "verifier": {"id": concat!("pkg:cargo/git-sq@", env!("CARGO_PKG_VERSION")), "policies": policies},
                "timeCreated": subject.now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                "properties": properties,
            },
        })
    }
}

fn property(proof: Proof) -> String {
    format!("GIT_SQ_{}", word(&proof).replace('-', "_").to_ascii_uppercase())
}
