//! The history of a log: each of its commits, with the lines that it added and removed.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;

use super::Error;
use crate::{
    entry::{Body, Event, Sum, from_hex, lines_of, sha256},
    git::{Note, Oid, Repo, in_shares},
};

#[derive(Debug)]
pub struct LogHistory {
    /// The ref that it was read from.
    pub name: String,
    /// Oldest first.
    pub commits: Vec<LogCommit>,
    /// True if the parent of the oldest one is missing.
    pub is_cut: bool,
}

#[derive(Debug)]
pub struct LogCommit {
    pub id: Oid,
    /// `None` if it can't be read.
    pub time: Option<Timestamp>,
    pub parents: usize,
    /// Sorted by the commit that they are on, then by their bytes.
    pub added: Vec<LogLine>,
    pub removed: usize,
    /// Notes that could not be read.
    pub unread: usize,
}

#[derive(Debug)]
pub struct LogLine {
    pub anchor: Oid,
    /// The digest of the line.
    pub digest: Sum,
    /// `None` for text that is no entry.
    pub entry: Option<LogEntry>,
}

#[derive(Debug)]
pub struct LogEntry {
    pub id: String,
    pub at: Timestamp,
    /// The clone that wrote it, and its number there.
    pub place: Option<(String, u64)>,
    /// The digest of the line before.
    pub prev: Option<Sum>,
    /// The first commit of the log that the clone knew, and its newest.
    pub seen: Option<(Oid, Oid)>,
    pub head: Option<Oid>,
    pub sid: String,
    pub email: Option<String>,
    pub is_agents: bool,
    /// For the end of a session, its start.
    pub since: Option<Timestamp>,
}

impl LogHistory {
    /// Along first parents. The cost is that of the differences between the commits.
    pub fn read(repo: &Repo, name: &str, tip: Oid) -> Result<Self, Error> {
        let (mut ids, mut is_cut) = (vec![(tip, repo.parents(tip)?)], false);
        while let Some(&parent) = ids.last().and_then(|(_, parents)| parents.first()) {
            if !repo.has_object(parent) {
                is_cut = true;
                break;
            }
            ids.push((parent, repo.parents(parent)?));
        }
        let last = ids.len() - 1;
        let steps = ids.iter().enumerate().map(|(place, (id, parents))| {
            (parents.first().filter(|_| place < last).copied(), *id, parents.len())
        });
        let steps: Vec<_> = steps.rev().collect();
        let read = |repo: Repo, share: &[(_, _, _)]| -> Vec<Result<LogCommit, Error>> {
            share.iter().map(|step| LogCommit::read(&repo, step.0, step.1, step.2)).collect()
        };
        let commits = in_shares(&steps, 1, || repo.remembering(), read).into_iter().flatten();
        Ok(Self { name: name.to_owned(), commits: commits.collect::<Result<_, _>>()?, is_cut })
    }

    /// The first commit, which identifies the log.
    pub fn root(&self) -> Option<Oid> {
        self.commits.first().map(|commit| commit.id)
    }

    pub fn lines(&self) -> impl Iterator<Item = &LogLine> {
        self.commits.iter().flat_map(|commit| &commit.added)
    }

    pub fn entries(&self) -> impl Iterator<Item = &LogEntry> {
        self.lines().filter_map(|line| line.entry.as_ref())
    }
}

impl LogCommit {
    /// `before` is the parent, unless that is missing or there is none.
    fn read(repo: &Repo, before: Option<Oid>, id: Oid, parents: usize) -> Result<Self, Error> {
        let (removed, added) = match before {
            Some(before) => repo.notes_changed(before, id)?,
            None => (Vec::new(), repo.notes(id)?),
        };
        let (old, unread_old) = texts(repo, &removed);
        let (new, unread) = texts(repo, &added);
        let mut added = Vec::new();
        for (anchor, text) in &new {
            let mut lines = lines_beyond(text, old.get(anchor));
            lines.sort_unstable();
            added.extend(lines.into_iter().map(|line| LogLine::of(*anchor, line)));
        }
        let gone = old.iter().map(|(anchor, text)| lines_beyond(text, new.get(anchor)).len());
        Ok(Self {
            id,
            time: repo.readable_time(id),
            parents,
            removed: gone.sum(),
            unread: unread + unread_old,
            added,
        })
    }
}

type Texts = BTreeMap<Oid, Vec<u8>>;

/// The texts of notes by their commit, and the number of those that could not be read.
fn texts(repo: &Repo, notes: &[Note]) -> (Texts, usize) {
    let (mut texts, mut unread) = (Texts::new(), 0);
    for (note, text) in notes.iter().zip(repo.texts(notes)) {
        match text {
            Some(text) => texts.entry(note.anchor).or_default().extend(text),
            None => unread += 1,
        }
    }
    (texts, unread)
}

/// Each line of a text that the other one lacks, once.
fn lines_beyond<'t>(text: &'t [u8], other: Option<&Vec<u8>>) -> Vec<&'t [u8]> {
    let mut known: HashSet<&[u8]> = other.into_iter().flat_map(|text| lines_of(text)).collect();
    lines_of(text).filter(|line| known.insert(line)).collect()
}

impl LogLine {
    fn of(anchor: Oid, line: &[u8]) -> Self {
        let entry = Event::parse(line).ok().map(|event| {
            let envelope = event.envelope;
            let place = envelope.chained_writer().map(str::to_owned).zip(envelope.n);
            LogEntry {
                place,
                id: envelope.id.into_owned(),
                at: envelope.ts.timestamp(),
                prev: envelope.prev.and_then(|prev| from_hex(&prev)),
                seen: envelope
                    .seen
                    .and_then(|seen| Some((seen.root.parse().ok()?, seen.tip.parse().ok()?))),
                head: envelope.repo_head_sha.parse().ok(),
                sid: envelope.sid.into_owned(),
                email: envelope.by.map(|by| by.email),
                is_agents: envelope.agent.is_some(),
                since: match event.body {
                    Body::Session(end) => Some(end.started.timestamp()),
                    _ => None,
                },
            }
        });
        Self { anchor, digest: sha256(line), entry }
    }
}
