//! The commits that touch certain paths, as `git log` lists them.

use super::{Error, ErrorKind, Oid, Repo, Result};

/// A commit that touches certain paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touching {
    pub commit: Oid,
    /// The name of its author, as the commit has it.
    pub author: String,
}

/// The user's own way of reading pathspecs, which must not change what a probe finds.
const PATHSPECS: [&str; 4] = [
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

impl Repo {
    /// The newest commits that `tip` contains and that touch what pathspecs match, newest first, at most as many as are
    /// asked for.
    ///
    /// # Errors
    /// Also where history is cut off: then nobody knows.
    pub fn touching(
        &self,
        tip: Oid,
        paths: &[String],
        most: Option<usize>,
    ) -> Result<Vec<Touching>> {
        if self.is_shallow()? || self.has_grafts() {
            let message = "the history is cut off here, and may have touched it before";
            return Err(Error::new(ErrorKind::Unsupported, message)
                .help("`git fetch --unshallow` brings the rest"));
        }
        let git = PATHSPECS
            .iter()
            .fold(self.git(), |git, name| git.env(name, "0"));
        let most = most.map(|most| format!("--max-count={most}"));
        let args = ["rev-list", "--format=%an"].map(str::to_owned);
        let args = args.into_iter().chain(most);
        let args = args.chain([tip.to_string(), "--".into()]);
        let printed = git.args(args).args(paths).run()?;
        let printed = String::from_utf8_lossy(&printed);
        let lines: Vec<&str> = printed.lines().collect();
        let commits = lines.chunks_exact(2).filter_map(|pair| {
            Some(Touching {
                commit: pair[0].strip_prefix("commit ")?.parse().ok()?,
                author: pair[1].to_owned(),
            })
        });
        Ok(commits.collect())
    }
}
