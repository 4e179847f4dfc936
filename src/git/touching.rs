//! Commits that touch certain paths, as `git log` lists them.

use std::{collections::HashSet, path::Path, time::Duration};

use jiff::Timestamp;

use super::{Error, ErrorKind, Git, Oid, Repo, Result};

/// A change of one file along first parents.
#[derive(Debug, Clone)]
pub struct FileChange {
    pub commit: Oid,
    pub committed: Timestamp,
    /// The author's name from `.mailmap`.
    pub author: String,
    /// True if the commit is a merge, whose author need not be that of the change.
    pub is_merge: bool,
    pub path: String,
    /// True if there was a file, a link or a submodule before it, and after it.
    pub exists: [bool; 2],
    /// `None` if there is no regular file since.
    pub blob: Option<Oid>,
}

/// Environment variables that change how git reads pathspecs, and must not change the result of a probe.
const PATHSPECS: [&str; 4] =
    ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

/// Up to so many paths, a walk that looks at nothing else is faster.
const FEW: usize = 8;

/// Patience with git where a session or a gate waits: trees can be made to take it years.
const SOON: Option<Duration> = Some(Duration::from_secs(10));

/// Bytes of a log of all changes that are read.
const MOST: usize = 128 << 20;

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

    /// Every change of these files and folders along first parents, newest first, by one walk. In a shallow clone, the
    /// last commit adds all that it has.
    pub fn file_changes(&self, tip: Oid, paths: &[String]) -> Result<Vec<FileChange>> {
        // Git compares each entry of a tree with each path.
        let whole = if paths.len() > FEW {
            self.changes_log(&[tip.to_string()]).run_within(MOST)?
        } else {
            None
        };
        let printed = if let Some(printed) = whole {
            printed
        } else {
            let literal = paths.iter().map(|path| format!(":(literal){path}"));
            self.changes_log(&[tip.to_string()]).args(literal).run()?
        };
        let asked: HashSet<&Path> = paths.iter().map(Path::new).collect();
        let is_asked = |path: &str| Path::new(path).ancestors().any(|path| asked.contains(path));
        Ok(Self::changes_in(&printed, is_asked))
    }

    /// The same for files of these names in any folder, since a commit, itself included.
    pub fn changes_anywhere(
        &self,
        tip: Oid,
        since: Oid,
        names: &[String],
    ) -> Result<Vec<FileChange>> {
        let globs = names.iter().map(|name| format!(":(glob)**/{name}"));
        let before = self.first_parent(since)?.map(|parent| format!("^{parent}"));
        let range: Vec<String> = before.into_iter().chain([tip.to_string()]).collect();
        let printed = self.changes_log(&range).args(globs).run()?;
        Ok(Self::changes_in(&printed, |_| true))
    }

    fn changes_in(printed: &[u8], is_asked: impl Fn(&str) -> bool) -> Vec<FileChange> {
        let printed = String::from_utf8_lossy(printed);
        let mut fields = printed.split('\0');
        let (mut head, mut changes) = (None, Vec::new());
        while let Some(field) = fields.next() {
            let Some(raw) = field.trim_start().strip_prefix(':') else {
                head = commit_head(field).or(head);
                continue;
            };
            // `100644 100644 <id before> <id after> M`, then the path.
            let raw: Vec<&str> = raw.split(' ').collect();
            let path = fields.next().unwrap_or_default();
            if let (Some((commit, committed, is_merge, author)), [was, mode, _, id, _]) =
                (&head, &raw[..])
                && is_asked(path)
            {
                changes.push(FileChange {
                    commit: *commit,
                    committed: *committed,
                    author: author.clone(),
                    is_merge: *is_merge,
                    path: path.to_owned(),
                    exists: [was, mode].map(|mode| *mode != "000000"),
                    blob: id.parse().ok().filter(|_| mode.starts_with("100")),
                });
            }
        }
        changes
    }

    fn changes_log(&self, range: &[String]) -> Git {
        self.git_with_own_pathspecs()
            // Else all of a pack is mapped into memory.
            .config("core.packedGitWindowSize", "1m")
            .config("core.packedGitLimit", "32m")
            .words("log -z --raw --no-abbrev --no-renames")
            .words("--first-parent --diff-merges=first-parent --no-show-signature")
            .words("--no-notes --no-color --encoding=UTF-8")
            .args(["--format=%H %ct %p,%aN"])
            .args(range)
            .args(["--"])
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
        patience: Option<Duration>,
    ) -> Result<Vec<Oid>> {
        let too_slow = || {
            let why = "git takes too long to compare the files of some commit; `git log --stat` stops at it";
            Error::new(ErrorKind::TooLarge, why)
        };
        let git = self
            .git_with_whole_history()?
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

/// Its id and time, whether it is a merge, and its author.
fn commit_head(line: &str) -> Option<(Oid, Timestamp, bool, String)> {
    let (id, rest) = line.split_once(' ')?;
    let (seconds, rest) = rest.split_once(' ')?;
    let (parents, author) = rest.split_once(',')?;
    let committed = Timestamp::from_second(seconds.parse().ok()?).ok()?;
    let is_merge = parents.contains(' ');
    Some((id.parse().ok()?, committed, is_merge, author.to_owned()))
}
