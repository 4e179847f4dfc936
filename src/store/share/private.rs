//! The work that lines on public commits tell of, and that may not be public itself.

use std::collections::{HashMap, HashSet};

use super::{place::seen, plan::NotedLine};
use crate::{
    entry::{Body, CarryRule, Envelope, Event, Kind, Text, Ts, lines_of},
    git::{self, Made, Oid, Reflogs, Repo},
    store::{
        Error, Held, LOCAL_REF, LocalState, Log, LogTips,
        carry::{Home, Stray, find_homes},
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
    /// True if it names no branch: HEAD was detached, or the branch was not public.
    is_nameless: bool,
    /// True for the copy on a commit that has what was not committed.
    is_carried: bool,
}

impl Told {
    fn of(anchor: Oid, line: &[u8]) -> Option<Self> {
        let envelope = Event::parse(line).ok()?.envelope;
        let is_private = envelope.kind == Kind::Redact || tells_of_work(&envelope);
        let commit = envelope.repo_head_sha.parse().ok();
        Some(Self {
            id: envelope.id.into_owned(),
            session: (envelope.writer.map(Text::into_owned), envelope.sid.into_owned()),
            ts: envelope.ts,
            anchor,
            commit,
            is_nameless: envelope.head.is_some_and(|head| head.branch.is_none()),
            is_carried: commit != Some(anchor),
            is_private,
        })
    }
}

/// Returns true if a line tells of what its commit has not.
pub fn tells_of_work(envelope: &Envelope) -> bool {
    let is_dirty = envelope.head.as_ref().is_some_and(|head| head.dirty);
    is_dirty || matches!(envelope.kind, Kind::State | Kind::TensionOpen | Kind::TensionClose)
}

/// The work of each line that waits though its commit is public: of those that are held, and of those that another
/// writer than this clone's left here, which alone knew their branch.
pub fn works(
    repo: &Repo,
    held: &Held,
    lines: &[NotedLine],
    is_public: impl Fn(Oid) -> bool,
) -> Result<Vec<Work>, Error> {
    let mut told: Vec<Told> =
        lines.iter().filter_map(|(anchor, line)| Told::of(*anchor, line)).collect();
    let writer = LocalState::read(repo)?.writer;
    let is_left = |told: &Told| {
        let by = &told.session.0;
        told.is_nameless && by.is_some() && *by != writer && !held.has_let_go(&told.id)
    };
    let may_wait = |told: &Told| {
        told.is_private && is_public(told.anchor) && (held.holds(&told.id) || is_left(told))
    };
    if !told.iter().any(may_wait) {
        return Ok(Vec::new());
    }
    let carried = told.iter().filter(|told| told.is_carried).map(|told| told.anchor);
    let put = put_by_a_person(repo, carried.collect())?;
    for told in &mut told {
        told.is_carried &= !put.contains(&(told.anchor, told.id.clone()));
    }
    let left = told.iter().filter(|told| may_wait(told) && !held.holds(&told.id));
    let published = published(repo, &left.map(|told| told.anchor).collect())?;
    let is_meant = |told: &&Told| {
        may_wait(told)
            && !told.is_carried
            && (held.holds(&told.id) || !published.contains(&told.id))
    };
    let meant: Vec<&Told> = told.iter().filter(is_meant).collect();
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

/// The copies on these commits for which a person chose the commit, which need not have their work.
fn put_by_a_person(repo: &Repo, commits: HashSet<Oid>) -> Result<HashSet<(Oid, String)>, Error> {
    let mut put = HashSet::new();
    let Some(local) = repo.ref_target(LOCAL_REF)?.filter(|_| !commits.is_empty()) else {
        return Ok(put);
    };
    let mut reader = repo.notes_reader(local)?;
    for commit in commits {
        for line in reader.texts(commit)?.iter().flat_map(|text| lines_of(text)) {
            if let Ok(Event { body: Body::Carry(carried), .. }) = Event::parse(line)
                && carried.rule == CarryRule::Onto
            {
                put.extend(carried.entries.into_iter().map(|id| (commit, id.into_owned())));
            }
        }
    }
    Ok(put)
}

/// The ids of the lines on these commits that a remote's log has.
fn published(repo: &Repo, commits: &HashSet<Oid>) -> Result<HashSet<String>, Error> {
    let mut ids = HashSet::new();
    if commits.is_empty() {
        return Ok(ids);
    }
    for tip in LogTips::read(repo)?.fetched.into_iter().chain(seen(repo, None)?) {
        let mut reader = repo.notes_reader(tip.target)?;
        for commit in commits {
            for line in reader.texts(*commit)?.iter().flat_map(|text| lines_of(text)) {
                ids.extend(Event::parse(line).ok().map(|event| event.envelope.id.into_owned()));
            }
        }
    }
    Ok(ids)
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
    let at = line.commit.unwrap_or(line.anchor);
    let contains = |commit: Oid| at == commit || repo.is_ancestor(commit, at);
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
        // What waits itself does not show that the work is public.
        is_carried: later
            .iter()
            .any(|later| later.is_carried && !later.is_private && is_public(later.anchor)),
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
        let strays = self.private.iter();
        let strays: Vec<Stray> =
            strays.filter_map(|commit| Stray::made_at(repo, *commit, branch)).collect();
        let found = find_homes(repo, &Log::default(), &repo.walk(tip)?, &strays, None);
        let home = |home| match home {
            Home::Found(commit, _) => Some(commit),
            _ => None,
        };
        Ok(found.into_values().filter_map(home).collect())
    }
}
