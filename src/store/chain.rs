//! The chain of this clone's writer: each line has the next number and the digest of the line before.
//!
//! Where it stands is said by a trailer of the notes commit that brought the last line, so that it moves with the line
//! or not at all.

use std::{collections::BTreeMap, iter};

use super::{
    Error,
    local::{LocalState, begin_writing, renew_clone_id},
};
use crate::{
    entry::{Draft, Event, Line, Link, Seen, lines_of, sha256_hex},
    git::{self, Oid, Repo},
};

const TRAILER: &str = "Sq-Chain:";

/// How many notes commits of others are passed over to find one of this clone's writer.
const BACK: usize = 100;

/// A writer, and how many lines it has written.
type Count = (String, u64);

/// Where a writer stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    writer: String,
    /// The number of its last line, 0 before the first.
    n: u64,
    /// The digest of that line.
    digest: Option<String>,
}

impl Chain {
    /// The chain that the local ref at `local` goes on with; None where nothing was written yet or the trailer was lost.
    pub fn known(repo: &Repo, local: Option<Oid>) -> Result<Option<Self>, Error> {
        let LocalState {
            writer,
            has_written,
            ..
        } = LocalState::read(repo)?;
        Ok(match (writer.filter(|_| has_written), local) {
            (Some(writer), Some(tip)) => Self::find(repo, tip, &writer)?,
            _ => None,
        })
    }

    /// The chain that a new line on the local ref at `local` belongs to. A writer whose last line can't be told is
    /// replaced by a new one: it never gets a second chain.
    ///
    /// `fresh` is the writer that this process began before, while others moved the ref.
    pub fn to_write(
        repo: &Repo,
        local: Option<Oid>,
        fresh: &mut Option<String>,
    ) -> Result<Self, Error> {
        loop {
            let (writer, has_written) = begin_writing(repo)?;
            let found = match local {
                Some(tip) => Self::find(repo, tip, &writer)?,
                None => None,
            };
            if let Some(chain) = found {
                return Ok(chain);
            }
            if !has_written || fresh.as_ref() == Some(&writer) {
                *fresh = Some(writer.clone());
                return Ok(Self {
                    writer,
                    n: 0,
                    digest: None,
                });
            }
            renew_clone_id(repo, &writer)?;
        }
    }

    /// What the tip says: all our notes commits say where the writer stands, and one that plain git put there may have
    /// been built upon an older one, without the last line.
    fn find(repo: &Repo, tip: Oid, writer: &str) -> Result<Option<Self>, Error> {
        let stand = Self::parse(&repo.message(tip)?);
        Ok(stand.filter(|chain| chain.writer == writer))
    }

    /// Notes commits up to which this clone wrote: the newest one, and as long as its writer is young the last one of the
    /// writer before it, which ended where plain git took a line away; and how many lines the newest writer has written.
    pub fn last(repo: &Repo, local: Oid) -> Result<(Vec<Oid>, Option<Count>), Error> {
        let LocalState {
            writer,
            has_written,
            ..
        } = LocalState::read(repo)?;
        let Some(writer) = writer.filter(|_| has_written) else {
            return Ok((Vec::new(), None));
        };
        let (mut own, mut before) = (None, None);
        let parent = |commit: &Oid| repo.first_parent(*commit).ok().flatten();
        for commit in iter::successors(Some(local), parent).take(BACK) {
            // What can't be read says nothing, and is told elsewhere.
            let message = repo.message(commit).unwrap_or_default();
            let Some(chain) = Self::parse(&message) else {
                continue;
            };
            if chain.writer != writer {
                before = Some(commit);
            } else if own.is_none() {
                own = Some((commit, chain.n));
            }
            if before.is_some() || chain.n >= BACK as u64 {
                break;
            }
        }
        let states = own.iter().map(|(commit, _)| *commit).chain(before);
        Ok((states.collect(), own.map(|(_, n)| (writer, n))))
    }

    fn parse(message: &str) -> Option<Self> {
        let last = message.trim_end().lines().next_back()?;
        let mut words = last.strip_prefix(TRAILER)?.split_whitespace();
        Some(Self {
            writer: words.next()?.to_owned(),
            n: words.next()?.parse().ok().filter(|n| *n < u64::MAX)?,
            digest: Some(words.next()?.to_owned()),
        })
    }

    /// Takes a new writer for this clone in place of this one.
    pub fn give_up(&self, repo: &Repo) -> Result<(), Error> {
        renew_clone_id(repo, &self.writer).map(drop)
    }

    /// A commit message with the trailer.
    pub fn sign(&self, message: &str) -> String {
        match &self.digest {
            Some(digest) => {
                let (writer, n) = (&self.writer, self.n);
                format!("{message}\n\n{TRAILER} {writer} {n} {digest}")
            }
            None => message.to_owned(),
        }
    }

    /// The lines of new entries, in this order.
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
            let line = draft.line(&place)?;
            (self.n, self.digest) = (place.n, Some(sha256_hex(line.as_bytes())));
            lines.push((*anchor, line));
        }
        Ok(lines)
    }

    /// Whether fetched texts show that another clone writes under this name: they have a number that was not given yet at
    /// `local`, or that another line has there.
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
            for blob in reader.get(*anchor)? {
                let here = repo.blob(blob)?;
                let here = self.own(&here);
                own.retain(|line| !here.contains(line));
            }
            strange.extend(own);
        }
        if strange.is_empty() || strange.iter().any(|(n, _)| *n > self.n) {
            return Ok(!strange.is_empty());
        }
        // Most likely copies of our lines that somebody carried to other commits.
        let blobs: Vec<Oid> = repo.notes(local)?.iter().map(|note| note.blob).collect();
        let texts = repo.blobs(&blobs);
        let mut here = texts.iter().flatten().flat_map(|text| self.own(text));
        Ok(here.any(|(n, line)| {
            let mut same_number = strange.iter().filter(|(number, _)| *number == n);
            same_number.any(|(_, other)| *other != line)
        }))
    }

    /// The lines of a text that this writer wrote, with their numbers.
    fn own<'t>(&self, text: &'t [u8]) -> Vec<(u64, &'t [u8])> {
        let names_it = |line: &[u8]| str::from_utf8(line).is_ok_and(|s| s.contains(&self.writer));
        let lines = lines_of(text).filter(|line| names_it(line));
        let own = lines.filter_map(|line| {
            let envelope = Event::parse(line).ok()?.envelope;
            let is_own = envelope.writer.as_deref() == Some(&self.writer);
            Some((envelope.n.filter(|_| is_own)?, line))
        });
        own.collect()
    }
}
