//! Objects of the log that are missing or damaged, and what is left without them.

use std::{iter, path::PathBuf};

use super::{
    Ailment, Cure, Error, Examination, Finding,
    log::{FIX, Result},
};
use crate::{
    entry::lines_of,
    git::{self, ErrorKind, Note, Oid, Remote, Repo},
    quote,
    store::{LOCAL_REF, Lines, LogTips, fetch_refspec, tracking_ref},
};

impl Examination<'_> {
    /// Whether notes can't be read, so that nothing more can be said of the log.
    pub(super) fn is_damaged(&mut self, tips: &LogTips) -> Result<bool> {
        let mut any = false;
        for remote in self.repo.remotes() {
            let name = tracking_ref(&remote.name);
            let tip = tips.fetched.iter().find(|tip| tip.name == name);
            let Some(tip) = tip else { continue };
            if let Some(left) = left_within_limits(self.repo, tip.target)?
                && let Some(error) = left.error()
            {
                let files = files_of(self.repo, left.objects());
                self.fetched_is_damaged(&remote, &error, files);
                any = true;
            }
        }
        let Some(local) = tips.local else {
            return Ok(any);
        };
        let left = left_within_limits(self.repo, local)?;
        let Some(left) = left else { return Ok(any) };
        let Some(error) = left.error() else {
            return Ok(any);
        };
        if self.is_left_on_remote(LOCAL_REF, &error) {
            return Ok(true);
        }
        let base = earlier(self.repo, local, |id| {
            let trees = left.trees.is_empty() || self.repo.notes(id).is_ok();
            trees
                && left
                    .notes
                    .iter()
                    .all(|note| is_sound(self.repo, id, note.anchor))
        })?;
        let message = format!(
            "the log can't be read in full ({error}): {}",
            match base {
                Some(_) => "an earlier state has what was there before",
                None => "no earlier state that has it can be read",
            }
        );
        let cure = Cure::Restore {
            base,
            damaged: files_of(self.repo, left.objects()),
            lines: left.lines,
            other: None,
        };
        let finding = Finding::error(Ailment::Damaged, LOCAL_REF, message, FIX);
        self.cases.push((finding, Some(cure)));
        Ok(true)
    }

    pub(super) fn fetched_is_damaged(
        &mut self,
        remote: &Remote,
        error: &git::Error,
        files: Vec<PathBuf>,
    ) {
        let (name, log) = (
            &remote.name,
            format!("what was fetched from {}", remote.name),
        );
        if self.is_left_on_remote(&log, error) {
            return;
        }
        let spec = quote::word(&fetch_refspec(remote));
        let help = format!(
            "{FIX}   (moves damaged files away)\ngit fetch --refetch --no-filter {} {spec}",
            quote::word(name)
        );
        let message = format!("{log} can't be read in full ({error}): the log there is as it was");
        let finding = Finding::error(Ailment::Damaged, name, message, help);
        self.cases.push((finding, Some(Cure::ClearObjects(files))));
    }

    /// Notes that objects are not here because this is a partial clone, if it is one: that is no damage.
    pub(super) fn is_left_on_remote(&mut self, what: &str, error: &git::Error) -> bool {
        let Some(remote) = self.repo.promisors().into_iter().next() else {
            return false;
        };
        self.unknown.push(format!(
            "{what} can't be read here ({error}): this is a partial clone, and {remote} has the rest; run it again where {remote} can be reached"
        ));
        true
    }
}

/// What is left of a state of the log.
pub(super) struct Left {
    pub lines: Lines,
    /// The notes that can't be read.
    notes: Vec<Note>,
    /// The folders of the notes tree that can't be read.
    trees: Vec<Oid>,
}

impl Left {
    /// What is wrong with it, if anything is.
    fn error(&self) -> Option<git::Error> {
        let what = match (self.trees.as_slice(), self.notes.as_slice()) {
            ([], []) => return None,
            ([], [note]) => format!("the note of {} is missing or damaged", note.anchor),
            ([], [note, ..]) => {
                let (many, one) = (self.notes.len(), note.anchor);
                format!("the notes of {many} commits, {one} among them, are missing or damaged")
            }
            ([tree, ..], _) => format!("the notes tree {tree} is missing or damaged"),
        };
        Some(git::Error::new(ErrorKind::Missing, what))
    }

    /// The objects that can't be read.
    fn objects(&self) -> impl Iterator<Item = Oid> {
        let blobs = self.notes.iter().map(|note| note.blob);
        blobs.chain(self.trees.iter().copied())
    }
}

/// What is left of a state of the log; None of one that is beyond the limits, which is no damage.
fn left_within_limits(repo: &Repo, commit: Oid) -> Result<Option<Left>> {
    match left(repo, commit) {
        Err(Error::Git(error)) if error.kind == ErrorKind::TooLarge => Ok(None),
        left => left.map(Some),
    }
}

pub(super) fn left(repo: &Repo, commit: Oid) -> Result<Left> {
    let (all, trees) = repo.notes_left(commit)?;
    let blobs: Vec<Oid> = all.iter().map(|note| note.blob).collect();
    let (mut lines, mut notes) = (Lines::new(), Vec::new());
    for (note, text) in all.into_iter().zip(repo.blobs(&blobs)?) {
        match text {
            Some(text) => lines.extend(lines_of(&text).map(|line| (note.anchor, line.to_vec()))),
            None => notes.push(note),
        }
    }
    Ok(Left {
        lines,
        notes,
        trees,
    })
}

/// The newest earlier state of the local ref that holds notes and is sound: of its history, else of its reflog, else of
/// what was fetched.
pub(super) fn earlier(
    repo: &Repo,
    local: Oid,
    is_sound: impl Fn(Oid) -> bool,
) -> Result<Option<Oid>> {
    let parent = |commit: &Oid| repo.first_parent(*commit).ok().flatten();
    let history = iter::successors(parent(&local), parent);
    let moves = repo.ref_moves(LOCAL_REF)?;
    let reflog = moves.iter().flat_map(|step| [step.to, step.from]).flatten();
    let remotes = repo
        .remotes()
        .into_iter()
        .filter(|remote| remote.shares_log);
    let fetched = remotes.filter_map(|remote| repo.ref_target(&tracking_ref(&remote.name)).ok()?);
    let published = repo.refs_under("refs/sq/push/")?.into_iter();
    let fetched = fetched.chain(published.map(|tip| tip.target));
    let mut states = history.chain(reflog).chain(fetched);
    Ok(states.find(|state| repo.is_notes_commit(*state) && is_sound(*state)))
}

/// Whether what a notes commit has on a commit can be read.
fn is_sound(repo: &Repo, notes: Oid, anchor: Oid) -> bool {
    let blobs = repo
        .notes_reader(notes)
        .and_then(|mut reader| reader.get(anchor));
    blobs.is_ok_and(|blobs| blobs.iter().all(|blob| repo.blob(*blob).is_ok()))
}

/// The object that keeps a state of the log from being read at all.
pub(super) fn unreadable(repo: &Repo, commit: Oid) -> Oid {
    repo.tree_of(commit).unwrap_or(commit)
}

/// The files of objects that can't be read, where there are any.
pub(super) fn files_of(repo: &Repo, objects: impl IntoIterator<Item = Oid>) -> Vec<PathBuf> {
    let files = objects.into_iter().map(|id| repo.loose_file(id));
    files.filter(|file| file.exists()).collect()
}
