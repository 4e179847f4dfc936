//! Finds the lines of the log that the history of a tip lacks.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::{
    entry::{Trace, lines_of, trace},
    git::{self, History, Oid, Repo},
    store::{Annotation, Log},
};

/// A commit outside a history, with those of its lines that no commit of the history has.
#[derive(Debug)]
pub struct Stray<'l> {
    pub anchor: Oid,
    pub lines: Vec<StrayLine<'l>>,
}

/// A line that no commit of a history has.
#[derive(Debug)]
pub struct StrayLine<'l> {
    pub text: &'l [u8],
    pub trace: Trace<'l>,
    /// True if no branch contains a commit with this line.
    pub orphaned: bool,
}

impl<'l> Stray<'l> {
    /// A commit as if a line had been written on it.
    pub fn made_at(repo: &Repo, anchor: Oid, branch: Option<&str>) -> Option<Self> {
        let trace = Trace {
            time: repo.commit_time(anchor).ok().map(Timestamp::as_second),
            commit: anchor.to_string().into(),
            head: repo.commit_details(anchor, branch).ok()?,
            ..Trace::default()
        };
        Some(Self { anchor, lines: vec![StrayLine { text: b"", trace, orphaned: true }] })
    }

    pub(super) fn traces(&self) -> impl Iterator<Item = &Trace<'l>> {
        self.lines.iter().map(|line| &line.trace)
    }
}

pub fn strays<'l>(repo: &Repo, log: &'l Log, history: &History) -> git::Result<Vec<Stray<'l>>> {
    let on_branches = repo.on_branches(history)?;
    let (inside, outside): (Vec<&Annotation>, Vec<&Annotation>) =
        log.annotations.iter().partition(|note| history.find(note.anchor).is_some());
    let mut anchors: HashMap<&[u8], Vec<Oid>> = HashMap::new();
    for note in &outside {
        for line in lines_of(&note.text) {
            anchors.entry(line).or_default().push(note.anchor);
        }
    }
    for line in inside.iter().flat_map(|note| lines_of(&note.text)) {
        anchors.remove(line);
    }
    let stray_line = |text| {
        let anchors = anchors.get(text)?;
        Some(StrayLine {
            text,
            trace: trace(text),
            orphaned: !anchors.iter().any(|anchor| on_branches.contains(anchor)),
        })
    };
    Ok(outside
        .into_iter()
        .map(|note| Stray {
            anchor: note.anchor,
            lines: lines_of(&note.text).filter_map(stray_line).collect(),
        })
        .filter(|stray| !stray.lines.is_empty())
        .collect())
}
