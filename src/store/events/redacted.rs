//! The texts of lines, and the replacements of redacted ones.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::{Events, Row, line::digest};
use crate::{
    entry::{Body, CLOSING_NOTE_MAX, Carried, Event, Kind, Text, clip, hide, lines_of, one_line},
    git::{Oid, Repo},
};

type Marks = HashMap<(u64, u64), HashMap<String, String>>;

/// Characters of the redactor's name at most.
const NAME: usize = 140;
/// How each line of this kind has it.
const REDACT: &[u8] = br#""kind":"redact""#;

/// A line whose redaction is there without it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Purged {
    /// The entry's id, and the first 16 digits of the line's digest.
    pub line: String,
    pub entry: String,
    /// The replacement of its text.
    pub mark: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Hidden {
    mark: String,
    /// The part of the body that the log keeps.
    body: String,
}

impl Events {
    /// The text of a line of another kind than `rederive`, without redacted text; the reason if the line can't be read.
    pub fn body(&self, row: &Row) -> &str {
        let hidden = self.redacted.get(&row.digest);
        hidden.map_or_else(|| self.tables.text(row.body), |hidden| &hidden.body)
    }

    /// The bytes of lines from their notes, without redacted text; `None` if a note is missing by now.
    pub fn lines(&self, repo: &Repo, rows: &[&Row]) -> Vec<Option<Vec<u8>>> {
        let lines = rows.iter().zip(self.raw_lines(repo, rows));
        let shown = lines.map(|(row, line)| match self.redaction(row) {
            Some(mark) => line.map(|line| hide(&line, mark)),
            None => line,
        });
        shown.collect()
    }

    /// The answers that carried lines on these anchors mark, each as `QUESTION ENTRY`: as flagged, and as outdated there.
    pub fn marks(
        &self,
        mut is_inside: impl FnMut(u32) -> bool,
    ) -> (BTreeSet<String>, BTreeSet<(Oid, String)>) {
        let carried = self.rows.iter().filter(|row| row.is(Kind::Carry) && is_inside(row.anchor));
        let (mut all, mut there) = (BTreeSet::new(), BTreeSet::new());
        for row in carried {
            let event = Event::parse(self.tables.text(row.body).as_bytes());
            if let Ok(Event { body: Body::Carry(Carried { to, flagged, outdated, .. }), .. }) =
                event
            {
                let anchor = self.anchor(row.anchor);
                all.extend(flagged.into_iter().map(Text::into_owned));
                // It moved along, if the commit was rewritten again.
                let outdated = outdated.into_iter().filter(|_| *to == anchor.to_string());
                there.extend(outdated.map(|mark| (anchor, mark.into_owned())));
            }
        }
        (all, there)
    }

    pub fn has_redactions(&self) -> bool {
        !self.redacted.is_empty()
    }

    pub fn redaction(&self, row: &Row) -> Option<&str> {
        Some(self.redacted.get(&row.digest)?.mark.as_str())
    }

    /// Returns true if a redaction of a line stands on the same commit.
    pub fn is_redacted_there(&self, row: &Row) -> bool {
        self.redactions()
            .any(|(place, (entry, _))| place == (row.anchor, row.digest) && entry == self.id(row))
    }

    /// The commit, the digest that is named, and the id and replacement.
    fn redactions(&self) -> impl Iterator<Item = ((u32, (u64, u64)), (String, String))> {
        let rows = self.rows.iter().filter(|row| row.is(Kind::Redact));
        rows.filter_map(|row| {
            let (digest, entry, mark) = redaction(self.tables.text(row.body).as_bytes())?;
            Some(((row.anchor, digest), (entry, mark)))
        })
    }

