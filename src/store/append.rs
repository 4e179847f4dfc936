//! Appends lines: builds on the tip that was read, swaps only from that tip, and retries while other processes write.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::{
    Error, KEPT_REF, LOCAL_REF, LogTips,
    chain::Chain,
    events::new_lines,
    kept::moved,
    lock::{WritersLock, sweep},
    merge::union,
    read::more,
    share::shared_tip,
};
use crate::{
    entry::{Draft, Line, Seen},
    git::{self, ErrorKind, NotesCommit, Oid, Repo},
};

const DEADLINE: Duration = Duration::from_secs(10);

/// A writer's turn: until it is dropped, nobody else of this program writes in this clone.
pub struct Turn {
    lock: WritersLock,
    /// The log as it is now.
    pub tips: LogTips,
    seen: Option<Seen<'static>>,
}

impl Turn {
    pub fn take(repo: &Repo) -> Result<Self, Error> {
        let lock = WritersLock::acquire(repo)?;
        // A line names nothing as seen that its author did not read.
        let seen = seen(repo);
        Ok(Self { lock, tips: LogTips::read(repo)?, seen })
    }
}

/// Adds existing `lines` to the log, each to the note of its commit, and folds in the fetched logs and lost entries.
/// On success the lines are in the local ref, synced if `core.fsync` asks for that. On failure nothing was appended:
/// git does not know the user, the ref's lock stays, or other processes kept writing.
pub fn append(repo: &Repo, lines: &[(Oid, Line)], message: &str) -> Result<(), Error> {
    append_new(repo, None, &[], lines, message)
}

/// As [`append`], and adds new entries, which continue the chain of this clone's writer; in the turn that the caller took,
/// if any.
pub fn append_new(
    repo: &Repo,
    turn: Option<Turn>,
    drafts: &[(Oid, Draft)],
    lines: &[(Oid, Line)],
    message: &str,
) -> Result<(), Error> {
    land(repo, turn, drafts, lines, message, &[]).map(drop)
}

/// Merges the fetched logs, lost entries and other notes commits into the local ref, so that plain git shows them;
/// returns true if the ref changed.
pub fn fold(repo: &Repo, others: &[Oid]) -> Result<bool, Error> {
    let tips = LogTips::read(repo)?;
    if tips.kept == tips.local && with(&tips, others).all(|tip| Some(tip) == tips.local) {
        return Ok(false);
    }
    land(repo, None, &[], &[], FOLDED, others).map(|commit| commit.is_some())
}

fn with<'t>(tips: &'t LogTips, others: &'t [Oid]) -> impl Iterator<Item = Oid> + 't {
    let fetched = tips.fetched.iter().map(|tip| tip.target);
    tips.restored().into_iter().chain(fetched).chain(others.iter().copied())
}

const FOLDED: &str = "Notes folded in by 'git sq'";

fn land(
    repo: &Repo,
    turn: Option<Turn>,
    drafts: &[(Oid, Draft)],
    lines: &[(Oid, Line)],
    message: &str,
    others: &[Oid],
) -> Result<Option<Oid>, Error> {
    repo.require_identity()?;
    let turn = turn.map_or_else(|| Turn::take(repo), Ok)?;
    let mut read = Some((turn.tips, turn.seen));
    let _lock = turn.lock;
    sweep(repo);
    // The same trees are compared, edited and written.
    let repo = &repo.remembering();
    let start = Instant::now();
    let mut attempt = 0_u32;
    let mut fresh = None;
    loop {
        let (tips, seen) = match read.take() {
            Some(read) => read,
            None => (LogTips::read(repo)?, seen(repo)),
        };
        let more: Vec<Oid> = with(&tips, others).collect();
        let news = (drafts, seen.as_ref());
        let outcome = try_land(repo, &tips, &more, news, lines, message, &mut fresh);
        let retry = match &outcome {
            Err(error) => matches!(error.kind, ErrorKind::Moved | ErrorKind::Locked),
            Ok(_) => false,
        };
        if !retry {
            let commit = outcome?;
            if commit.is_some() && repo.durability().refs {
                repo.sync_ref(LOCAL_REF)?;
                repo.sync_ref(KEPT_REF)?;
            }
            return Ok(commit);
        }
        if start.elapsed() > DEADLINE {
            return Err(match outcome {
                Err(error) if error.kind == ErrorKind::Locked => error,
                _ => Error::refused(
                    format!("other writers kept updating {LOCAL_REF}; nothing was written"),
                    "many writers are at work: run the command again",
                ),
            });
        }
        let ceiling = 2_000_u64 << attempt.min(6);
        std::thread::sleep(Duration::from_micros(500 + noise(ceiling)));
        attempt += 1;
    }
}

