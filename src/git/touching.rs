//! Commits that touch certain paths, as `git log` lists them.

use super::{Error, ErrorKind, Oid, Repo, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touching {
    pub commit: Oid,
    /// The author's name, before `.mailmap`.
    pub author: String,
}

/// Environment variables that change how git reads pathspecs, and must not change the result of a probe.
const PATHSPECS: [&str; 4] = [
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

impl Repo {
    /// The newest commits in the history of `tip` that touch matching paths, newest first, at most `most`. Fails also
    /// if history is cut off, since the result may be incomplete.
    pub fn touching(
        &self,
        tip: Oid,
        paths: &[String],
        most: Option<usize>,
    ) -> Result<Vec<Touching>> {
        let most = most.map(|most| format!("--max-count={most}"));
        let options = ["--format=%an".to_owned()].into_iter().chain(most);
        let printed = self.rev_list(tip, options, paths)?;
        let lines: Vec<&str> = printed.lines().collect();
        let commits = lines.chunks_exact(2).filter_map(|pair| {
            Some(Touching {
                commit: pair[0].strip_prefix("commit ")?.parse().ok()?,
                author: pair[1].to_owned(),
            })
        });
        Ok(commits.collect())
    }

    /// The commits in `base..tip` that touch matching paths, newest first. Fails as [`Repo::touching`].
    pub fn touching_since(&self, base: Oid, tip: Oid, paths: &[String]) -> Result<Vec<Oid>> {
        let printed = self.rev_list(tip, [format!("^{base}")], paths)?;
        Ok(printed.lines().filter_map(|id| id.parse().ok()).collect())
    }

    /// The commits on the line of first parents of `tip`, outside the histories of `known`, that differ from their
    /// first parent in matching paths, newest first. Fails as [`Repo::touching`].
    pub fn merged_since(&self, known: &[Oid], tip: Oid, paths: &[String]) -> Result<Vec<Oid>> {
        let known = known.iter().map(|commit| format!("^{commit}"));
        let options = ["--first-parent".to_owned()].into_iter().chain(known);
        let printed = self.rev_list(tip, options, paths)?;
        Ok(printed.lines().filter_map(|id| id.parse().ok()).collect())
    }

    /// The commits on the line of first parents that differ from their first parent in matching paths; with `all`,
    /// every commit of the history that differs from all of its parents. Parents come before children. Fails as
    /// [`Repo::touching`].
    pub fn changing(&self, tip: Oid, paths: &[String], all: bool) -> Result<Vec<Oid>> {
        let option = if all {
            "--full-history"
        } else {
            "--first-parent"
        };
        let order = all.then_some("--topo-order");
        let options = [option].into_iter().chain(order).map(str::to_owned);
        let printed = self.rev_list(tip, options, paths)?;
        let mut commits: Vec<Oid> = printed.lines().filter_map(|id| id.parse().ok()).collect();
        commits.reverse();
        Ok(commits)
    }

    pub fn roots(&self, tip: Oid) -> Result<Vec<Oid>> {
        let printed = self.rev_list(tip, ["--max-parents=0".to_owned()], &[])?;
        Ok(printed.lines().filter_map(|id| id.parse().ok()).collect())
    }

    fn rev_list(
        &self,
        tip: Oid,
        options: impl IntoIterator<Item = String>,
        paths: &[String],
    ) -> Result<String> {
        if self.is_shallow()? {
            let message = "the history is cut off here, and may have touched it before";
            return Err(Error::new(ErrorKind::Unsupported, message)
                .help("`git fetch --unshallow` brings the rest"));
        }
        let git = PATHSPECS
            .iter()
            .fold(self.git(), |git, name| git.env(name, "0"));
        let list = ["rev-list", "--encoding=UTF-8"].map(str::to_owned);
        let args = list.into_iter().chain(options);
        let args = args.chain([tip.to_string(), "--".into()]);
        let printed = git.args(args).args(paths).run()?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }
}