    /// The lines whose redaction stands on a commit without them, and those of `withheld`, which a remote's log has so.
    pub fn purged(&self, withheld: &[(Oid, Vec<u8>)]) -> Vec<Purged> {
        let named: Vec<_> = self.redactions().collect();
        if named.is_empty() {
            return Vec::new();
        }
        let withheld: HashSet<_> =
            withheld.iter().map(|(anchor, line)| (*anchor, digest(line, true))).collect();
        let is_there = |row: &&Row| !withheld.contains(&(self.anchor(row.anchor), row.digest));
        let here: HashSet<_> =
            self.rows.iter().filter(is_there).map(|row| (row.anchor, row.digest)).collect();
        let purged = named.into_iter().filter(|(place, _)| !here.contains(place));
        let mut purged: Vec<Purged> = purged
            .map(|((_, digest), (entry, mark))| Purged {
                line: format!("{entry} {:016x}", digest.0),
                entry,
                mark,
            })
            .collect();
        purged.sort_unstable();
        purged.dedup_by(|one, other| one.line == other.line);
        purged
    }

    /// A redaction can't be redacted, and a line that names the id or digest of another one hides nothing.
    pub(super) fn find_redacted(&mut self) {
        self.redacted.clear();
        let lines = self.rows.iter().filter(|row| row.is(Kind::Redact));
        let marks = marks(lines.map(|row| self.tables.text(row.body).as_bytes()));
        if marks.is_empty() {
            return;
        }
        for row in self.rows.iter().filter(|row| row.kind != Kind::Redact) {
            let named = marks.get(&row.digest);
            if let Some(mark) = named.and_then(|ids| ids.get(self.tables.text(row.id))) {
                let body = hide(self.tables.text(row.body).as_bytes(), mark);
                let hidden = Hidden {
                    mark: mark.clone(),
                    body: String::from_utf8_lossy(&body).into_owned(),
                };
                self.redacted.insert(row.digest, hidden);
            }
        }
    }
}

/// The lines that a note with these texts lacks, apart from those whose redaction it has: else a line that was purged
/// would come back from any clone.
pub fn new_lines<'n>(
    here: &[Vec<u8>],
    others: impl Iterator<Item = &'n [u8]>,
) -> (Vec<&'n [u8]>, Vec<&'n [u8]>) {
    let known: HashSet<&[u8]> = here.iter().flat_map(|text| lines_of(text)).collect();
    let new: Vec<&[u8]> = others.flat_map(lines_of).filter(|line| !known.contains(line)).collect();
    let is_redaction = |line: &&&[u8]| line.windows(REDACT.len()).any(|part| part == REDACT);
    let redactions = known.iter().filter(|_| !new.is_empty()).filter(is_redaction);
    let marks = marks(redactions.copied());
    let is_redacted = |line: &&[u8]| {
        let ids = marks.get(&digest(line, true));
        ids.zip(Event::parse(line).ok()).is_some_and(|(ids, event)| {
            let is_redaction = matches!(event.body, Body::Redact(_));
            !is_redaction && ids.contains_key(&*event.envelope.id)
        })
    };
    new.into_iter().partition(|line| !is_redacted(line))
}

/// The redactions among lines. The first redaction of a line counts.
fn marks<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Marks {
    let mut marks = Marks::new();
    for (digest, id, mark) in lines.filter_map(redaction) {
        marks.entry(digest).or_default().entry(id).or_insert(mark);
    }
    marks
}

/// The digest, the id and the replacement that a redaction names. `None` if the line is not a redaction, or names no
/// clone as its writer.
/// A redaction that breaks its writer's chain counts: otherwise a planted line could bring the text back.
fn redaction(line: &[u8]) -> Option<((u64, u64), String, String)> {
    let Event { envelope, body } = Event::parse(line).ok()?;
    envelope.chained_writer()?;
    let Body::Redact(redacted) = body else {
        return None;
    };
    let half = |part: Option<&str>| u64::from_str_radix(part?, 16).ok();
    let (first, second) = (redacted.line.get(..16), redacted.line.get(16..32));
    let digest = (half(first)?, half(second)?);
    let by = envelope.by.map_or("an unknown person".into(), |by| by.name);
    let (by, because) = (clip(&one_line(&by), NAME), one_line(&redacted.because));
    let because = clip(&because, CLOSING_NOTE_MAX);
    Some((digest, redacted.entry, format!("redacted by {by}: {because}")))
}
