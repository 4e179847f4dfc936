//! Appends lines: build on the tip that was read, swap only from that tip, retry while others write.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::{Error, LOCAL_REF, LogTips, chain::Chain, lock::WritersLock, merge::union, seen::seen};
use crate::{
    entry::{Draft, Line},
    git::{self, ErrorKind, NotesCommit, Oid, Repo},
};

/// How long a writer tries.
const DEADLINE: Duration = Duration::from_secs(10);

/// What an append did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The notes commit that holds the lines; None where every line was there already.
    pub commit: Option<Oid>,
}

/// Adds `lines` that stand somewhere already to the log, each to the note of its commit, and folds in what was fetched.
///
/// When this returns, the lines are in the local ref: durably, where `core.fsync` asks for that.
///
/// # Errors
/// When git does not know the user, when the ref's lock stays, or when others write all the time. Nothing was
/// appended then.
pub fn append(repo: &Repo, lines: &[(Oid, Line)], message: &str) -> Result<Appended, Error> {
    land(repo, &New { lines, ..New::NONE }, message, false)
}

/// As [`append`], and adds new entries, which go on with the chain of this clone's writer.
///
/// # Errors
/// As [`append`].
pub fn append_new(
    repo: &Repo,
    drafts: &[(Oid, Draft)],
    lines: &[(Oid, Line)],
    message: &str,
) -> Result<Appended, Error> {
    land(repo, &New { drafts, lines }, message, false)
}

/// Brings what was fetched into the local ref, so that plain git shows it.
///
/// # Errors
/// As [`append`].
pub fn fold(repo: &Repo) -> Result<Appended, Error> {
    let tips = LogTips::read(repo)?;
    if tips
        .fetched
        .iter()
        .all(|tip| Some(tip.target) == tips.local)
    {
        return Ok(Appended { commit: None });
    }
    land(repo, &New::NONE, FOLDED, false)
}

/// As [`fold`], and sees to it that the local ref descends from every ref that was fetched, so that a push of it is a
/// fast-forward.
///
/// # Errors
/// As [`append`].
pub fn join(repo: &Repo) -> Result<Appended, Error> {
    land(repo, &New::NONE, FOLDED, true)
}

/// What is added.
struct New<'n> {
    drafts: &'n [(Oid, Draft<'n>)],
    lines: &'n [(Oid, Line)],
}

impl New<'_> {
    const NONE: Self = Self {
        drafts: &[],
        lines: &[],
    };
}

const FOLDED: &str = "Notes folded in by 'git sq'";

fn land(repo: &Repo, new: &New, message: &str, join: bool) -> Result<Appended, Error> {
    repo.require_identity()?;
    let _turn = WritersLock::acquire(repo)?;
    // The trees that are compared are looked up in and written again.
    let repo = &repo.remembering();
    let start = Instant::now();
    let mut attempt = 0;
    let mut fresh = None;
    loop {
        let tips = LogTips::read(repo)?;
        let outcome = try_land(repo, &tips, new, message, join, &mut fresh);
        let retry = match &outcome {
            Err(Error::Git(error)) => matches!(error.kind, ErrorKind::Moved | ErrorKind::Locked),
            _ => false,
        };
        if !retry {
            let commit = outcome?;
            if commit.is_some() && repo.durability().refs {
                repo.sync_ref(LOCAL_REF)?;
            }
            return Ok(Appended { commit });
        }
        if start.elapsed() > DEADLINE {
            return Err(match outcome {
                Err(Error::Git(error)) if error.kind == ErrorKind::Locked => error.into(),
                _ => Error::Busy,
            });
        }
        std::thread::sleep(pause(attempt));
        attempt += 1;
    }
}

