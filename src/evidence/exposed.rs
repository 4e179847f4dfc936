use std::{
    collections::HashSet,
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use regex::bytes::Regex;

use crate::{
    entry::CitedLines,
    git::{Changes, Oid, Pathspecs, Repo, Result},
    question::lines_pattern,
    timeline::Watch,
};

/// The first thing that an answer depends on and that changed since it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exposure {
    /// A watched file, or one of its lines that matter, as `path` or `path:line`.
    Watched(String),
    /// A line that matters went, at this place before, and none came.
    Gone(String),
    /// A cited block that no longer stands.
    Cited(CitedLines),
    /// The answer of the question's probe.
    Probe,
    /// What it depends on, when it was carried to another commit.
    Carried,
}

impl Exposure {
    /// In words, with the commit of the answer, or words for it.
    pub fn since(&self, answered: impl fmt::Display) -> String {
        match self {
            Self::Carried => self.to_string(),
            _ => format!("{self} since {answered}"),
        }
    }
}

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Watched(place) | Self::Gone(place) => write!(f, "{place} changed"),
            Self::Cited(cite) => write!(f, "{cite}, which was cited, changed"),
            Self::Probe => write!(f, "the answer of its probe changed"),
            Self::Carried => write!(f, "what it depends on changed as it was carried"),
        }
    }
}

/// With a pattern, only added or removed matching lines count; moved or indented ones do not.
pub fn is_exposed(repo: &Repo, changes: &Changes, watch: &Watch) -> Result<bool> {
    Ok(exposed_by(repo, changes, watch)?.is_some())
}

/// As [`is_exposed`]: the first changed file or line.
pub fn exposed_by(repo: &Repo, changes: &Changes, watch: &Watch) -> Result<Option<Exposure>> {
    let mut specs = Pathspecs::parse(&watch.pathspecs)?;
    let mut matching = changes.matching(&mut specs);
    let Some(pattern) = watch.lines.and_then(|lines| lines_pattern(lines).ok()) else {
        return Ok(matching.next().map(|(path, _)| Exposure::Watched(path.clone())));
    };
    let files: Vec<_> = matching.collect();
    let blobs: Vec<Oid> = files.iter().flat_map(|(_, both)| *both).flatten().collect();
    repo.bring(&blobs);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (path, [old, new]) in &files {
        collect(repo, path, *old, &pattern, &mut before)?;
        collect(repo, path, *new, &pattern, &mut after)?;
    }
    before.sort_unstable();
    after.sort_unstable();
    let came = unmatched(&after, &before).map(|line| {
        // Of several equal lines, one came between other lines.
        let known: HashSet<u64> = before.iter().map(|line| line.near).collect();
        let mut equal = after.iter().filter(|other| other.text == line.text);
        Exposure::Watched(equal.find(|other| !known.contains(&other.near)).unwrap_or(line).place())
    });
    let went = || Some(Exposure::Gone(unmatched(&before, &after)?.place()));
    Ok(came.or_else(went))
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Line<'p> {
    text: Vec<u8>,
    path: &'p str,
    number: usize,
    /// The digest of the line with those before and after it.
    near: u64,
}

impl Line<'_> {
    fn place(&self) -> String {
        format!("{}:{}", self.path, self.number)
    }
}

fn unmatched<'l, 'p>(lines: &'l [Line<'p>], others: &[Line]) -> Option<&'l Line<'p>> {
    let mut others = others.iter().peekable();
    lines.iter().find(|line| {
        while others.next_if(|other| other.text < line.text).is_some() {}
        others.next_if(|other| other.text == line.text).is_none()
    })
}

fn collect<'p>(
    repo: &Repo,
    path: &'p str,
    blob: Option<Oid>,
    pattern: &Regex,
    lines: &mut Vec<Line<'p>>,
) -> Result<()> {
    if let Some(blob) = blob {
        let bytes = repo.blob(blob)?;
        let all: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        let matching = (0..all.len()).filter(|&at| pattern.is_match(all[at]));
        lines.extend(matching.map(|at| {
            let mut near = DefaultHasher::new();
            all[at.saturating_sub(1)..all.len().min(at + 2)].hash(&mut near);
            Line { text: all[at].trim_ascii().to_vec(), path, number: at + 1, near: near.finish() }
        }));
    }
    Ok(())
}
