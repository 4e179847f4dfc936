//! The refs that hold the log: damaged files, and other things in their place.

use std::{
    fs, iter,
    path::{Path, PathBuf},
};

use super::{
    Ailment, Cure, Examination, Finding,
    damage::{earlier, files_of, left, unreadable},
    log::{FIX, Result},
};
use crate::{
    entry::is_entry,
    git::{ErrorKind, Oid, RefTip, Remote, Repo},
    quote,
    store::{LOCAL_REF, Lines, LogTips, share::obstacles, tracking_ref},
};

impl Examination<'_> {
    /// Whether the file of a ref of ours has something else than a ref in it.
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
            // A name that git would not read either.
            let Err(error) = self.repo.ref_target(&name) else {
                continue;
            };
            if error.kind != ErrorKind::Unsupported {
                return Err(error.into());
            }
            any = true;
            let is_local = name == LOCAL_REF;
            let linked = self.repo.commit(&name).ok().filter(|_| is_local);
            let cure = match linked.filter(|to| self.repo.is_notes_commit(*to)) {
                Some(to) => Cure::Restore {
                    base: None,
                    lines: entries(self.repo, to)?,
                    damaged: vec![path],
                    other: None,
                },
                None => Cure::SetAside(path),
            };
            let then = if is_local {
                "nothing can be recorded"
            } else {
                "it is only a copy of what a remote has"
            };
            let message = format!("{}: {then}", error.message);
            let finding = Finding::error(Ailment::BadRef, &name, message, FIX);
            self.cases.push((finding, Some(cure)));
        }
        Ok(any)
    }

    /// Whether the local ref can't be used, and nothing more can be said of the log.
    pub(super) fn is_local_ref_bad(&mut self) -> Result<bool> {
        let Some(local) = self.repo.ref_target(LOCAL_REF)? else {
            return Ok(false);
        };
        let message = match self.repo.holds_notes(local) {
            Ok(true) => return Ok(false),
            Ok(false) => format!("{LOCAL_REF} holds no notes: nothing can be recorded"),
            Err(error) if self.is_left_on_remote(LOCAL_REF, &error) => return Ok(true),
            Err(error) => {
                format!("{LOCAL_REF} can't be read ({error}): nothing can be recorded")
            }
        };
        let other = self.repo.holds_notes(local).is_ok().then_some(local);
        let damaged = other.is_none().then(|| unreadable(self.repo, local));
        let cure = Cure::Restore {
            base: earlier(self.repo, local, |id| self.repo.notes(id).is_ok())?,
            lines: Lines::new(),
            damaged: files_of(self.repo, damaged),
            other,
        };
        let finding = Finding::error(Ailment::BadRef, LOCAL_REF, message, FIX);
        self.cases.push((finding, Some(cure)));
        Ok(true)
    }

    /// What was fetched and is no log, can't be read, or is in the way of a log. Gives whether something can't be read,
    /// so that it can't be told what the remote has.
    pub(super) fn fetched_refs(&mut self, tips: &LogTips) -> Result<bool> {
        let mut any = false;
        for remote in self
            .repo
            .remotes()
            .iter()
            .filter(|remote| remote.shares_log)
        {
            let name = tracking_ref(&remote.name);
            if tips.unreadable.contains(&name)
                && let Some(target) = self.repo.ref_target(&name)?
            {
                match self.repo.holds_notes(target) {
                    Err(error) => {
                        let files = files_of(self.repo, [unreadable(self.repo, target)]);
                        self.fetched_is_damaged(remote, &error, files);
                        any = true;
                    }
                    Ok(_) => self.is_no_log(remote, &name),
                }
            }
            for other in obstacles(self.repo, remote)? {
                self.is_in_the_way(remote, &other);
            }
        }
        Ok(any)
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
            "{} has {}, and git can't have {} beside it: `git fetch` may fail, and the log is not published",
            remote.name, other.name, remote.log_ref
        );
        self.found(Finding::error(Ailment::BadRef, &other.name, message, help));
    }
}

/// The lines of other notes that are entries of a log.
fn entries(repo: &Repo, notes: Oid) -> Result<Lines> {
    let mut lines = left(repo, notes)?.lines;
    lines.retain(|(_, line)| is_entry(line));
    Ok(lines)
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
