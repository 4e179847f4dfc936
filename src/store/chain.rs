//! The chain of this clone's writer: each line has the next number and the digest of the line before.
//! A trailer of the notes commit that added the last line records the position, so both move together or not at all.

use std::collections::BTreeMap;

use super::{
    Error, LogTips,
    local::{LocalState, begin_writing, renew_clone_id},
};
use crate::{
    entry::{Draft, Event, Line, Link, Seen, lines_of, sha256_hex},
    git::{self, Oid, Repo},
};

const TRAILER: &str = "Sq-Chain:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    writer: String,
    /// The number of its last line, 0 before the first.
    n: u64,
    digest: Option<String>,
}

impl Chain {
    /// The chain that the local ref continues; `None` if there is no line yet or the trailer was lost.
    pub fn known(repo: &Repo, tips: &LogTips) -> Result<Option<Self>, Error> {
        Ok(last_writer(repo)?.and_then(|writer| Self::find(repo, tips, &writer)))
    }

    /// The chain that a new line on the local ref belongs to. A writer whose last line is unknown is replaced by a new
    /// one: it never gets a second chain.
    /// `fresh` is the writer that this process began in an earlier attempt.
    pub fn to_write(
        repo: &Repo,
        tips: &LogTips,
        fresh: &mut Option<String>,
    ) -> Result<Self, Error> {
        loop {
            let (writer, has_written) = begin_writing(repo)?;
            if let Some(chain) = Self::find(repo, tips, &writer) {
                return Ok(chain);
            }
            if !has_written || fresh.as_ref() == Some(&writer) {
                *fresh = Some(writer.clone());
                return Ok(Self { writer, n: 0, digest: None });
            }
            renew_clone_id(repo, &writer)?;
        }
    }

    /// Reads the trailers of the tips only: every notes commit of this program has one, and a commit by plain git may be
    /// built on an older state, without the last line.
    fn find(repo: &Repo, tips: &LogTips, writer: &str) -> Option<Self> {
        tips.local
            .into_iter()
            .chain(tips.kept)
            // An unreadable commit has no position; it is reported elsewhere.
            .filter_map(|tip| Self::parse(&repo.message(tip).ok()?))
            .filter(|chain| chain.writer == writer)
            .max_by_key(|chain| chain.n)
    }

    fn parse(message: &str) -> Option<Self> {
        let mut words =
            message.trim_end().lines().next_back()?.strip_prefix(TRAILER)?.split_whitespace();
        Some(Self {
            writer: words.next()?.to_owned(),
            n: words.next()?.parse().ok().filter(|n| *n < u64::MAX)?,
            digest: Some(words.next()?.to_owned()),
        })
    }

    pub fn give_up(&self, repo: &Repo) -> Result<(), Error> {
        renew_clone_id(repo, &self.writer).map(drop)
    }

    pub fn sign(&self, message: &str) -> String {
        match &self.digest {
            Some(digest) => {
                let (writer, n) = (&self.writer, self.n);
                format!("{message}\n\n{TRAILER} {writer} {n} {digest}")
            }
            None => message.to_owned(),
        }
    }

    /// Makes the lines of new entries, in this order.
    pub fn extend(
        &mut self,
        drafts: &[(Oid, Draft)],
        seen: Option<&Seen<'static>>,
    ) -> Result<Vec<(Oid, Line)>, Error> {
        let mut lines = Vec::with_capacity(drafts.len());
        for (anchor, draft) in drafts {
            let place = Link {
                writer: self.writer.clone(),
                n: self.n + 1,
                prev: self.digest.take(),
                seen: seen.cloned(),
            };
            let line = draft
                .line(&place)
                .map_err(|error| Error::refused(error.to_string(), "shorten it"))?;
            (self.n, self.digest) = (place.n, Some(sha256_hex(line.as_bytes())));
            lines.push((*anchor, line));
        }
        Ok(lines)
    }

    /// Returns true if fetched texts show that another clone writes under this name: they have a number that is unused
    /// at `local`, or that belongs to another line there.
    pub fn is_contradicted(
        &self,
        repo: &Repo,
        local: Oid,
        fetched: &BTreeMap<Oid, Vec<Vec<u8>>>,
    ) -> git::Result<bool> {
        let mut reader = repo.notes_reader(local)?;
        let mut strange = Vec::new();
        for (anchor, texts) in fetched {
            let mut own: Vec<_> = texts.iter().flat_map(|text| self.own(text)).collect();
            if own.is_empty() {
                continue;
            }
            for here in reader.texts(*anchor)? {
                let here = self.own(&here);
                own.retain(|line| !here.contains(line));
            }
            strange.extend(own);
        }
        if strange.is_empty() || strange.iter().any(|(n, _)| *n > self.n) {
            return Ok(!strange.is_empty());
        }
        // Most likely copies of own lines, carried to other commits.
        let texts = repo.texts(&repo.notes(local)?);
        Ok(texts.iter().flatten().flat_map(|text| self.own(text)).any(|(n, line)| {
            strange.iter().filter(|(number, _)| *number == n).any(|(_, other)| *other != line)
        }))
    }

    fn own<'t>(&self, text: &'t [u8]) -> Vec<(u64, &'t [u8])> {
        let names_it = |line: &[u8]| str::from_utf8(line).is_ok_and(|s| s.contains(&self.writer));
        lines_of(text)
            .filter(|line| names_it(line))
            .filter_map(|line| {
                let envelope = Event::parse(line).ok()?.envelope;
                let is_own = envelope.writer.as_deref() == Some(&self.writer);
                Some((envelope.n.filter(|_| is_own)?, line))
            })
            .collect()
    }
}

/// The writer of this clone, if it may have written.
pub fn last_writer(repo: &Repo) -> Result<Option<String>, Error> {
    let state = LocalState::read(repo)?;
    Ok(state.writer.filter(|_| state.has_written))
}
