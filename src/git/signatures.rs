//! Signatures of commits, as git verifies them.

use std::{collections::HashMap, path::Path};

use super::{Oid, Repo, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    Good,
    /// It does not fit the commit, or its key was revoked.
    Bad,
    /// Its key is not known here, or has expired.
    Unknown,
}

/// Git's settings for the programs that verify signatures, and its defaults.
const VERIFIERS: [(&[&str], &str); 3] = [
    (&["gpg.openpgp.program", "gpg.program"], "gpg"),
    (&["gpg.x509.program"], "gpgsm"),
    (&["gpg.ssh.program"], "ssh-keygen"),
];

impl Repo {
    /// Those of the commits that have one; `signers` replaces `gpg.ssh.allowedSignersFile`. The programs are
    /// the user's, not those that the repository names.
    pub fn signatures(
        &self,
        commits: &[Oid],
        signers: Option<&Path>,
    ) -> Result<HashMap<Oid, Signature>> {
        let signature = |commit: &Oid| {
            let commit = self.inner.find_commit(commit.0).ok()?;
            let (signature, _) = commit.signature().ok()??;
            Some(signature.to_string())
        };
        let is_signed = |commit: &&Oid| signature(commit).is_some();
        // The file says nothing of other kinds of keys.
        let is_meant = |commit: &Oid| {
            signers.is_none()
                || signature(commit).is_some_and(|text| text.contains("SSH SIGNATURE"))
        };
        let signed: Vec<String> = commits.iter().filter(is_signed).map(Oid::to_string).collect();
        if signed.is_empty() {
            return Ok(HashMap::new());
        }
        let mut git = self.git();
        for (keys, default) in VERIFIERS {
            let set = keys.iter().find_map(|key| self.user_string(key));
            git = git.config(keys[0], set.as_deref().unwrap_or(default));
        }
        if let Some(signers) = signers {
            git = git.config("gpg.ssh.allowedSignersFile", &signers.to_string_lossy());
        }
        let args =
            ["log", "--no-walk=unsorted", "--no-show-signature", "--stdin", "--format=%H %G?"];
        let printed = git.args(args).run_with_input(signed.join("\n") + "\n")?;
        Ok(String::from_utf8_lossy(&printed)
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(commit, letter)| {
                let commit: Oid = commit.parse().ok()?;
                // The letters of `%G?` in git-log(1).
                let signature = match letter {
                    "G" if is_meant(&commit) => Signature::Good,
                    "B" | "R" => Signature::Bad,
                    _ => Signature::Unknown,
                };
                Some((commit, signature))
            })
            .collect())
    }
}
