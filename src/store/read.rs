//! Reads the log: the union of the local ref, what it has lost, and the fetched logs of remotes that share it.

use std::{
    collections::{BTreeSet, HashSet},
    thread,
    time::Duration,
};

use super::{
    BRANCH, Error, KEPT_REF, LOCAL_REF, events::new_lines, kept::lost, merge::union, tracking_ref,
};
use crate::{
    entry::{lines_of, trace},
    git::{self, DOCTOR, ErrorKind, Note, Oid, RefTip, Repo},
};

/// The refs that make up the log, read once, so that a command sees one state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogTips {
    pub local: Option<Oid>,
    /// The log as this clone last wrote it.
    pub kept: Option<Oid>,
    /// Number of entries of the kept state that are missing from the local ref.
    pub lost: usize,
    /// The tracking refs of remotes with `remote.<name>.sq=true`, and the branch that is a bare repository's log.
    pub fetched: Vec<RefTip>,
    /// The tracking refs, or the kept one, without notes, with too many, or unreadable; they are skipped.
    pub unreadable: Vec<String>,
}

impl LogTips {
    /// Fails if the refs can't be read, or the local one is symbolic or has no notes, or more than are read.
    pub fn read(repo: &Repo) -> Result<Self, Error> {
        // Before the local one, which moves first: a writer at work has lost nothing.
        let kept = repo.ref_target(KEPT_REF)?;
        let is_bad = |local: Option<Oid>| local.is_some_and(|local| !repo.is_notes_commit(local));
        let mut local = repo.ref_target(LOCAL_REF)?;
        if is_bad(local) {
            // A `git gc` that ended just now may have pruned an object that its writer writes again.
            thread::sleep(Duration::from_millis(100));
            local = repo.ref_target(LOCAL_REF)?;
        }
        if is_bad(local) {
            let message = format!("{LOCAL_REF} holds no notes, or what it holds can't be read");
            return Err(Error::new(ErrorKind::Unsupported, message).help(DOCTOR));
        }
        // What it has beside the local one is all that is read of it.
        let is_read = |tip: Oid| {
            repo.is_notes_commit(tip)
                && repo.require_readable(tip, local).is_ok()
                && local.is_none_or(|local| repo.notes_added(local, tip).is_ok())
        };
        // What this program wrote last was within the limits.
        if let Some(local) = local.filter(|local| kept != Some(*local)) {
            repo.require_readable(local, kept)?;
        }
        let (mut fetched, mut unreadable) = (Vec::new(), Vec::new());
        let (lost, is_whole) =
            kept.map_or(Ok((0, true)), |kept| lost(repo, local, kept)).unwrap_or((0, false));
        if !is_whole {
            unreadable.push(KEPT_REF.to_owned());
        }
        for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
            let name = tracking_ref(&remote.name);
            match repo.ref_target(&name) {
                Ok(Some(target)) if is_read(target) => {
                    fetched.push(RefTip { name, target });
                }
                Ok(None) => {}
                Err(error) if error.kind != ErrorKind::Unsupported => return Err(error),
                _ => unreadable.push(name),
            }
        }
        if let Some(tip) = own_branch(repo)? {
            if is_read(tip.target) {
                fetched.push(tip);
            } else {
                unreadable.push(tip.name);
            }
        }
        Ok(Self { local, kept, lost, fetched, unreadable })
    }

    pub fn commits(&self) -> impl Iterator<Item = Oid> {
        self.own().chain(self.fetched.iter().map(|tip| tip.target))
    }

    /// The local ref's state, and the kept one if that has more.
    pub fn own(&self) -> impl Iterator<Item = Oid> + use<> {
        self.local.into_iter().chain(self.restored())
    }

    /// The kept state, if the local ref lost entries.
    pub fn restored(&self) -> Option<Oid> {
        self.kept.filter(|_| self.lost > 0)
    }
}

/// The branch that is the log of a bare repository, to which clones push it: a mirror and the remote itself have it so.
fn own_branch(repo: &Repo) -> Result<Option<RefTip>, Error> {
    if repo.main_worktree().is_some() {
        return Ok(None);
    }
    let name = repo.config_string("sq.logRef").filter(|name| name.starts_with("refs/heads/"));
    let name = name.unwrap_or_else(|| BRANCH.to_owned());
    let target = repo.ref_target(&name)?;
    let target = target.filter(|target| !matches!(repo.holds_notes(*target), Ok(false)));
    Ok(target.map(|target| RefTip { name, target }))
}

