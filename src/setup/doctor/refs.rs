//! The refs of the log: what can't be read in full, with the way back, and what does not belong there.

use std::{iter, path::Path, time::Duration};

use super::{
    Ailment, Cure, Examination, Finding,
    log::{FIX, Result},
};
use crate::{
    file,
    git::{self, ErrorKind, Note, Oid, RefTip, Remote, Repo},
    quote,
    store::{
        KEPT_REF, LOCAL_REF, fetch_refspec,
        share::{last_seen, refs_at},
        tracking_ref,
    },
};

const NAMED: usize = 20;

/// The end of the name of a ref of this program with what was fetched to publish.
const FETCHED: &str = "/fetched/sq";

impl Examination<'_> {
    /// Checks for damage and foreign content; true if something can't be read in full, which ends the diagnosis of the
    /// log.
    pub(super) fn refs(&mut self) -> Result<bool> {
        self.locks();
        // First, because git stumbles over it when it fetches.
        let mut any = self.is_kept_damaged();
        any |= self.is_damaged(LOCAL_REF, true)?;
        for remote in self.repo.remotes() {
            let name = tracking_ref(&remote.name);
            let target = self.repo.ref_target(&name).ok().flatten().filter(|_| remote.shares_log);
            let foreign = |target: &Oid| matches!(self.repo.holds_notes(*target), Ok(false));
            if let Some(foreign) = target.filter(foreign) {
                self.is_no_log(&remote, &name, foreign)?;
            } else {
                any |= self.is_damaged(&name, remote.shares_log)?;
            }
            if remote.shares_log {
                let local = self.repo.ref_target(LOCAL_REF).ok().flatten();
                for tip in refs_at(self.repo, &remote)? {
                    let is_new = tip.name.ends_with(FETCHED) && Some(tip.target) != target;
                    if is_new && foreign(&tip.target) {
                        self.is_no_log(&remote, &tip.name, tip.target)?;
                        continue;
                    }
                    let read = |repo: &Repo| {
                        repo.require_readable(tip.target, local)?;
                        repo.require_readable_notes(tip.target, local)
                    };
                    if is_new
                        && let Err(error) = read(self.repo)
                        && error.kind == ErrorKind::TooLarge
                    {
                        self.is_too_large(&remote, &tip, &error)?;
                        any = true;
                    }
                }
            }
        }
        for name in names_below(&self.repo.common_dir(), Path::new("refs/sq")) {
            any |= self.is_damaged(&name, false)?;
        }
        Ok(any || self.leads_nowhere()?)
    }

    /// Reports the locks of refs, and of packed-refs, that no process can be holding any more.
    fn locks(&mut self) {
        /// A process holds them for moments.
        const LONGEST: Duration = Duration::from_secs(60);
        let dir = self.repo.common_dir();
        let remotes = self.repo.remotes();
        let names = [LOCAL_REF, KEPT_REF, "packed-refs"].map(str::to_owned).into_iter();
        for name in names.chain(remotes.iter().map(|remote| tracking_ref(&remote.name))) {
            let lock = dir.join(format!("{name}.lock"));
            let age = || lock.metadata().ok()?.modified().ok()?.elapsed().ok();
            if age().is_some_and(|age| age > LONGEST) {
                let message = format!("{name}.lock is in the way: {name} can't be written");
                let lock = quote::word(&lock.to_string_lossy());
                let help = format!("rm -f {lock}   (if no git process is running here)");
                self.found(Finding::error(Ailment::Locked, &name, message, help));
            }
        }
    }

    /// Checks that all objects are here that a ref of the log or of this program leads to: without them, `git gc` fails.
    fn leads_nowhere(&mut self) -> Result<bool> {
        let repo = self.repo;
        let mut tips = repo.refs_under("refs/notes/remotes/")?;
        tips.retain(|tip| tip.name.ends_with("/sq"));
        tips.extend(repo.refs_under("refs/sq/")?);
        // A symbolic one is named by what reads the log.
        let local = repo.ref_target(LOCAL_REF).ok().flatten();
        // It goes with the local ref, whose remedy covers both.
        tips.retain(|tip| tip.name != KEPT_REF || Some(tip.target) != local);
        tips.extend(local.map(|target| RefTip { name: LOCAL_REF.to_owned(), target }));
        let broken = repo.refs_over_missing(tips);
        let remotes = repo.remotes();
        for tip in &broken {
            let mut source = None;
            for remote in &remotes {
                if tracking_ref(&remote.name) == tip.name || refs_at(repo, remote)?.contains(tip) {
                    source = Some(remote);
                }
            }
            let message = format!(
                "{} leads to objects that are missing: `git gc`, `git repack` and `git bundle` fail",
                tip.name
            );
            let name = quote::word(&tip.name);
            let (help, cure) = match source {
                Some(remote) => (
                    format!("{FIX}\ngit sq sync {}", quote::word(&remote.name)),
                    Some(Cure::FetchAgain(tip.clone())),
                ),
                None if tip.name == LOCAL_REF => (self.whole_again().join("\n"), None),
                None => (format!("git update-ref -d {name}"), None),
            };
            self.cases.push((Finding::error(Ailment::Missing, &tip.name, message, help), cure));
        }
        // The notes of the local ref can be read, and what they lost is found.
        Ok(broken.iter().any(|tip| tip.name != LOCAL_REF))
    }

    fn is_kept_damaged(&mut self) -> bool {
        let repo = self.repo;
        let kept = repo.ref_target(KEPT_REF).ok().flatten();
        let is_damaged =
            kept.is_some_and(|kept| repo.notes(kept).is_err()) && repo.promisors().is_empty();
        if is_damaged {
            let message = format!("{KEPT_REF} can't be read");
            let help = format!("git update-ref -d {KEPT_REF}");
            self.found(Finding::error(Ailment::Damaged, KEPT_REF, message, help));
        }
        is_damaged
    }

    /// Returns true if a ref, or the log that it holds, can't be read in full.
    fn is_damaged(&mut self, name: &str, is_log: bool) -> Result<bool> {
        let (repo, target) = (self.repo, self.repo.ref_target(name));
        let (error, notes) = match target.clone().map(|target| target.filter(|_| is_log)) {
            Ok(None) => return Ok(false),
            Ok(Some(commit)) => match unreadable_notes(repo, commit) {
                Ok(notes) if notes.is_empty() => return Ok(false),
                Ok(notes) => (unread(repo, commit, &notes), notes),
                Err(error) => (error, Vec::new()),
            },
            Err(error) if error.kind == ErrorKind::Unsupported => (error, Vec::new()),
            Err(error) => return Err(error),
        };
        if let Some(remote) = repo.promisors().first().filter(|_| target.is_ok()) {
            self.diagnosis.unknown.push(format!(
                "{name} can't be read in full ({error}): this is a partial clone, and {remote} has the rest; run it again where {remote} can be reached"
            ));
            return Ok(true);
        }
        let is_too_large = error.kind == ErrorKind::TooLarge;
        if is_too_large
            && let Some(remote) = repo.remotes().iter().find(|it| tracking_ref(&it.name) == name)
            && let Some(target) = target.clone().ok().flatten()
        {
            let tip = RefTip { name: name.to_owned(), target };
            return self.is_too_large(remote, &tip, &error).map(|()| true);
        }
        let files = match target {
            Err(_) => vec![repo.common_dir().join(name)],
            Ok(_) if is_too_large || error.kind == ErrorKind::Unsupported => Vec::new(),
            Ok(commit) => {
                let tree = commit.map(|commit| repo.tree_of(commit).unwrap_or(commit));
                notes
                    .iter()
                    .map(|note| note.blob)
                    .chain(tree.filter(|_| notes.is_empty()))
                    .map(|id| repo.loose_file(id))
                    .collect()
            }
        };
        let files: Vec<_> = files.iter().filter(|file| file.exists()).collect();
        if files.is_empty() && name != LOCAL_REF && error.kind == ErrorKind::Missing {
            return Ok(false);
        }
        let mut help: Vec<String> = files
            .iter()
            .map(|file| quote::word(&file.to_string_lossy()))
            .map(|file| format!("rm -f {file}"))
            .collect();
        if name == LOCAL_REF {
            help.extend(self.restoring(target.ok().flatten(), &notes)?);
        }
        if !is_too_large {
            help.extend(self.fetching_all());
        }
        let message = in_part(name, &error);
        let help = help.join("\n");
        self.found(Finding::error(Ailment::Damaged, name, message, help));
        Ok(true)
    }

    /// Reports a log of a remote that is more than is read, with commands that set it back.
    fn is_too_large(&mut self, remote: &Remote, tip: &RefTip, error: &git::Error) -> Result<()> {
        let (repo, bad) = (self.repo, tip.target);
        let (name, there) = (quote::word(&tip.name), &remote.log_ref);
        let to = quote::word(&remote.name);
        let lease = quote::word(&format!("--force-with-lease={there}:{bad}"));
        let parent = |commit: &Oid| repo.first_parent(*commit).ok().flatten();
        let moves = repo.ref_moves(&tip.name)?;
        let sound = iter::successors(parent(&bad), parent)
            .take(NAMED)
            .chain(moves.iter().flat_map(|step| [step.to, step.from]).flatten().take(NAMED))
            .chain(refs_at(repo, remote)?.into_iter().map(|tip| tip.target))
            .find(|state| unreadable_notes(repo, *state).is_ok_and(|notes| notes.is_empty()));
        let spec = quote::word(&format!(
            "{}:{there}",
            sound.map_or_else(String::new, |sound| sound.to_string())
        ));
        let what = if sound.is_some() { "as it was before" } else { "removes it there" };
        let message = in_part(&tip.name, error);
        let help = format!(
            "git log -1 {name}   (shows who pushed it)\ngit push --no-verify {lease} {to} {spec}   ({what})\ngit sq sync {to}\ngit fetch --prune {to}"
        );
        self.found(Finding::error(Ailment::Damaged, &tip.name, message, help));
        Ok(())
    }

    /// Commands that fetch and fold the log again, with each of its objects.
    fn fetching_all(&self) -> Vec<String> {
        let remotes = self.repo.remotes();
        let mut commands: Vec<String> = remotes
            .iter()
            .filter(|remote| remote.shares_log)
            .flat_map(|remote| {
                let to = quote::word(&remote.name);
                let spec = quote::word(&fetch_refspec(remote));
                let fetch = format!("git fetch --refetch --no-filter {to} {spec}");
                [fetch, format!("git sq sync {to}")]
            })
            .collect();
        commands.push(FIX.to_owned());
        commands
    }

    /// Commands that bring the missing objects of the local ref's history, or leave that history behind.
    fn whole_again(&self) -> Vec<String> {
        let mut commands = self.fetching_all();
        commands.push(format!(
            "git update-ref {LOCAL_REF} \"$(git log -1 --format=%B {LOCAL_REF} | git commit-tree '{LOCAL_REF}^{{tree}}')\"   (if they are still missing: all notes, without their history)"
        ));
        commands.push(format!("git update-ref -d {KEPT_REF}"));
        commands.push(format!("git reflog expire --expire-unreachable=now {LOCAL_REF}"));
        commands
    }

    /// Commands that set the notes to what they were before, or else the local ref to its newest readable state.
    fn restoring(&self, local: Option<Oid>, notes: &[Note]) -> Result<Vec<String>> {
        let repo = self.repo;
        let parent = |commit: &Oid| repo.first_parent(*commit).ok().flatten();
        let history = iter::successors(local.as_ref().and_then(parent), parent);
        let mut commands = Vec::new();
        for Note { anchor, .. } in notes.iter().take(NAMED) {
            let earlier = history.clone().find_map(|state| {
                let blobs = repo
                    .notes_reader(state)
                    .and_then(|mut reader| reader.get(*anchor))
                    .unwrap_or_default();
                let sound = blobs
                    .iter()
                    .find(|&&blob| repo.note(state, Note { anchor: *anchor, blob }).is_ok());
                (blobs.is_empty() || sound.is_some()).then(|| sound.copied())
            });
            commands.push(match earlier.flatten() {
                Some(blob) => format!("git notes --ref=sq add --force -C {blob} {anchor}"),
                None => format!("git notes --ref=sq remove {anchor}"),
            });
        }
        if notes.is_empty() {
            let moves = repo.ref_moves(LOCAL_REF)?;
            let reflog = moves.iter().flat_map(|step| [step.to, step.from]).flatten();
            let fetched = repo.remotes().into_iter().filter_map(|remote| {
                repo.ref_target(&tracking_ref(&remote.name))
                    .ok()
                    .flatten()
                    .filter(|_| remote.shares_log)
            });
            let state = history
                .chain(reflog)
                .chain(fetched)
                .find(|state| repo.is_notes_commit(*state) && repo.notes(*state).is_ok());
            let state = state
                .map_or_else(|| format!("-d {LOCAL_REF}"), |state| format!("{LOCAL_REF} {state}"));
            commands.push(format!("git update-ref --no-deref {state}"));
        }
        Ok(commands)
    }

    fn is_no_log(&mut self, remote: &Remote, name: &str, foreign: Oid) -> Result<()> {
        let there = &remote.log_ref;
        let to = quote::word(&remote.name);
        let remedy = if let Some(log) = last_seen(self.repo, remote)? {
            let there = quote::word(there);
            format!(
                "git push --no-verify --force-with-lease={there}:{foreign} {to} {log}:{there}   (puts the log back that was there)\n"
            )
        } else {
            let key = quote::word(&format!("remote.{}.sqRef", remote.name));
            format!(
                "git config {key} refs/notes/git-sq   (keeps the log at another ref there, as every clone has to)\n{FIX}\n"
            )
        };
        let name = quote::word(name);
        let help = format!(
            "git log -1 {name}   (shows who pushed it)\n{remedy}git sq sync {to}\ngit fetch {to}"
        );
        let message = format!("{there} on {} holds no log: it is ignored", remote.name);
        self.found(Finding::warning(Ailment::BadRef, there, message, help));
        Ok(())
    }
}

