//! Reads, lists and moves refs; a move is a compare and swap.

use std::{fs, time::Duration};

use gix::{
    date::parse::TimeBuf,
    refs::{
        Target,
        file::log::iter::Forward,
        transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog},
    },
};

use super::{Error, ErrorKind, Oid, Repo, Result, error::Doing};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefTip {
    /// The full name, `refs/…`.
    pub name: String,
    pub target: Oid,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove {
    /// `None` if the ref was created.
    pub from: Option<Oid>,
    /// `None` if it was deleted.
    pub to: Option<Oid>,
    /// In seconds since 1970.
    pub time: i64,
    /// The reflog's message, as `commit: Fix it` or `checkout: moving from main to topic`.
    pub deed: String,
}

/// A ref with its target before a move; `None` if it does not exist.
pub type RefFrom<'a> = (&'a str, Option<Oid>);

/// The remedy where a ref of the log is not what it should be.
pub const DOCTOR: &str = "`git sq doctor` says what can be done about it";

const LOCK_PATIENCE: Duration = Duration::from_millis(1500);

impl Repo {
    /// The target of a ref; `None` if the ref does not exist. A symbolic ref is an error, since a write through it
    /// would change another ref.
    pub fn ref_target(&self, name: &str) -> Result<Option<Oid>> {
        match self.inner.try_find_reference(name) {
            Ok(found) => found.map_or(Ok(None), |reference| direct(name, &reference.target())),
            // The file is readable, so its content is damaged: usually empty after a crash.
            Err(_) if fs::read(self.common_dir().join(name)).is_ok() => {
                Err(Error::new(ErrorKind::Unsupported, format!("the file of {name} is damaged"))
                    .help(DOCTOR))
            }
            Err(error) => Err(error).doing(format!("read {name}")),
        }
    }

    pub fn refs_under(&self, prefix: &str) -> Result<Vec<RefTip>> {
        let reading = || format!("list {prefix}");
        let platform = self.inner.references().doing(reading())?;
        let mut tips = Vec::new();
        for reference in platform.prefixed(prefix).doing(reading())? {
            // Git also skips a damaged ref.
            let Ok(reference) = reference else { continue };
            if let Some(id) = reference.target().try_id() {
                tips.push(RefTip {
                    name: reference.name().as_bstr().to_string(),
                    target: Oid(id.to_owned()),
                });
            }
        }
        Ok(tips)
    }

    /// The moves of a ref, newest first; empty if git keeps no reflog for it, as in a bare repository.
    pub fn ref_moves(&self, name: &str) -> Result<Vec<RefMove>> {
        let reading = || format!("read the reflog of {name}");
        let mut buffer = Vec::new();
        let lines = self.inner.refs.reflog_iter(name, &mut buffer);
        let mut moves = lines.doing(reading())?.map(moves).unwrap_or_default();
        moves.reverse();
        Ok(moves)
    }

    /// Returns true if the repository has an object; does not ask the remote of a partial clone.
    pub fn has_object(&self, id: Oid) -> bool {
        self.inner.has_object(id.0)
    }

    /// Moves refs from where they are to the same target, and creates those that are nowhere. A crash can leave the
    /// later ones behind.
    /// Fails with [`ErrorKind::Moved`] if a ref is not where it was, and with [`ErrorKind::Locked`] if its lock file
    /// stays.
    /// Comparing the old value before taking the lock is not enough: `git pack-refs` can move the value into
    /// packed-refs between the two. So the ref is read once more while its lock is held.
    pub fn move_refs(&self, refs: &[RefFrom], to: Oid, log: &str) -> Result<()> {
        self.move_refs_after(refs, to, log, || Ok(()))
    }

    /// As [`Repo::move_refs`], with `prepare` called while the refs' locks are held.
    pub(super) fn move_refs_after(
        &self,
        refs: &[RefFrom],
        to: Oid,
        log: &str,
        prepare: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let edits = refs.iter().map(|at| edit(*at, to, log)).collect::<Result<Vec<RefEdit>>>()?;
        let patience = gix::lock::acquire::Fail::AfterDurationWithBackoff(LOCK_PATIENCE);
        let prepared = self
            .inner
            .refs
            .transaction()
            .prepare(edits, patience, patience)
            .map_err(|error| self.explain_move(refs, error))?;
        for (name, from) in refs {
            if self.read_anew(name)? != *from {
                drop(prepared);
                return Err(moved(name));
            }
        }
        prepare()?;
        let ([_, committer], mut time) = (self.signatures_of_user()?, TimeBuf::default());
        let committer = committer.as_ref().map(|known| known.to_ref(&mut time));
        prepared.commit(committer).doing(format!("move {}", first(refs))).map(drop)
    }

