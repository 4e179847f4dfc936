//! What is wrong with the refs that hold the log, and which lines nothing reads any more.

use std::{collections::BTreeSet, fs, path::PathBuf, time::Duration};

use super::{Error, LOCAL_REF, LogTips, lacking::lacking};
use crate::git::{ErrorKind, Oid, Repo};

/// Lines with their anchors.
pub type Lines = Vec<(Oid, Vec<u8>)>;

/// How it stands with the refs of the log.
#[derive(Debug, Default)]
pub struct Health {
    /// Lock files that stand in the way of the local ref, and how long they have been there.
    pub locks: Vec<(PathBuf, Duration)>,
    /// Refs that were fetched and hold no log.
    pub unreadable: Vec<String>,
    /// Paths in the notes tree that are no notes, or notes that stand there twice.
    pub odd: Vec<String>,
    /// Whether the log's own history is cut off or lacks commits.
    pub is_truncated: bool,
    /// How many notes are not in the repository.
    pub missing: usize,
    /// Lines that the local ref had and the log lacks.
    pub lost: Lines,
    /// Whether an earlier state of the local ref could not be looked at, because git has cleared it away.
    pub is_past_gone: bool,
    /// Lines that were fetched from a remote that is no more, by its name.
    pub unread: Vec<(String, Lines)>,
}

/// Looks the log's refs over.
///
/// # Errors
/// When they can't be read; what git can say about that ref is in the error.
pub fn health(repo: &Repo) -> Result<Health, Error> {
    // One step of the log after another reads nearly the same trees.
    let repo = &repo.remembering();
    let tips = LogTips::read(repo)?;
    let mut health = Health {
        locks: locks(repo),
        unreadable: tips.unreadable.clone(),
        ..Health::default()
    };
    let known: Vec<Oid> = tips.commits().collect();
    if let Some(local) = tips.local {
        health.odd = repo.odd_notes(local)?;
        let history = repo.walk(local)?;
        health.is_truncated = !history.cut_at().is_empty() || !history.missing().is_empty();
    }
    if let Some(first) = known.first() {
        let blobs: Vec<Oid> = repo.notes(*first)?.iter().map(|note| note.blob).collect();
        health.missing = blobs.iter().filter(|id| !repo.has_object(**id)).count();
    }
    look_at_past(repo, &known, &mut health)?;
    health.unread = unread(repo, &known)?;
    Ok(health)
}

/// The local ref where it holds no log, and the newest of its states that git remembers and that does.
///
/// # Errors
/// When the ref is symbolic or the reflog can't be read.
pub fn broken_local(repo: &Repo) -> Result<Option<(Oid, Option<Oid>)>, Error> {
    let Some(local) = repo.ref_target(LOCAL_REF)? else {
        return Ok(None);
    };
    if repo.is_notes_commit(local) {
        return Ok(None);
    }
    let moves = repo.ref_moves(LOCAL_REF)?;
    let states = moves.into_iter().flat_map(|step| [step.to, step.from]);
    let mut good = states
        .flatten()
        .filter(|state| repo.is_notes_commit(*state));
    Ok(Some((local, good.next())))
}

fn locks(repo: &Repo) -> Vec<(PathBuf, Duration)> {
    let names = [format!("{LOCAL_REF}.lock"), "packed-refs.lock".to_owned()];
    let paths = names.into_iter().map(|name| repo.common_dir().join(name));
    let ages = paths.filter_map(|path| {
        let age = fs::metadata(&path).ok()?.modified().ok()?.elapsed();
        Some((path, age.unwrap_or_default()))
    });
    ages.collect()
}

/// Goes through the reflog: a line that a move of the ref dropped, and that no ref of the log has now, is lost.
fn look_at_past(repo: &Repo, known: &[Oid], health: &mut Health) -> Result<(), Error> {
    let mut lost = BTreeSet::new();
    for step in repo.ref_moves(LOCAL_REF)? {
        let Some(from) = step.from else { continue };
        let after: Vec<Oid> = step
            .to
            .into_iter()
            .filter(|to| repo.has_object(*to))
            .collect();
        if !repo.has_object(from) {
            health.is_past_gone = true;
            continue;
        }
        let dropped = match lacking(repo, &after, from) {
            Ok(dropped) => dropped,
            Err(Error::Git(error)) if error.kind == ErrorKind::Missing => {
                health.is_past_gone = true;
                continue;
            }
            Err(error) => return Err(error),
        };
        if !dropped.is_empty() {
            let gone = lacking(repo, known, from)?;
            lost.extend(gone.into_iter().filter(|line| dropped.contains(line)));
        }
    }
    health.lost = lost.into_iter().collect();
    Ok(())
}

/// What was fetched from remotes that are no more. Those that are there and do not share the log are strangers.
fn unread(repo: &Repo, known: &[Oid]) -> Result<Vec<(String, Lines)>, Error> {
    const ALL: &str = "refs/notes/remotes/";
    let remotes = repo.remotes();
    let mut unread: Vec<(String, Lines)> = Vec::new();
    for tip in repo.refs_under(ALL)? {
        let rest = tip.name.strip_prefix(ALL).unwrap_or_default();
        let inbox = rest.split_once("/sq-inbox/").map(|(name, _)| name);
        let Some(name) = rest.strip_suffix("/sq").or(inbox) else {
            continue;
        };
        if remotes.iter().any(|remote| remote.name == name) {
            continue;
        }
        let lines = lacking(repo, known, tip.target)?;
        match unread.last_mut().filter(|(last, _)| last == name) {
            Some((_, all)) => all.extend(lines),
            None => unread.push((name.to_owned(), lines)),
        }
    }
    unread.retain(|(_, lines)| !lines.is_empty());
    Ok(unread)
}
