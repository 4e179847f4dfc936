//! Commits that touch certain paths, as `git log` lists them.

use std::time::Duration;

use super::{DEEPEN, Error, ErrorKind, Oid, Repo, Result};

/// Environment variables that change how git reads pathspecs, and must not change the result of a probe.
const PATHSPECS: [&str; 4] =
    ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

/// Patience with git where a session or a gate waits: trees can be made to take it years.
const SOON: Option<Duration> = Some(Duration::from_secs(10));

impl Repo {
    /// The newest commits in the history of `tip` that touch matching paths, newest first, at most `most`. Fails also
    /// if history is cut off, since the result may be incomplete.
    pub fn touching(&self, tip: Oid, paths: &[String], most: Option<usize>) -> Result<Vec<Oid>> {
        let most = most.map(|most| format!("--max-count={most}"));
        self.rev_list(tip, most, paths, SOON)
    }

    /// The commits in `base..tip` that touch matching paths, newest first. Fails as [`Repo::touching`].
    pub fn touching_since(&self, base: Oid, tip: Oid, paths: &[String]) -> Result<Vec<Oid>> {
        self.rev_list(tip, [format!("^{base}")], paths, SOON)
    }

    /// The commits on the line of first parents of `tip`, outside the histories of `known`, that differ from their
    /// first parent in matching paths, newest first. Fails as [`Repo::touching`].
    pub fn merged_since(&self, known: &[Oid], tip: Oid, paths: &[String]) -> Result<Vec<Oid>> {
        let known = known.iter().map(|commit| format!("^{commit}"));
        let options = ["--first-parent".to_owned()].into_iter().chain(known);
        self.rev_list(tip, options, paths, SOON)
    }

    /// The commits on the line of first parents that differ from their first parent in matching paths; with `all`,
    /// every commit of the history that differs from all of its parents. Parents come before children. Fails as
    /// [`Repo::touching`].
    pub fn changing(&self, tip: Oid, paths: &[String], all: bool) -> Result<Vec<Oid>> {
        let options =
            if all { &["--full-history", "--topo-order"][..] } else { &["--first-parent"] };
        let options = options.iter().map(ToString::to_string);
        let mut commits = self.rev_list(tip, options, paths, None)?;
        commits.reverse();
        Ok(commits)
    }

    pub fn roots(&self, tip: Oid) -> Result<Vec<Oid>> {
        self.rev_list(tip, ["--max-parents=0".to_owned()], &[], None)
    }

    fn rev_list(
        &self,
        tip: Oid,
        options: impl IntoIterator<Item = String>,
        paths: &[String],
        patience: Option<Duration>,
    ) -> Result<Vec<Oid>> {
        let too_slow = || {
            let why = "git takes too long to compare the files of some commit; `git log --stat` stops at it";
            Error::new(ErrorKind::TooLarge, why)
        };
        if self.is_shallow()? {
            let why = "the history is cut off here, and older commits may have changed these files";
            return Err(Error::new(ErrorKind::Unsupported, why).help(DEEPEN));
        }
        let git = PATHSPECS
            .iter()
            .fold(self.git(), |git, name| git.env(name, "0"))
            .args(["rev-list"])
            .args(options)
            .args([tip.to_string(), "--".into()])
            .args(paths);
        let Some(patience) = patience else {
            return Ok(oids(&git.run()?));
        };
        if self.gave_up.get().is_some() {
            return Err(too_slow());
        }
        match git.within(patience).run() {
            Err(error) if error.kind == ErrorKind::Unreachable => {
                _ = self.gave_up.set(());
                Err(too_slow())
            }
            printed => Ok(oids(&printed?)),
        }
    }
}

fn oids(printed: &[u8]) -> Vec<Oid> {
    String::from_utf8_lossy(printed).lines().filter_map(|id| id.parse().ok()).collect()
}