/// One attempt on the state that was read. Returns the notes commit with the lines; `None` if all were there already.
/// The other states are not parents: the history of the local ref is this clone's own.
fn try_land(
    repo: &Repo,
    tips: &LogTips,
    others: &[Oid],
    (drafts, seen): (&[(Oid, Draft)], Option<&Seen<'static>>),
    lines: &[(Oid, Line)],
    message: &str,
    fresh: &mut Option<String>,
) -> Result<Option<Oid>, Error> {
    let local = tips.local;
    let mut chain = Chain::known(repo, tips)?;
    let goes_on = |tip: &Oid| {
        let read = repo.require_readable_notes(*tip, None);
        !read.is_err_and(|error| error.kind == ErrorKind::TooLarge)
    };
    let others = match local {
        Some(_) => others.to_vec(),
        // A first log is taken as it is, with all its notes.
        None => others.iter().copied().filter(goes_on).collect(),
    };
    let (others, base) = (&*others, local.or(others.first().copied()));
    let mut added = added(repo, base, others)?;
    if let (Some(known), Some(base)) = (&chain, base)
        && known.is_contradicted(repo, base, &added)?
    {
        known.give_up(repo)?;
        chain = None;
    }
    let mut drafted = Vec::new();
    if !drafts.is_empty() {
        let mut going_on = Chain::to_write(repo, tips, fresh)?;
        drafted = going_on.extend(drafts, seen)?;
        chain = Some(going_on);
    }
    for (anchor, line) in lines.iter().chain(&drafted) {
        let line = line.as_bytes().to_vec();
        added.entry(*anchor).or_default().push(line);
    }
    let notes = match united(repo, base, added) {
        // The base is a fetched commit, and a missing note can't be extended.
        Err(error) if error.is_unread() && local.is_none() => {
            let mut others = others.to_vec();
            others.retain(|tip| Some(*tip) != base);
            return try_land(repo, tips, &others, (drafts, seen), lines, message, fresh);
        }
        notes => notes?,
    };
    let (log, refs) = (format!("notes: {message}"), moved(local, tips.kept));
    // Otherwise the position of the chain, which the kept state has, would be forgotten.
    let is_resigned =
        chain.is_some() && local.is_some() && tips.kept.is_some_and(|kept| Some(kept) != local);
    if notes.is_empty() && !is_resigned {
        if let Some(base) = base.filter(|base| tips.kept != Some(*base) || local != Some(*base)) {
            repo.move_refs(&refs, base, &log)?;
        }
        return Ok(base.filter(|base| Some(*base) != local));
    }
    let message = &chain.map_or_else(|| message.to_owned(), |chain| chain.sign(message));
    let written = repo.write_notes(&NotesCommit { base, notes: &notes, message })?;
    repo.land(&written, &refs, &log)?;
    Ok(Some(written.commit))
}

pub(super) type Texts = BTreeMap<Oid, Vec<Vec<u8>>>;

/// The texts that the notes commits `others` have and the base lacks.
fn added(repo: &Repo, base: Option<Oid>, others: &[Oid]) -> git::Result<Texts> {
    let commits: Vec<Oid> = base.into_iter().chain(others.iter().copied()).collect();
    let notes = more(repo, &commits)?;
    let mut added = Texts::new();
    for (note, text) in notes.iter().zip(repo.texts(&notes)) {
        // An unreadable note stays where it is.
        added.entry(note.anchor).or_default().extend(text);
    }
    Ok(added)
}

/// Each commit that gets lines, with the complete new text of its note.
pub(super) fn united(
    repo: &Repo,
    base: Option<Oid>,
    added: Texts,
) -> git::Result<Vec<(Oid, Vec<u8>)>> {
    let mut reader = base.map(|base| repo.notes_reader(base)).transpose()?;
    let mut notes = Vec::with_capacity(added.len());
    for (anchor, texts) in added {
        let ours = match &mut reader {
            Some(reader) => reader.texts(anchor)?,
            None => Vec::new(),
        };
        let (new, _) = new_lines(&ours, texts.iter().map(Vec::as_slice));
        let text = union(ours.iter().map(Vec::as_slice).chain(new));
        if ours.len() != 1 || text != ours[0] {
            notes.push((anchor, text));
        }
    }
    Ok(notes)
}

fn seen(repo: &Repo) -> Option<Seen<'static>> {
    let (root, tip) = shared_tip(repo).ok()??;
    Some(Seen { root: root.to_string().into(), tip: tip.to_string().into() })
}

pub(super) fn noise(ceiling: u64) -> u64 {
    let noise = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| u64::from(now.subsec_nanos()) ^ u64::from(std::process::id()));
    noise % ceiling
}