/// The notes that the other commits have and the first lacks, or has with another blob.
pub(super) fn more(repo: &Repo, commits: &[Oid]) -> git::Result<Vec<Note>> {
    let Some((&first, others)) = commits.split_first() else {
        return Ok(Vec::new());
    };
    let mut more = Vec::new();
    for &other in others {
        more.extend(repo.notes_added(first, other)?);
    }
    more.sort_unstable();
    more.dedup();
    Ok(more)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    pub anchor: Oid,
    /// Lines as they stand in the notes.
    pub text: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
pub struct Log {
    /// Sorted by anchor.
    pub annotations: Vec<Annotation>,
    pub missing: Vec<Oid>,
}

impl Log {
    /// Those of some lines that were redacted and are not there.
    pub fn redacted<'l>(&self, lines: impl Iterator<Item = &'l [u8]>) -> HashSet<Vec<u8>> {
        let texts = self.annotations.iter().map(|annotation| annotation.text.clone());
        let (_, redacted) = new_lines(&texts.collect::<Vec<_>>(), lines);
        redacted.into_iter().map(<[u8]>::to_vec).collect()
    }

    pub fn read(repo: &Repo, tips: &LogTips) -> Result<Self, Error> {
        let commits: Vec<Oid> = tips.commits().collect();
        let mut notes = more(repo, &commits)?;
        if let Some(first) = commits.first() {
            notes.extend(repo.notes(*first)?);
        }
        notes.sort_unstable();
        let mut log = Self::default();
        for (note, text) in notes.iter().zip(repo.texts(&notes)) {
            match (text, log.annotations.last_mut()) {
                (None, _) => log.missing.push(note.anchor),
                (Some(text), Some(last)) if last.anchor == note.anchor => {
                    last.text = union([last.text.as_slice(), text.as_slice()]);
                }
                (Some(text), _) => log.annotations.push(Annotation { anchor: note.anchor, text }),
            }
        }
        Ok(log)
    }
}

/// Lines with their anchors.
pub type Lines = Vec<(Oid, Vec<u8>)>;

/// The lines of the notes commit `of` that no commit of `have` has on the same anchor, nor their redaction without them,
/// there or on a commit from which they were copied, in order.
/// The cost is that of the difference between `of` and the first of `have`.
pub fn lacking(repo: &Repo, have: &[Oid], of: Oid) -> Result<Lines, Error> {
    Ok(beyond(repo, have, of)?.0)
}

/// Those whose redaction is there so.
pub fn withheld(repo: &Repo, have: Oid, of: Oid) -> Result<Lines, Error> {
    Ok(beyond(repo, &[have], of)?.1)
}

/// The commits on which the lines of a note were recorded, and those from which they were copied.
fn copied_from(text: &[u8]) -> BTreeSet<Oid> {
    let traces = lines_of(text).map(trace);
    let named = traces.flat_map(|trace| {
        let from = trace.carried.map(|carried| carried.from);
        [Some(trace.commit), from].into_iter().flatten()
    });
    named.filter_map(|commit| commit.parse().ok()).collect()
}

fn beyond(repo: &Repo, have: &[Oid], of: Oid) -> Result<(Lines, Lines), Error> {
    let (mut lines, mut purged) = (Lines::new(), Lines::new());
    if have.contains(&of) {
        return Ok((lines, purged));
    }
    let notes = match have.first() {
        Some(first) => repo.notes_added(*first, of)?,
        None => repo.notes(of)?,
    };
    let mut readers =
        have.iter().map(|commit| repo.notes_reader(*commit)).collect::<git::Result<Vec<_>>>()?;
    // In one batch, because a partial clone asks its remote each time.
    for (note, text) in notes.iter().zip(repo.texts(&notes)) {
        let text = text.ok_or_else(|| repo.why_unread(of, *note))?;
        let mut known = Vec::new();
        for reader in &mut readers {
            known.extend(reader.texts(note.anchor)?);
        }
        let (new, mut gone) = new_lines(&known, [&*text].into_iter());
        // A copy of a line that was purged on another commit would bring it back.
        let copied_from = if new.is_empty() { BTreeSet::new() } else { copied_from(&text) };
        let mut before = Vec::new();
        for commit in copied_from {
            for reader in &mut readers {
                before.extend(reader.texts(commit)?);
            }
        }
        gone.extend(new_lines(&before, new.iter().copied()).1);
        let new = new.into_iter().filter(|line| !gone.contains(line));
        lines.extend(new.map(|line| (note.anchor, line.to_vec())));
        purged.extend(gone.iter().map(|line| (note.anchor, line.to_vec())));
    }
    for all in [&mut lines, &mut purged] {
        all.sort_unstable();
        all.dedup();
    }
    Ok((lines, purged))
}
