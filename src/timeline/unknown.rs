//! Reasons why a figure can't be determined.

use std::fmt;

use crate::{
    git::{DEEPEN, DEFAULT_LOG_REF, Oid},
    quote,
    store::Unread,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// History ends at this commit, in a shallow clone.
    Cut(Oid),
    /// A grafts file shows git another history than the stored one, which this program reads.
    Grafts,
    /// History ends at a commit that can't be read, for a reason.
    Unread(String),
    MissingNote(Oid),
    Unreadable(Unread),
    /// It is unknown if the log lost lines.
    Removed(String),
    /// It is unknown if these questions were exposed in a session.
    Exposure(String, Vec<String>),
    /// It is unknown where this question stands at the tip, for a reason.
    Standing(String, String),
    Watch(String, String),
    /// A rewrite of a branch left an entry of this session behind: the entry, the session, its commit and the branch.
    LeftBehind {
        entry: String,
        sid: String,
        commit: Oid,
        branch: String,
    },
    /// This number of lines about sessions, states and tensions can't be read.
    Events(usize),
    /// A fetched ref has no notes, or is unreadable.
    BadRef(String),
    /// This remote may have a log and was never asked for it.
    NeverFetched(String),
    /// The log is elsewhere, and there is no remote to fetch it from.
    NoRemote,
    /// This remote has a log at this ref, with entries that are not at the one that is read.
    OtherRef(String, &'static str),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Cut(commit) => write!(
                f,
                "history ends at {} (a shallow clone): earlier entries are not counted; {DEEPEN}",
                short(*commit)
            ),
            Self::Grafts => f.write_str(
                ".git/info/grafts changes the history that git shows, and git sq reads history as it is stored: \
                 remove that file",
            ),
            Self::Unread(why) => f.write_str(why),
            Self::MissingNote(commit) => write!(
                f,
                "the note on {} is missing, damaged or larger than git sq reads (see `git sq doctor`)",
                short(*commit)
            ),
            Self::Unreadable(unread) => {
                let Unread { why, digest, .. } = unread;
                let (lines, these) = match unread.lines {
                    1 => ("a line".to_owned(), "it"),
                    more => (format!("{more} lines"), "exactly these"),
                };
                write!(
                    f,
                    "{lines} on {} can't be read: {why}; a person closes {these} with `git sq check --accept {digest}`",
                    places(&unread.anchors)
                )
            }
            Self::Removed(why) => {
                write!(f, "cannot tell whether lines of the log were removed: {why}")
            }
            Self::Exposure(sid, questions) => write!(
                f,
                "cannot tell whether {} was outdated in session {sid}",
                questions.join(", ")
            ),
            Self::Standing(question, why) => {
                write!(f, "cannot tell where {question} stands: {why}")
            }
            Self::Watch(question, why) => write!(f, "{question}: {why}"),
            Self::LeftBehind { entry, sid, commit, branch } => write!(
                f,
                "{0}, where session {sid} answered on {branch} (entry {entry}), is on no branch that was fetched: where \
                 `git fetch` brings none, `git sq carry {0}` copies the entry to the commit that took its place, or a \
                 person closes it with `git sq check --accept {entry}`",
                short(*commit)
            ),
            Self::Events(1) => {
                f.write_str("a line about sessions, states or tensions can't be read (see `git sq check`)")
            }
            Self::Events(number) => write!(
                f,
                "{number} lines about sessions, states or tensions can't be read (see `git sq check`)"
            ),
            Self::BadRef(name) => write!(
                f,
                "{name} holds no notes, or more than git sq reads, or they can't be read (see `git sq doctor`)"
            ),
            Self::NeverFetched(remote) => write!(
                f,
                "{remote} may have a log that was never fetched, and gets no entries from here: run `git sq init`"
            ),
            Self::NoRemote => f.write_str(
                "the log was not fetched: this clone has no remote; `git remote add origin URL` names it",
            ),
            Self::OtherRef(remote, DEFAULT_LOG_REF) => {
                let key = quote::word(&format!("remote.{remote}.sqRef={DEFAULT_LOG_REF}"));
                let word = quote::word(remote);
                write!(
                    f,
                    "{remote} also has a log at {DEFAULT_LOG_REF}, with entries that are not here: \
                     `git -c {key} sq sync {word}` takes them in"
                )
            }
            Self::OtherRef(remote, name) => write!(
                f,
                "{remote} has a log at {name}, which this clone does not read: `git config sq.logRef {name}`, then \
                 `git sq init`"
            ),
        }
    }
}

/// A few commits, in words: `15cd9173c8, 9a1f0c2b3d and 4 others`.
pub fn places(commits: &[Oid]) -> String {
    let mut shown: Vec<String> = commits.iter().take(3).copied().map(short).collect();
    let last = match commits.len() - shown.len() {
        0 => shown.pop().unwrap_or_default(),
        1 => "1 other".to_owned(),
        more => format!("{more} others"),
    };
    match shown.as_slice() {
        [] => last,
        shown => format!("{} and {last}", shown.join(", ")),
    }
}

pub fn short(commit: Oid) -> String {
    commit.to_string()[..10].to_owned()
}
