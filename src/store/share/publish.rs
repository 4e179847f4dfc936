//! Publishes: one commit on the remote's log, with the lines whose commits are public there.

use std::{collections::HashSet, time::Duration};

use super::{
    known::Known,
    moves::{is_of, newest_at},
    place::{Place, set},
    plan::{NotedLine, Plan},
    witness::{Tampering, judge},
};
use crate::{
    git::{
        Addresses, DEFAULT_LOG_REF, DOCTOR, ErrorKind, NotesCommit, Oid, Pushed, Remote, Repo,
        Talk, Written,
    },
    store::{
        Error, LOCAL_REF,
        append::{Texts, fold, noise, united},
        lacking,
        local::remember_address,
    },
};

/// Attempts to push before another clone does.
const TRIES: u32 = 12;
/// The subject of a published commit, unless `sq.commitSubject` is set.
const SUBJECT: &str = "Notes published by 'git sq'";

#[derive(Debug, Default)]
pub struct Published {
    pub went: usize,
    pub left: Plan,
    pub tampering: Option<Tampering>,
}

const AGAIN: &str = "run the command again";

/// Fetches the log at a URL and folds it; returns its tip.
pub fn take_in(repo: &Repo, remote: &Remote, at: &str, talk: Talk) -> Result<Option<Oid>, Error> {
    let place = Place::of(at, remote);
    let mut refspecs = vec![place.refspec(&remote.log_ref)];
    if remote.log_ref != DEFAULT_LOG_REF {
        // Other clones may be set to that one.
        refspecs.push(Place::usual(at).refspec(DEFAULT_LOG_REF));
    }
    repo.fetch(remote, at, &refspecs, talk)?;
    let there = repo.ref_target(&place.fetched())?;
    if there.is_some_and(|there| !repo.is_notes_commit(there)) {
        // A person's branch or another foreign ref: publishing must not build on it.
        let Remote { name, log_ref, .. } = remote;
        return Err(Error::refused(format!("{log_ref} on {name} is not a log"), DOCTOR));
    }
    let local = repo.ref_target(LOCAL_REF)?;
    if let Some(there) = there {
        repo.require_readable(there, local)?;
        repo.require_readable_notes(there, local)?;
    }
    // Together with the state seen before: lines may have been removed on both sides.
    let seen = repo.ref_target(&place.seen())?;
    let seen = seen.filter(|seen| {
        Some(*seen) != there
            && repo.is_notes_commit(*seen)
            && repo.require_readable(*seen, local).is_ok()
    });
    let all: Vec<Oid> = there.into_iter().chain(seen).collect();
    fold(repo, &all)?;
    Ok(there)
}

/// Updates the log at a URL, and folds it.
/// The new commit depends only on that log, the local lines and the public commits: a process that loses a race builds
/// again.
pub fn publish(
    repo: &Repo,
    remote: &Remote,
    addresses: &Addresses,
    at: &str,
    exact: bool,
    talk: Talk,
) -> Result<Published, Error> {
    repo.require_identity()?;
    let repo = &repo.remembering();
    let mut known = Known::here(repo, remote, addresses, at)?;
    known.exact = exact;
    known.finds_squashes = true;
    let mut exchange = Exchange {
        repo,
        remote,
        at,
        talk,
        place: Place::of(at, remote),
        known,
        tampering: None,
        outrun: String::new(),
    };
    for attempt in 0..TRIES {
        std::thread::sleep(Duration::from_millis(noise(1000) * u64::from(attempt)));
        if let Some(left) = exchange.attempt()? {
            return Ok(done(left, exchange.tampering));
        }
    }
    let (name, reason) = (&remote.name, exchange.outrun);
    Err(Error::refused(
        format!("others kept updating the log on {name}; not all of it was published: {reason}"),
        AGAIN,
    ))
}

struct Exchange<'r> {
    repo: &'r Repo,
    remote: &'r Remote,
    at: &'r str,
    talk: Talk,
    place: Place,
    known: Known<'r>,
    tampering: Option<Tampering>,
    outrun: String,
}

