//! Reads commits as git does: an author, a committer or a time that can't be read leaves the commit a commit.

use std::{cell::RefCell, io::Write as _};

use gix::{
    actor::SignatureRef,
    objs::{CommitRefIter, Data, Find, Kind},
    shallow,
};
use jiff::Timestamp;

/// The author or the committer of a commit; `None` if that line is absent or can't be read.
pub(super) fn signature<'c>(commit: &'c [u8], field: &str) -> Option<SignatureRef<'c>> {
    let line =
        headers(commit).find_map(|line| line.strip_prefix(field.as_bytes())?.strip_prefix(b" "))?;
    SignatureRef::from_bytes(line).ok().map(|by| by.trim())
}

fn headers(commit: &[u8]) -> impl Iterator<Item = &[u8]> {
    commit.split(|&byte| byte == b'\n').take_while(|line| !line.is_empty())
}

/// In seconds since 1970. As in git, a zone does not count, and a time that can't be read is 0.
pub(super) fn seconds(by: Option<SignatureRef<'_>>) -> i64 {
    by.map_or(0, |by| by.seconds()).clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second())
}

pub(super) fn timestamp(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}

/// The objects for a walk of gix, which fails at a commit whose author or committer can't be read.
pub(super) struct Commits<'r> {
    pub objects: &'r gix::OdbHandle,
    /// Commits whose parents are left out.
    pub cut_at: Option<shallow::Commits>,
    pub buffer: RefCell<Vec<u8>>,
}

impl Find for Commits<'_> {
    fn try_find<'a>(
        &self,
        id: &gix::hash::oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::Result<Option<Data<'a>>> {
        let mut stored = self.buffer.borrow_mut();
        let Some(Data { kind, object_hash, data }) = self.objects.try_find(id, &mut stored)? else {
            return Ok(None);
        };
        buffer.clear();
        let is_cut =
            self.cut_at.as_ref().is_some_and(|cut| cut.binary_search(&id.to_owned()).is_ok());
        let is_odd = || CommitRefIter::from_bytes(data, id.kind()).committer().is_err();
        if kind == Kind::Commit && (is_cut || is_odd()) {
            let is_link = |line: &&[u8]| {
                line.starts_with(b"tree ") || line.starts_with(b"parent ") && !is_cut
            };
            for line in headers(data).filter(is_link) {
                buffer.extend(line);
                buffer.push(b'\n');
            }
            let time = seconds(signature(data, "committer"));
            let _ = write!(buffer, "author A <> {time} +0000\ncommitter A <> {time} +0000\n\n");
        } else {
            buffer.extend(data);
        }
        Ok(Some(Data::new(buffer, kind, object_hash)))
    }
}
