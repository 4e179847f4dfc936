//! The work that lines on public commits tell of, and that may not be public itself.

use std::collections::HashMap;

use jiff::Timestamp;

use super::plan::NotedLine;
use crate::{
    entry::{Event, Head, Kind, Text, Trace, Ts},
    git::{self, Made, Oid, Reflogs, Repo},
    store::{
        Held, Log,
        carry::{Home, Stray, StrayLine, find_homes},
    },
};

/// The conditions under which a waiting line is published: one of them is enough.
#[derive(Debug)]
pub struct Work {
    /// The line's id.
    pub id: String,
    /// The names of its branch, with those that it was renamed to and those of its upstreams; none on a detached HEAD.
    pub branches: Vec<String>,
    /// The commits that were made on the branch, or by the line's session, after it.
    pub commits: Vec<Oid>,
    /// Later commits of the session that are not public as they are, the newest last.
    private: Vec<Oid>,
    /// True if a later entry of the session was carried to a public commit.
    pub is_carried: bool,
}

/// A line's own words on who wrote it, when and where.
struct Told {
    id: String,
    session: (Option<String>, String),
    ts: Ts,
    anchor: Oid,
    /// HEAD when it was written.
    commit: Option<Oid>,
    /// True if it tells of what is not committed.
    is_private: bool,
}

impl Told {
    fn of(anchor: Oid, line: &[u8]) -> Option<Self> {
        let envelope = Event::parse(line).ok()?.envelope;
        let is_dirty = envelope.head.is_some_and(|head| head.dirty);
        Some(Self {
            id: envelope.id.into_owned(),
            session: (envelope.writer.map(Text::into_owned), envelope.sid.into_owned()),
            ts: envelope.ts,
            anchor,
            commit: envelope.repo_head_sha.parse().ok(),
            is_private: is_dirty
                || matches!(envelope.kind, Kind::State | Kind::TensionOpen | Kind::TensionClose),
        })
    }

    /// The commit that an entry is carried to has what was not committed.
    fn is_carried(&self) -> bool {
        self.commit != Some(self.anchor)
    }
}

/// The work of each held line whose commit is public, unless it says nothing private.
pub fn works(
    repo: &Repo,
    held: &Held,
    lines: &[NotedLine],
    is_public: impl Fn(Oid) -> bool,
) -> git::Result<Vec<Work>> {
    let told: Vec<Told> = if held.is_empty() {
        Vec::new()
    } else {
        lines.iter().filter_map(|(anchor, line)| Told::of(*anchor, line)).collect()
    };
    let is_meant = |told: &&Told| {
        told.is_private && !told.is_carried() && is_public(told.anchor) && held.holds(&told.id)
    };
    let meant: Vec<&Told> = told.iter().filter(is_meant).collect();
    if meant.is_empty() {
        return Ok(Vec::new());
    }
    let reflogs = repo.reflogs()?;
    let mut of_session: HashMap<&(Option<String>, String), Vec<&Told>> = HashMap::new();
    for told in &told {
        of_session.entry(&told.session).or_default().push(told);
    }
    Ok(meant
        .into_iter()
        .map(|line| {
            let later = of_session[&line.session].iter().filter(|later| later.ts > line.ts);
            let later: Vec<&Told> = later.copied().collect();
            work(repo, &reflogs, held.branch(&line.id), line, &later, &is_public)
        })
        .collect())
}

fn work(
    repo: &Repo,
    reflogs: &Reflogs,
    branch: Option<&str>,
    line: &Told,
    later: &[&Told],
    is_public: impl Fn(Oid) -> bool,
) -> Work {
    let branches = branch.map_or_else(Vec::new, |branch| reflogs.names(branch));
    let upstreams = branches.iter().filter_map(|branch| Some(repo.name_at(branch)?.1));
    let known_as: Vec<String> =
        branches.iter().map(|name| (*name).to_owned()).chain(upstreams).collect();
    let since = line.ts.timestamp().as_second();
    let is_own = |made: &&Made| {
        let is_on = |name: &str| branches.contains(&name);
        made.branch.as_deref().is_some_and(is_on)
            || later.iter().any(|later| later.commit == Some(made.commit))
    };
    let contains = |commit: Oid| line.anchor == commit || repo.is_ancestor(commit, line.anchor);
    let mut made: Vec<&Made> = reflogs
        .made
        .iter()
        .filter(|made| made.time >= since && is_own(made) && !contains(made.commit))
        .collect();
    made.sort_by_key(|made| made.time);
    let commits: Vec<Oid> = made.iter().map(|made| made.commit).collect();
    let told = later.iter().filter(|later| !is_public(later.anchor)).map(|later| later.anchor);
    Work {
        id: line.id.clone(),
        private: told.chain(commits.last().copied()).collect(),
        branches: known_as,
        commits,
        is_carried: later.iter().any(|later| later.is_carried() && is_public(later.anchor)),
    }
}

impl Work {
    /// The commits on the default branch that `carry` takes for a squash of this work.
    pub fn homes(&self, repo: &Repo) -> git::Result<Vec<Oid>> {
        let branch = self.branches.last().map(String::as_str);
        let tip = match repo.default_branch(branch)? {
            Some((_, tip)) => Some(tip),
            None => repo.head()?.commit,
        };
        let Some(tip) = tip.filter(|_| !self.private.is_empty()) else {
            return Ok(Vec::new());
        };
        let stray = |commit: &Oid| {
            let details = repo.commit_details(*commit, branch).ok()?;
            let trace = Trace {
                time: repo.commit_time(*commit).ok().map(Timestamp::as_second),
                commit: commit.to_string().into(),
                head: Head::from(details),
                ..Trace::default()
            };
            let line = StrayLine { text: b"", trace, orphaned: true };
            Some(Stray { anchor: *commit, lines: vec![line] })
        };
        let strays: Vec<Stray> = self.private.iter().filter_map(stray).collect();
        let found = find_homes(repo, &Log::default(), &repo.walk(tip)?, &strays, None);
        let home = |home| match home {
            Home::Found(commit, _) => Some(commit),
            _ => None,
        };
        Ok(found.into_values().filter_map(home).collect())
    }
}
