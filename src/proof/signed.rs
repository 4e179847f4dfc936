use super::{Fate, LogFacts, Proof, Proved};
use crate::{git::Signature, timeline::short};

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Signed.of("commits of the log");
    if facts.signatures.is_empty() && !facts.has_signers {
        // Signing is the user's choice.
        return Proof::Signed.of("signed commits of the log");
    }
    for commit in facts.logs.iter().flat_map(|log| &log.commits) {
        let id = short(commit.id);
        proved.add(match facts.signatures.get(&commit.id) {
            Some(Signature::Good) => Fate::Holds,
            Some(Signature::Bad) => Fate::Fails(format!("the signature of {id} is bad")),
            Some(Signature::Unknown) => {
                Fate::CantTell(format!("{id} is signed with a key that no signers file names"))
            }
            None => Fate::CantTell(format!("{id} is not signed")),
        });
    }
    proved
}