impl Exchange<'_> {
    /// Returns the published and the remaining lines; `None` if another push was first.
    fn attempt(&mut self) -> Result<Option<Plan>, Error> {
        let (repo, remote, at, talk) = (self.repo, self.remote, self.at, self.talk);
        let there = take_in(repo, remote, at, talk)?;
        remember_address(repo, &remote.name, at);
        let seen = repo.ref_target(&self.place.seen())?;
        let (base, found) = judge(seen, there, |old, new| repo.is_ancestor(old, new));
        let base = base.map_or_else(|| self.before(), |base| Ok(Some(base)))?;
        // A truncated history may still be the same one.
        let is_shallow = repo.is_shallow()?;
        let found = found.filter(|tampering| *tampering != Tampering::Replaced || !is_shallow);
        self.tampering = self.tampering.or(found);
        if base == there && found.is_none() {
            witness(repo, &self.place, there, None)?;
        }
        let before = seen.filter(|_| found.is_some());
        let left = self.plan(base, before)?;
        let built = build(repo, base, &left)?;
        let target = built.as_ref().map(|built| built.commit).or(base);
        let Some(target) = target.filter(|target| Some(*target) != there) else {
            witness(repo, &self.place, there, found)?;
            return Ok(Some(left));
        };
        if let Some(built) = &built
            && !self.holds(built)?
        {
            return Ok(None);
        }
        match repo.push(remote, at, target, &remote.log_ref, talk)? {
            Pushed::Done => {
                set(repo, &self.place.fetched(), target)?;
                witness(repo, &self.place, Some(target), found)?;
                Ok(Some(left))
            }
            Pushed::Refused(reason, said) => {
                let message = format!("{} rejected {}", remote.name, remote.log_ref);
                let error = Error::new(ErrorKind::Rejected, message).help(DOCTOR);
                Err(error.because(reason).saying(said))
            }
            Pushed::Failed(reason, said) => {
                let message = format!("{} failed to take the log: {reason}", remote.name);
                Err(Error::refused(message, AGAIN).saying(said))
            }
            Pushed::Outrun(reason) => {
                self.outrun = reason;
                Ok(None)
            }
        }
    }

    /// Lets a ref lead to a commit, which `git gc` might prune during the push; returns false if it was in the way.
    fn holds(&mut self, built: &Written) -> Result<bool, Error> {
        let name = self.place.built();
        let from = self.repo.ref_target(&name)?;
        match self.repo.land(built, &[(&name, from)], "sq: to be published") {
            Err(error) if error.kind == ErrorKind::Moved => {
                self.outrun = error.to_string();
                Ok(false)
            }
            done => done.map(|()| true),
        }
    }

    /// The log at another ref of the URL, which goes on at this one.
    fn before(&self) -> Result<Option<Oid>, Error> {
        let usual = Place::usual(self.at);
        let there = self.repo.ref_target(&usual.fetched())?;
        if let Some(there) = there.filter(|there| is_of(self.repo, *there)) {
            fold(self.repo, &[there])?;
            usual.saw(self.repo, there)?;
        }
        newest_at(self.repo, self.at)
    }

    /// Lines that the remote's log had before and that were removed go back unconditionally.
    fn plan(&mut self, base: Option<Oid>, before: Option<Oid>) -> Result<Plan, Error> {
        let repo = self.repo;
        let Some(local) = repo.ref_target(LOCAL_REF)? else {
            return Ok(Plan::default());
        };
        let there: Vec<Oid> = base.into_iter().collect();
        let shared: Vec<Oid> = base.into_iter().chain(before).collect();
        let lines = lacking(repo, &there, local)?;
        let part = |known: &Known| known.plan(lines.clone(), &shared);
        let mut plan = part(&self.known)?;
        if self.is_doubtful(&plan) && self.known.ask(self.talk)? {
            plan = part(&self.known)?;
            if self.known.exact && self.is_doubtful(&plan) && self.known.fetch(self.talk)? {
                plan = part(&self.known)?;
            }
        }
        if let Some(before) = before {
            let taken: HashSet<NotedLine> = lacking(repo, &there, before)?.into_iter().collect();
            for rest in [&mut plan.waiting, &mut plan.stray] {
                plan.ready.extend(rest.extract_if(.., |line| taken.contains(line)));
            }
        }
        Ok(plan)
    }

    /// Lines on unreachable commits matter only while a person waits.
    fn is_doubtful(&self, plan: &Plan) -> bool {
        !plan.waiting.is_empty() || self.known.exact && !plan.stray.is_empty()
    }
}

fn done(mut left: Plan, tampering: Option<Tampering>) -> Published {
    Published { went: std::mem::take(&mut left.ready).len(), left, tampering }
}

/// The commit that adds the ready lines; `None` if there are none.
fn build(repo: &Repo, base: Option<Oid>, plan: &Plan) -> Result<Option<Written>, Error> {
    if plan.ready.is_empty() {
        return Ok(None);
    }
    let mut texts = Texts::new();
    for (anchor, line) in &plan.ready {
        texts.entry(*anchor).or_default().push(line.clone());
    }
    let notes = united(repo, base, texts)?;
    let own = repo.config_string("sq.commitSubject").filter(|subject| !subject.trim().is_empty());
    let message = own.as_deref().unwrap_or(SUBJECT);
    let written = repo.write_notes(&NotesCommit { base, notes: &notes, message })?;
    Ok(Some(repo.signed(&written, base, message).unwrap_or(written)))
}

fn witness(
    repo: &Repo,
    place: &Place,
    tip: Option<Oid>,
    tampering: Option<Tampering>,
) -> Result<(), Error> {
    let Some(tip) = tip else { return Ok(()) };
    if repo.ref_target(&place.root())?.is_none() || tampering == Some(Tampering::Replaced) {
        set(repo, &place.root(), repo.root(tip)?)?;
    }
    set(repo, &place.seen(), tip)
}
