//! Lines that an import of an original log adds: those that the log has not yet, each with its commit.

use std::collections::HashMap;

use super::Error;
use crate::{
    entry::{Event, Imported, ImportedFile, Line, Ts, import_file, leak_in, lines_of},
    git::{DEEPEN, History, Node, Oid, Repo},
    store::{Log, LogTips},
};

/// Possible secrets that are named at most.
const LEAKS: usize = 20;

/// Digits of a commit id that are too few to name it.
const SHORTEST: usize = 7;

pub struct Import {
    pub additions: Vec<(Oid, Line)>,
    /// Number of lines that the log has already.
    pub known: usize,
    /// Number of added lines that name a commit outside this history.
    pub elsewhere: usize,
    pub other_kinds: usize,
    pub bad: usize,
    /// Number of added lines with reserved keys, which were left out.
    pub stripped: usize,
    pub leaks: Vec<String>,
}

impl Import {
    pub fn plan(
        repo: &Repo,
        tip: Oid,
        bytes: &[u8],
        mut lines: ImportedFile,
        now: &Ts,
    ) -> Result<Self, Error> {
        let history = repo.walk(tip)?;
        if !history.cut_at().is_empty() {
            let why = "the history is cut off here, and lines may name older commits; nothing was written";
            return Err(Error::refused(why, DEEPEN));
        }
        let log = Log::read(repo, &LogTips::read(repo)?)?;
        let known = known_files(&log);
        let all = lines.lines.len();
        // Lines that were added to a file since it was imported follow the known ones, unless these have other numbers now.
        let newest = lines.lines.iter().rev().find_map(|line| Some((known.get(&line.id)?, line)));
        if let Some(((file, _), _)) = newest.filter(|((_, number), line)| *number == line.number) {
            lines = import_file(bytes, file, now);
        }
        // A line that was purged does not come back.
        let purged = log.redacted(lines.lines.iter().map(|line| line.line.as_bytes()));
        let mut fresh = lines.lines;
        fresh.retain(|Imported { id, line, .. }| {
            !known.contains_key(id) && !purged.contains(line.as_bytes())
        });
        let stripped = fresh.iter().filter(|line| line.is_stripped).count();
        let leaks = leaks(&fresh);
        let (additions, elsewhere) = attach(fresh.into_iter(), &history);
        Ok(Self {
            known: all - additions.len(),
            additions,
            elsewhere,
            other_kinds: lines.other_kinds,
            bad: lines.bad.len(),
            stripped,
            leaks,
        })
    }
}

/// Names possible secrets; imported lines are never refused for them, because they are history.
fn leaks(lines: &[Imported]) -> Vec<String> {
    lines
        .iter()
        .filter_map(|line| {
            let (id, leak) = (&line.id, leak_in(line.line.as_bytes())?);
            Some(format!("{leak}; `git sq redact {id} --because 'it held a secret'` hides it"))
        })
        .take(LEAKS)
        .collect()
}

/// By id, the file of each entry and its line there.
fn known_files(log: &Log) -> HashMap<String, (String, u64)> {
    log.annotations
        .iter()
        .map(|annotation| &annotation.text)
        .flat_map(|text| lines_of(text))
        .filter_map(|line| Event::parse(line).ok())
        .map(|Event { envelope, .. }| {
            let origin = envelope.origin.map(|origin| (origin.file.into_owned(), origin.line));
            (envelope.id.into_owned(), origin.unwrap_or_default())
        })
        .collect()
}

/// The commit of each line, and the number of lines that name a commit outside this history.
fn attach(lines: impl Iterator<Item = Imported>, history: &History) -> (Vec<(Oid, Line)>, usize) {
    let mut ids: Vec<Oid> = history.nodes().map(|node| history.id(node)).collect();
    ids.sort_unstable();
    let mut elsewhere = 0;
    let additions = lines.map(|line| {
        let named = named_commit(&ids, &line.head);
        elsewhere += usize::from(named.is_none());
        let anchor = named.unwrap_or_else(|| newest_before(history, &line.ts));
        (anchor, line.line)
    });
    (additions.collect(), elsewhere)
}

/// The only one of the sorted `ids` that begins with `head`; `None` if there are several, or `head` is too short.
fn named_commit(ids: &[Oid], head: &str) -> Option<Oid> {
    if head.len() < SHORTEST {
        return None;
    }
    let first = ids.partition_point(|id| id.to_string().as_str() < head);
    let mut named = ids[first..].iter().take_while(|id| id.to_string().starts_with(head));
    match (named.next(), named.next()) {
        (Some(&id), None) => Some(id),
        _ => None,
    }
}

fn newest_before(history: &History, ts: &Ts) -> Oid {
    let time = ts.timestamp().as_second();
    let by_time = |node: &Node| (history.time(*node), history.id(*node));
    let node = history
        .nodes()
        .filter(|&node| history.time(node) <= time)
        .max_by_key(by_time)
        .or_else(|| history.nodes().min_by_key(by_time));
    node.map_or_else(|| unreachable!("a tip contains itself"), |node| history.id(node))
}
