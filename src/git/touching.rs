//! Commits that touch certain paths, as `git log` lists them.

use super::{Error, ErrorKind, Git, Oid, Repo, Result};

/// Environment variables that change how git reads pathspecs, and must not change the result of a probe.
const PATHSPECS: [&str; 4] =
    ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

impl Repo {
    /// The newest commits in the history of `tip` that touch matching paths, newest first, at most `most`. Fails also
    /// if history is cut off, since the result may be incomplete.
    pub fn touching(&self, tip: Oid, paths: &[String], most: Option<usize>) -> Result<Vec<Oid>> {
        let most = most.map(|most| format!("--max-count={most}"));
        self.rev_list(tip, most, paths)
    }

    /// The commits in `base..tip` that touch matching paths, newest first. Fails as [`Repo::touching`].
    pub fn touching_since(&self, base: Oid, tip: Oid, paths: &[String]) -> Result<Vec<Oid>> {
        self.rev_list(tip, [format!("^{base}")], paths)
    }

    /// The commits on the line of first parents of `tip`, outside the histories of `known`, that differ from their
    /// first parent in matching paths, newest first. Fails as [`Repo::touching`].
    pub fn merged_since(&self, known: &[Oid], tip: Oid, paths: &[String]) -> Result<Vec<Oid>> {
        let known = known.iter().map(|commit| format!("^{commit}"));
        let options = ["--first-parent".to_owned()].into_iter().chain(known);
        self.rev_list(tip, options, paths)
    }

    /// The commits on the line of first parents that differ from their first parent in matching paths; with `all`,
    /// every commit of the history that differs from all of its parents. Parents come before children. Fails as
    /// [`Repo::touching`].
    pub fn changing(&self, tip: Oid, paths: &[String], all: bool) -> Result<Vec<Oid>> {
        let options =
            if all { &["--full-history", "--topo-order"][..] } else { &["--first-parent"] };
        let options = options.iter().map(ToString::to_string);
        let mut commits = self.rev_list(tip, options, paths)?;
        commits.reverse();
        Ok(commits)
    }

    pub fn roots(&self, tip: Oid) -> Result<Vec<Oid>> {
        self.rev_list(tip, ["--max-parents=0".to_owned()], &[])
    }

    fn git_with_whole_history(&self) -> Result<Git> {
        if self.is_shallow()? {
            let message = "the history is cut off here, and may have touched it before";
            return Err(Error::new(ErrorKind::Unsupported, message).help(self.how_to_deepen()));
        }
        Ok(self.git_with_own_pathspecs())
    }

    fn git_with_own_pathspecs(&self) -> Git {
        PATHSPECS.iter().fold(self.git(), |git, name| git.env(name, "0"))
    }

    fn rev_list(
        &self,
        tip: Oid,
        options: impl IntoIterator<Item = String>,
        paths: &[String],
    ) -> Result<Vec<Oid>> {
        let printed = self
            .git_with_whole_history()?
            .args(["rev-list"])
            .args(options)
            .args([tip.to_string(), "--".into()])
            .args(paths)
            .run()?;
        Ok(String::from_utf8_lossy(&printed).lines().filter_map(|id| id.parse().ok()).collect())
    }
}