/// One attempt on the state that `tips` holds; gives the ref's new target, or None where there was nothing to add.
fn try_land(
    repo: &Repo,
    tips: &LogTips,
    new: &New,
    message: &str,
    join: bool,
    fresh: &mut Option<String>,
) -> Result<Option<Oid>, Error> {
    let mut chain = Chain::known(repo, tips.local)?;
    let Plan { base, others } = Plan::of(repo, tips, chain.is_some());
    let (mut added, merged) = fetched(repo, base, others)?;
    if let (Some(known), Some(base)) = (&chain, base)
        && known.is_contradicted(repo, base, &added)?
    {
        known.give_up(repo)?;
        chain = None;
    }
    let mut drafted = Vec::new();
    if !new.drafts.is_empty() {
        let mut going_on = Chain::to_write(repo, tips.local, fresh)?;
        drafted = going_on.extend(new.drafts, seen(repo, tips).as_ref())?;
        chain = Some(going_on);
    }
    for (anchor, line) in new.lines.iter().chain(&drafted) {
        let line = line.as_bytes().to_vec();
        added.entry(*anchor).or_default().push(line);
    }
    let mut reader = base.map(|base| repo.notes_reader(base)).transpose()?;
    let mut notes = Vec::with_capacity(added.len());
    for (anchor, texts) in added {
        let blobs = match &mut reader {
            Some(reader) => reader.get(anchor)?,
            None => Vec::new(),
        };
        let ours: git::Result<Vec<Vec<u8>>> =
            blobs.into_iter().map(|blob| repo.blob(blob)).collect();
        let ours = match ours {
            Err(error) if error.kind == ErrorKind::Missing && base != tips.local => {
                // The base was fetched, and what is not there can't be added to.
                let mut rest = tips.clone();
                rest.fetched.retain(|tip| Some(tip.target) != base);
                return try_land(repo, &rest, new, message, join, fresh);
            }
            ours => ours?,
        };
        let text = union(texts.iter().chain(&ours).map(Vec::as_slice));
        if ours.len() != 1 || text != ours[0] {
            notes.push((anchor, text));
        }
    }
    let target = match base {
        Some(base) if notes.is_empty() && (!join || merged.is_empty()) => base,
        None if notes.is_empty() => return Ok(None),
        _ => repo.write_notes(&NotesCommit {
            base,
            merged: &merged,
            notes: &notes,
            message: &chain.map_or_else(|| message.to_owned(), |chain| chain.sign(message)),
        })?,
    };
    if Some(target) == tips.local {
        return Ok(None);
    }
    repo.move_ref(LOCAL_REF, tips.local, target, &format!("notes: {message}"))?;
    Ok(Some(target))
}

/// The texts that other tips have and the base has not, by anchor.
type Texts = BTreeMap<Oid, Vec<Vec<u8>>>;

/// What the other tips add to the base, and those of them that become parents.
fn fetched(repo: &Repo, base: Option<Oid>, others: Vec<Other>) -> git::Result<(Texts, Vec<Oid>)> {
    let (mut added, mut merged) = (Texts::new(), Vec::new());
    for other in others {
        let notes = match base {
            Some(base) => repo.notes_added(base, other.tip)?,
            None => Vec::new(),
        };
        let blobs: Vec<Oid> = notes.iter().map(|note| note.blob).collect();
        let mut whole = !other.is_contained;
        for (note, text) in notes.iter().zip(repo.blobs(&blobs)) {
            match text {
                Some(text) => added.entry(note.anchor).or_default().push(text),
                // Until it can be read this tip is no parent: its history would say that all its notes are here.
                None => whole = false,
            }
        }
        if whole {
            merged.push(other.tip);
        }
    }
    Ok((added, merged))
}

/// What to build on, and what to merge into it.
struct Plan {
    /// The local ref; or what was fetched, where that descends from it and it has no chain that would be lost: then a
    /// fast-forward may do.
    base: Option<Oid>,
    others: Vec<Other>,
}

/// A tip that is not the base.
struct Other {
    tip: Oid,
    /// Whether the base's history has it. Its lines are compared all the same: plain git may have taken some out since.
    is_contained: bool,
}

impl Plan {
    fn of(repo: &Repo, tips: &LogTips, has_chain: bool) -> Self {
        let mut base = tips.commits().next();
        let mut rest: Vec<Oid> = Vec::new();
        for tip in tips.commits().skip(1) {
            if Some(tip) == base || rest.contains(&tip) {
                continue;
            }
            match base {
                Some(old) if !has_chain && repo.is_ancestor(old, tip) => {
                    rest.push(old);
                    base = Some(tip);
                }
                _ => rest.push(tip),
            }
        }
        let others = rest.into_iter().map(|tip| Other {
            tip,
            is_contained: base.is_some_and(|base| repo.is_ancestor(tip, base)),
        });
        Self {
            base,
            others: others.collect(),
        }
    }
}

/// How long to wait before the next attempt: longer each time, and never as long as the neighbour.
fn pause(attempt: u32) -> Duration {
    let ceiling = 2_u64 << attempt.min(6);
    Duration::from_micros(500 + noise(ceiling * 1000))
}

/// A number below `ceiling` that two processes hardly share.
pub(super) fn noise(ceiling: u64) -> u64 {
    let noise = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| {
            u64::from(now.subsec_nanos()) ^ u64::from(std::process::id())
        });
    noise % ceiling
}
