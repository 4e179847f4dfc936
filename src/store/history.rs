//! The history of a log: each of its commits, with the lines that it added and removed.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::Error;
use crate::{
    entry::{Body, Event, Text, lines_of, sha256_hex},
    git::{Note, Oid, Repo},
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
    /// SHA-256 of the line.
    pub digest: String,
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
    pub prev: Option<String>,
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
        let repo = &repo.remembering();
        let (mut ids, mut is_cut) = (vec![(tip, repo.parents(tip)?)], false);
        while let Some(&parent) = ids.last().and_then(|(_, parents)| parents.first()) {
            if !repo.has_object(parent) {
                is_cut = true;
                break;
            }
            ids.push((parent, repo.parents(parent)?));
        }
        let mut commits = Vec::with_capacity(ids.len());
        let mut before = None;
        for (id, parents) in ids.into_iter().rev() {
            let (removed, added) = match before {
                Some(before) => repo.notes_changed(before, id)?,
                None => (Vec::new(), repo.notes(id)?),
            };
            let (old, unread_old) = texts(repo, &removed);
            let (new, unread) = texts(repo, &added);
            let [old, new] = [&old, &new].map(lines_in);
            let mut lines: Vec<(Oid, &[u8])> = new.difference(&old).copied().collect();
            lines.sort_unstable();
            let added = lines.into_iter();
            let added = added.map(|(anchor, line)| LogLine::of(anchor, line));
            commits.push(LogCommit {
                id,
                time: repo.commit_time(id).ok(),
                parents: parents.len(),
                removed: old.difference(&new).count(),
                unread: unread + unread_old,
                added: added.collect(),
            });
            before = Some(id);
        }
        Ok(Self {
            name: name.to_owned(),
            commits,
            is_cut,
        })
    }

    /// The first commit, which identifies the log.
    pub fn root(&self) -> Option<Oid> {
        self.commits.first().map(|commit| commit.id)
    }

    pub fn lines(&self) -> impl Iterator<Item = &LogLine> {
        self.commits.iter().flat_map(|commit| &commit.added)
    }
}

type Texts = HashMap<Oid, Vec<u8>>;

/// The texts of notes by their commit, and the number of those that could not be read.
fn texts(repo: &Repo, notes: &[Note]) -> (Texts, usize) {
    let blobs: Vec<Oid> = notes.iter().map(|note| note.blob).collect();
    let (mut texts, mut unread) = (Texts::new(), 0);
    for (note, text) in notes.iter().zip(repo.blobs(&blobs)) {
        match text {
            Some(text) => texts.entry(note.anchor).or_default().extend(text),
            None => unread += 1,
        }
    }
    (texts, unread)
}

fn lines_in(texts: &Texts) -> HashSet<(Oid, &[u8])> {
    let texts = texts.iter();
    texts
        .flat_map(|(anchor, text)| lines_of(text).map(|line| (*anchor, line)))
        .collect()
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
                prev: envelope.prev.map(Text::into_owned),
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
        Self {
            anchor,
            digest: sha256_hex(line),
            entry,
        }
    }
}
