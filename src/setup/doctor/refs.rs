//! The refs of the log: damaged files and objects, and foreign content.

use std::{
    fs, iter,
    path::{Path, PathBuf},
};

use super::{
    Ailment, Examination, Finding,
    log::{FIX, Result},
};
use crate::{
    git::{self, ErrorKind, Note, Oid, RefTip, Remote, Repo},
    quote,
    store::{LOCAL_REF, fetch_refspec, share::obstacles, tracking_ref},
};

const NAMED: usize = 20;

impl Examination<'_> {
    /// Returns true if the file of one of this program's refs does not contain a ref.
    pub(super) fn are_files_damaged(&mut self) -> Result<bool> {
        let common = self.repo.common_dir();
        let fetched = self.repo.remotes().into_iter();
        let fetched = fetched.map(|remote| common.join(tracking_ref(&remote.name)));
        let mut paths: Vec<PathBuf> = iter::once(common.join(LOCAL_REF)).chain(fetched).collect();
        files_below(&common.join("refs/sq"), &mut paths);
        let mut any = false;
        for path in paths {
            let name = path.strip_prefix(&common).unwrap_or(&path);
            let name = name.to_string_lossy().replace('\\', "/");
            // Git can't read such a name either.
            let Err(error) = self.repo.ref_target(&name) else {
                continue;
            };
            if error.kind != ErrorKind::Unsupported {
                return Err(error);
            }
            any = true;
            let (then, help) = if name == LOCAL_REF {
                let help = self.restoring(None, &[path])?;
                ("nothing can be recorded", help)
            } else {
                let help = remove(&[path]).chain(self.fetching()).collect();
                ("it is only a copy of what a remote has", help)
            };
            let message = format!("{}: {then}", error.message);
            self.broken(Ailment::BadRef, &name, message, &help);
        }
        Ok(any)
    }

    /// Returns true if the local ref is unusable, which ends the diagnosis of the log.
    pub(super) fn is_local_ref_bad(&mut self) -> Result<bool> {
        let Some(local) = self.repo.ref_target(LOCAL_REF)? else {
            return Ok(false);
        };
        let read = self.repo.holds_notes(local);
        let read = read.and_then(|is_log| self.repo.notes(local).map(|_| is_log));
        let (message, damaged) = match read {
            Ok(true) => return Ok(false),
            Ok(false) => (format!("{LOCAL_REF} holds no notes"), None),
            Err(error) if self.is_left_on_remote(LOCAL_REF, &error) => return Ok(true),
            Err(error) => {
                let damaged = unreadable(self.repo, local);
                (
                    format!("{LOCAL_REF} can't be read ({error})"),
                    Some(damaged),
                )
            }
        };
        let help = self.restoring(Some(local), &files_of(self.repo, damaged))?;
        let message = format!("{message}: nothing can be recorded");
        self.broken(Ailment::BadRef, LOCAL_REF, message, &help);
        Ok(true)
    }

    fn broken(&mut self, rule: Ailment, about: &str, message: String, help: &[String]) {
        self.found(Finding::error(rule, about, message, help.join("\n")));
    }

    /// Checks for foreign content, unreadable objects and refs in the way; true if the remote's state is unknown.
    pub(super) fn fetched_refs(&mut self) -> Result<bool> {
        let mut any = false;
        for remote in sharing(self.repo) {
            let name = tracking_ref(&remote.name);
            if let Ok(Some(target)) = self.repo.ref_target(&name) {
                match self.repo.holds_notes(target) {
                    Ok(true) => any |= self.has_unreadable_notes(&remote, target),
                    Ok(false) => self.is_no_log(&remote, &name),
                    Err(error) => {
                        self.fetched_is_damaged(&remote, &error, [unreadable(self.repo, target)]);
                        any = true;
                    }
                }
            }
            for other in obstacles(self.repo, &remote)? {
                self.is_in_the_way(&remote, &other);
            }
        }
        Ok(any)
    }

    /// Returns true if the local ref names unreadable notes.
    pub(super) fn is_damaged(&mut self) -> Result<bool> {
        let Some(local) = self.repo.ref_target(LOCAL_REF)? else {
            return Ok(false);
        };
        let notes = unreadable_notes(self.repo, local)?;
        let Some(error) = error_of(&notes) else {
            return Ok(false);
        };
        if self.is_left_on_remote(LOCAL_REF, &error) {
            return Ok(true);
        }
        let blobs = notes.iter().map(|note| note.blob);
        let mut help: Vec<String> = remove(&files_of(self.repo, blobs)).collect();
        for note in notes.iter().take(NAMED) {
            let anchor = note.anchor;
            help.push(match self.earlier_note(local, anchor)? {
                Some(blob) => format!("git notes --ref=sq add --force -C {blob} {anchor}"),
                None => format!("git notes --ref=sq remove {anchor}"),
            });
        }
        help.extend(self.fetching());
        let message = format!("the log can't be read in full ({error})");
        self.broken(Ailment::Damaged, LOCAL_REF, message, &help);
        Ok(true)
    }

    fn earlier_note(&self, local: Oid, anchor: Oid) -> Result<Option<Oid>> {
        for state in history(self.repo, local) {
            let blobs = self.repo.notes_reader(state)?.get(anchor)?;
            let mut sound = blobs.iter().filter(|blob| self.repo.blob(**blob).is_ok());
            if blobs.is_empty() || sound.clone().next().is_some() {
                return Ok(sound.next().copied());
            }
        }
        Ok(None)
    }

    fn has_unreadable_notes(&mut self, remote: &Remote, target: Oid) -> bool {
        match unreadable_notes(self.repo, target) {
            Ok(notes) => {
                let Some(error) = error_of(&notes) else {
                    return false;
                };
                self.fetched_is_damaged(remote, &error, notes.iter().map(|note| note.blob));
            }
            Err(error) => self.fetched_is_damaged(remote, &error, []),
        }
        true
    }

    fn fetched_is_damaged(
        &mut self,
        remote: &Remote,
        error: &git::Error,
        objects: impl IntoIterator<Item = Oid>,
    ) {
        let log = format!("what was fetched from {}", remote.name);
        if self.is_left_on_remote(&log, error) {
            return;
        }
        let help: Vec<String> = remove(&files_of(self.repo, objects))
            .chain([refetch(remote)])
            .collect();
        let message = format!("{log} can't be read in full ({error}): the log there is unchanged");
        self.broken(Ailment::Damaged, &remote.name, message, &help);
    }

    /// In a partial clone, records missing objects as unknown instead of damaged; returns false in other clones.
    fn is_left_on_remote(&mut self, what: &str, error: &git::Error) -> bool {
        let Some(remote) = self.repo.promisors().into_iter().next() else {
            return false;
        };
        self.diagnosis.unknown.push(format!(
            "{what} can't be read here ({error}): this is a partial clone, and {remote} has the rest; run it again where {remote} can be reached"
        ));
        true
    }

    /// Commands that restore the newest readable state of the local ref, and the lines of the reflog and of remotes.
    fn restoring(&self, local: Option<Oid>, damaged: &[PathBuf]) -> Result<Vec<String>> {
        let moves = self.repo.ref_moves(LOCAL_REF)?;
        let reflog = moves.iter().flat_map(|step| [step.to, step.from]).flatten();
        let fetched = sharing(self.repo).filter_map(|remote| {
            let target = self.repo.ref_target(&tracking_ref(&remote.name));
            target.ok().flatten()
        });
        let history = local
            .into_iter()
            .flat_map(|local| history(self.repo, local));
        let is_sound =
            |state: &Oid| self.repo.is_notes_commit(*state) && self.repo.notes(*state).is_ok();
        let state = history.chain(reflog).chain(fetched).find(is_sound);
        let state = match state {
            Some(state) => format!("{LOCAL_REF} {state}"),
            None => format!("-d {LOCAL_REF}"),
        };
        let update = format!("git update-ref --no-deref {state}");
        let help = remove(damaged).chain([update]).chain(self.fetching());
        Ok(help.chain([FIX.to_owned()]).collect())
    }

    /// Commands that fetch the logs of remotes completely, and fold them in.
    fn fetching(&self) -> impl Iterator<Item = String> {
        sharing(self.repo).flat_map(|remote| {
            let sync = format!("git sq sync {}", quote::word(&remote.name));
            [refetch(&remote), sync]
        })
    }

    fn is_no_log(&mut self, remote: &Remote, name: &str) {
        let there = &remote.log_ref;
        let key = quote::word(&format!("remote.{}.sqRef", remote.name));
        let help = format!(
            "git log -1 {}   (shows who pushed it)\ngit config {key} refs/notes/git-sq   (keeps the log at another ref there, as every clone has to)\n{FIX}\ngit sq sync {to}\ngit fetch {to}",
            quote::word(name),
            to = quote::word(&remote.name),
        );
        let message = format!("{there} on {} holds no log: it is ignored", remote.name);
        self.found(Finding::warning(Ailment::BadRef, there, message, help));
    }

    fn is_in_the_way(&mut self, remote: &Remote, other: &RefTip) {
        let (there, to) = (quote::word(&other.name), quote::word(&remote.name));
        let rest = other.name.rsplit_once('/').map_or("", |(_, rest)| rest);
        let kept = quote::word(&format!("refs/notes/moved/{rest}"));
        let id = other.target;
        let mut help = format!(
            "git push --no-verify --atomic --force-with-lease={there}:{id} {to} {id}:{kept} :{there}   (gives it another name there)\n"
        );
        let here = other
            .name
            .replacen(&remote.log_ref, &tracking_ref(&remote.name), 1);
        if self.repo.ref_target(&here).is_ok_and(|here| here.is_some()) {
            help += &format!("git update-ref -d {}\n", quote::word(&here));
        }
        help += &format!("git sq sync {to}");
        let message = format!(
            "{} has {}, which conflicts with {}: `git fetch` may fail, and the log is not published",
            remote.name, other.name, remote.log_ref
        );
        self.found(Finding::error(Ailment::BadRef, &other.name, message, help));
    }
}