/// The notes of a commit that can't be read; fails if the commit can't.
fn unreadable_notes(repo: &Repo, commit: Oid) -> git::Result<Vec<Note>> {
    if !repo.holds_notes(commit)? {
        return Err(git::Error::new(ErrorKind::Unsupported, "it holds no notes"));
    }
    Ok(repo.unread_notes(&repo.notes(commit)?))
}

fn in_part(name: &str, error: &git::Error) -> String {
    let error = error.to_string();
    if error.starts_with(name) { error } else { format!("{name} can't be read in full: {error}") }
}

/// Why these notes, one or more, could not be read.
fn unread(repo: &Repo, commit: Oid, notes: &[Note]) -> git::Error {
    let mut some = notes.to_vec();
    some.dedup_by_key(|note| note.blob);
    let is_missing = |note: &Note| {
        repo.note(commit, *note).is_err_and(|error| error.kind != ErrorKind::TooLarge)
    };
    let (kind, why) = if some.iter().take(NAMED).any(is_missing) {
        (ErrorKind::Missing, "missing or damaged")
    } else {
        // Or they are so together.
        (ErrorKind::TooLarge, "larger than git sq reads")
    };
    let what = match notes {
        [note] => format!("the note of {} is {why}", note.anchor),
        notes => {
            let (many, one) = (notes.len(), notes[0].anchor);
            format!("the notes of {many} commits, {one} among them, are {why}")
        }
    };
    git::Error::new(kind, what)
}

/// The names of the loose refs below a folder.
fn names_below(root: &Path, folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in file::listed(root.join(folder)) {
        let path = folder.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => names.extend(names_below(root, &path)),
            Ok(_) if path.extension().is_none_or(|it| it != "lock") => {
                names.push(path.to_string_lossy().replace('\\', "/"));
            }
            _ => {}
        }
    }
    names
}
