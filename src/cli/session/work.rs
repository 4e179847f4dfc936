//! What a session committed, as far as git tells.

use jiff::Timestamp;

use crate::{
    git::{HeadRef, Oid, Repo},
    session::{Said, Silence, Started},
};

/// The commits that HEAD gained.
#[derive(Default)]
pub struct Gained {
    /// Newest first, each with when it was made.
    pub commits: Vec<(Oid, Timestamp)>,
    /// Whether there may be fewer or more, because history does not tell.
    pub is_unknown: bool,
}

impl Gained {
    /// Those that it gained since a session's start.
    pub fn by(repo: &Repo, session: &Started, tip: Oid) -> Self {
        let base = match &session.start.head {
            None => Some(None),
            // Without it nobody knows what came after it.
            Some(id) => known(repo, id).map(Some),
        };
        let commits = base.and_then(|base| repo.gained(base, tip).ok());
        Self {
            // A shallow clone may have dropped what lies between.
            is_unknown: commits.is_none() || repo.is_shallow().unwrap_or(true),
            commits: commits.unwrap_or_default(),
        }
    }

    /// None of which anything is known.
    fn unknown() -> Self {
        Self {
            commits: Vec::new(),
            is_unknown: true,
        }
    }

    /// How many there are; None where that can't be known.
    pub fn count(&self) -> Option<usize> {
        (!self.is_unknown).then_some(self.commits.len())
    }
}

/// A commit, if it is here.
fn known(repo: &Repo, id: &str) -> Option<Oid> {
    let commit = id.parse().ok()?;
    repo.commit_time(commit).ok().map(|_| commit)
}

/// HEAD at the start of a session, if that commit is here.
pub fn start_commit(repo: &Repo, session: &Started) -> Option<Oid> {
    known(repo, session.start.head.as_deref()?)
}

/// The work of a session whose end nobody told.
pub struct Work {
    /// What it gained.
    pub gained: Gained,
    /// HEAD at its start, if that commit is here.
    began: Option<Oid>,
    /// The end of what it worked on; None where nobody knows.
    tip: Option<Oid>,
    /// The branch of that.
    tip_branch: Option<String>,
    /// HEAD, whosever it is.
    head: Option<Oid>,
}

impl Work {
    /// Looks from a session's worktree, with HEAD there, None where it was removed. `said` are the session's entries.
    pub fn of(
        repo: &Repo,
        session: &Started,
        head: Option<HeadRef>,
        said: &[Said],
        silence: Silence,
    ) -> Self {
        let there = head.as_ref().and_then(|head| head.commit);
        let head = match &session.left {
            None => head,
            Some(left) => Some(HeadRef {
                commit: left.head.as_deref().and_then(|id| known(repo, id)),
                branch: left.branch.clone(),
            }),
        };
        let end = tip(repo, session, head.as_ref(), said);
        let tip = end.commit;
        let mut gained = tip.map_or_else(Gained::unknown, |tip| Gained::by(repo, session, tip));
        let started = session.start.started.timestamp();
        // Git knows whole seconds. A start by a clock that was ahead tells nothing.
        if silence.counts(started) {
            let is_later = |time: Timestamp| time.as_second() >= started.as_second();
            gained.commits.retain(|&(_, time)| is_later(time));
        }
        if let Some(left) = &session.left {
            if left.head.is_none() && session.start.head.is_none() {
                gained = Gained::default();
            } else if head.and_then(|head| head.commit) != tip {
                // What came to its branch after another session had taken its place is not its own.
                let left = left.at.timestamp();
                gained.commits.retain(|&(_, time)| time <= left);
            }
        }
        Self {
            gained,
            began: start_commit(repo, session),
            tip,
            tip_branch: end.branch,
            head: there.or_else(|| end_of_branch(repo, session)),
        }
    }

    /// The branch on which it worked, as far as that shows in what it gained; else that on which it began.
    pub fn branch(&self, session: &Started) -> Option<String> {
        if self.gained.commits.is_empty() {
            session.start.branch.clone()
        } else {
            self.tip_branch.clone()
        }
    }

    /// Where its entry goes: to the newest of the commits that count, else to the one on which it began. Where the
    /// branch has another history by now, its end takes that one's place.
    pub fn place(&self, repo: &Repo, newest: Option<Oid>) -> Option<Oid> {
        let is_rewritten = |began: Oid, tip: Oid| {
            let base = repo.merge_base(began, tip).ok().flatten();
            base.is_some_and(|base| base != began && base != tip)
        };
        newest.or(match (self.began, self.tip) {
            (Some(began), Some(tip)) if is_rewritten(began, tip) => Some(tip),
            (Some(began), _) => Some(began),
            (None, tip) => tip.or(self.head),
        })
    }
}

/// The end of what a session worked on.
fn tip(repo: &Repo, session: &Started, head: Option<&HeadRef>, said: &[Said]) -> HeadRef {
    let start = &session.start;
    let on = |branch: &Option<String>, commit: Option<Oid>| HeadRef {
        branch: branch.clone(),
        commit,
    };
    let there = head.and_then(|head| head.commit);
    let began = start_commit(repo, session);
    let contains = |commit: &Oid| began.is_some_and(|began| repo.is_ancestor(began, *commit));
    let same = head.is_some_and(|head| head.branch == start.branch);
    if start.branch.is_none() {
        let mut said: Vec<&Said> = said.iter().collect();
        said.sort_unstable_by_key(|one| (&one.ts, &one.id));
        let mut own = said.iter().rev().map(|one| one.anchor);
        let there = there.filter(|commit| same && contains(commit));
        return on(&None, there.or_else(|| own.find(contains)).or(began));
    }
    let end = end_of_branch(repo, session);
    match (head, there, end) {
        (_, Some(there), _) if same => on(&start.branch, Some(there)),
        // It began a branch of its own, and took along what it had.
        (Some(head), Some(there), Some(end))
            if contains(&there) && repo.is_ancestor(end, there) =>
        {
            on(&head.branch, Some(there))
        }
        // Somebody moved HEAD to another branch since.
        _ => on(&start.branch, end),
    }
}

/// The end of the branch on which a session began.
fn end_of_branch(repo: &Repo, session: &Started) -> Option<Oid> {
    let name = format!("refs/heads/{}", session.start.branch.as_ref()?);
    repo.ref_target(&name).ok().flatten()
}