fn sharing(repo: &Repo) -> impl Iterator<Item = Remote> + use<> {
    let remotes = repo.remotes().into_iter();
    remotes.filter(|remote| remote.shares_log)
}

fn refetch(remote: &Remote) -> String {
    let (name, spec) = (quote::word(&remote.name), fetch_refspec(remote));
    let spec = quote::word(&spec);
    format!("git fetch --refetch --no-filter {name} {spec}")
}

fn history(repo: &Repo, commit: Oid) -> impl Iterator<Item = Oid> {
    let parent = |commit: &Oid| repo.first_parent(*commit).ok().flatten();
    iter::successors(parent(&commit), parent)
}

fn unreadable_notes(repo: &Repo, commit: Oid) -> git::Result<Vec<Note>> {
    let notes = repo.notes(commit)?;
    let blobs: Vec<Oid> = notes.iter().map(|note| note.blob).collect();
    let notes = notes.into_iter().zip(repo.blobs(&blobs));
    Ok(notes
        .filter_map(|(note, text)| text.is_none().then_some(note))
        .collect())
}

fn error_of(notes: &[Note]) -> Option<git::Error> {
    let what = match notes {
        [] => return None,
        [note] => format!("the note of {} is missing or damaged", note.anchor),
        [note, ..] => {
            let (many, one) = (notes.len(), note.anchor);
            format!("the notes of {many} commits, {one} among them, are missing or damaged")
        }
    };
    Some(git::Error::new(ErrorKind::Missing, what))
}

/// The object that makes a state of the log unreadable.
fn unreadable(repo: &Repo, commit: Oid) -> Oid {
    repo.tree_of(commit).unwrap_or(commit)
}

fn files_of(repo: &Repo, objects: impl IntoIterator<Item = Oid>) -> Vec<PathBuf> {
    let files = objects.into_iter().map(|id| repo.loose_file(id));
    files.filter(|file| file.exists()).collect()
}

fn remove(files: &[PathBuf]) -> impl Iterator<Item = String> {
    let files = files.iter().map(|file| file.to_string_lossy());
    files.map(|file| format!("rm -f {}", quote::word(&file)))
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files_below(&entry.path(), files),
            Ok(kind)
                if kind.is_file()
                    && entry
                        .path()
                        .extension()
                        .is_none_or(|extension| extension != "lock") =>
            {
                files.push(entry.path());
            }
            _ => {}
        }
    }
}