    /// Sets a ref back, or deletes it, if it is still where it was read; what it leads to may be missing.
    pub fn set_back(&self, tip: &RefTip, to: Option<Oid>) -> Result<()> {
        let git = self.git().words("update-ref --no-deref");
        let now = tip.target.to_string();
        match to {
            Some(to) => git.args([&tip.name, &to.to_string(), &now]),
            None => git.args(["-d", &tip.name, &now]),
        }
        .run()
        .map(drop)
    }

    /// Reads the ref from disk, past every cache.
    fn read_anew(&self, name: &str) -> Result<Option<Oid>> {
        let refs = &self.inner.refs;
        if let Some(loose) = refs.try_find_loose(name).doing(format!("read {name}"))? {
            return direct(name, &loose.target.to_ref());
        }
        let packed = refs.open_packed_buffer().doing("read packed-refs")?;
        let Some(packed) = packed else {
            return Ok(None);
        };
        let full: &gix::refs::FullNameRef = name.try_into().doing("use a ref name")?;
        Ok(packed
            .try_find(full)
            .doing("read packed-refs")?
            .map(|reference| Oid(reference.target())))
    }

    fn explain_move(&self, refs: &[RefFrom], error: gix::Error) -> Error {
        let name = first(refs);
        if error.is_conflict() || error.is_not_found() {
            return moved(name);
        }
        if !error.is_retryable() {
            return Error::new(ErrorKind::Other, format!("could not move {name}")).because(error);
        }
        let packed = "packed-refs.lock".to_owned();
        match refs
            .iter()
            .map(|(name, _)| format!("{name}.lock"))
            .chain([packed])
            .map(|lock| self.common_dir().join(lock))
            .find(|lock| lock.exists())
        {
            Some(lock) => Error::new(ErrorKind::Locked, format!("{} is in the way", lock.display()))
            .help("another git process seems to be running in this repository; if there is none, a killed one left it: remove that file and run the command again"),
            None => moved(name),
        }
    }
}

pub(super) fn moves(lines: Forward) -> Vec<RefMove> {
    let known = |id: gix::ObjectId| (!id.is_null()).then_some(Oid(id));
    // A crash may have truncated a line; the others are intact.
    let moves = lines.flatten().map(|line| RefMove {
        from: known(line.previous_oid()),
        to: known(line.new_oid()),
        time: line.signature.seconds(),
        deed: line.message.to_string(),
    });
    moves.collect()
}

fn edit((name, from): RefFrom, to: Oid, log: &str) -> Result<RefEdit> {
    let expected = from.map_or(PreviousValue::MustNotExist, |from| {
        PreviousValue::MustExistAndMatch(Target::Object(from.0))
    });
    let log =
        LogChange { mode: RefLog::AndReference, force_create_reflog: false, message: log.into() };
    Ok(RefEdit {
        change: Change::Update { log, expected, new: Target::Object(to.0) },
        name: name.try_into().doing(format!("use the ref name {name}"))?,
        deref: false,
    })
}

/// The one that a message names.
fn first<'r>(refs: &[RefFrom<'r>]) -> &'r str {
    refs.first().map_or("", |(name, _)| name)
}

fn moved(name: &str) -> Error {
    Error::new(ErrorKind::Moved, format!("{name} changed meanwhile"))
}

fn direct(name: &str, target: &gix::refs::TargetRef) -> Result<Option<Oid>> {
    match target.try_id() {
        Some(id) => Ok(Some(Oid(id.to_owned()))),
        None => Err(Error::new(
            ErrorKind::Unsupported,
            format!("{name} is a symbolic ref, so the log would be written somewhere else"),
        )
        .help(DOCTOR)),
    }
}
