//! The questions that depend on a file or on lines of it, and the entries that cite it.

use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;

use super::{Error, Project, all_rows};
use crate::{
    entry::{Citation, CitedLines, Event, value_text},
    evidence::{CitedRow, Cites},
    git::{CitedFate, ErrorKind, Pathspecs, Pinned, Repo},
    question::{Question, lines_pattern},
    session::{Ledger, TensionState, last_rows},
    timeline::Timeline,
};

const STATES: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rest {
    pub kind: RestKind,
    pub name: String,
    pub text: String,
    /// Null for a question.
    pub sid: Option<String>,
    /// Null for a question.
    pub ts: Option<String>,
    pub cited: Option<CitedRow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RestKind {
    Watch,
    Probe,
    Answer,
    State,
    Tension,
}

pub struct Place {
    /// From the root of the repository.
    pub path: String,
    pub lines: Option<[u32; 2]>,
}

impl Place {
    /// Resolves `path` relative to the folder `dir`; fails if it is outside the worktree.
    pub fn from(
        repo: &Repo,
        dir: &Path,
        path: &str,
        lines: Option<[u32; 2]>,
    ) -> Result<Self, Error> {
        let outside = || Error::new(ErrorKind::Other, format!("{path} is outside the repository"));
        let root = repo.worktree().and_then(|root| root.canonicalize().ok());
        let dir = dir.canonicalize().ok();
        let inside = dir
            .zip(root.clone())
            .and_then(|(dir, root)| Some(dir.strip_prefix(root).ok()?.to_owned()));
        // Parent folders may be links, like /tmp on some systems.
        let given = Path::new(path);
        let folder = given.parent().and_then(|folder| folder.canonicalize().ok());
        let real = folder
            .zip(given.file_name())
            .map_or_else(|| given.to_owned(), |(folder, name)| folder.join(name));
        let (mut found, relative) = match &root {
            Some(root) if given.is_absolute() => {
                let inside = real.strip_prefix(root);
                (PathBuf::new(), inside.map_err(|_| outside())?)
            }
            _ => (inside.unwrap_or_default(), given),
        };
        for part in relative.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => found.push(name),
                Component::ParentDir if found.pop() => {}
                _ => return Err(outside()),
            }
        }
        let parts = found.iter().map(|part| part.to_string_lossy());
        Ok(Self { path: parts.collect::<Vec<_>>().join("/"), lines })
    }

    fn has(&self, path: &str) -> bool {
        let below = path.strip_prefix(&self.path);
        self.path.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns true if a citation is of this place; if the cited lines are gone, any line of that file matches.
    fn is_cited(&self, citation: &Citation, now: &CitedRow) -> bool {
        let Citation::Lines(CitedLines { path, lines, .. }) = citation else {
            return false;
        };
        let [from, to] = match now.line {
            Some(line) => [line, line + lines[1].saturating_sub(lines[0])],
            None => *lines,
        };
        let is_gone = now.fate != Some(CitedFate::Stands);
        self.has(path)
            && self.lines.is_none_or(|[first, last]| is_gone || (from <= last && first <= to))
    }
}

impl Project {
    /// Questions first, then the latest answers, the last states and open tensions.
    pub fn why(
        &self,
        timeline: &Timeline,
        place: &Place,
        now: Timestamp,
    ) -> Result<Vec<Rest>, Error> {
        let events = &timeline.events;
        let looked = Cites::new(&self.repo, self.tip, |id| events.has_id(id));
        let mut rests = Vec::new();
        for question in timeline.questions.active() {
            rests.extend(self.depends(question, place)?);
        }
        let cited = |citations: &[Citation]| {
            citations
                .iter()
                .map(|cite| (cite, looked.look_up(cite)))
                .filter(|(cite, now)| place.is_cited(cite, now))
                .map(|(_, now)| now)
                .collect::<Vec<_>>()
        };
        self.answers(timeline, &cited, &mut rests);
        let contained = |commits: &[_]| self.repo.contained(self.tip, commits);
        for (row, _) in last_rows(all_rows(events), None, STATES, contained) {
            for of in &row.state.cites {
                let found = cited(std::slice::from_ref(&of.cite)).pop();
                let done = row.state.done.get(of.item.wrapping_sub(1));
                rests.extend(found.map(|cited| Rest {
                    kind: RestKind::State,
                    name: row.sid.clone(),
                    text: done.cloned().unwrap_or_default(),
                    sid: Some(row.sid.clone()),
                    ts: Some(row.ts.to_string()),
                    cited: Some(cited),
                }));
            }
        }
        for tension in Ledger::of(events).replay(now, &timeline.questions.settings.tension) {
            let opening = &tension.opening;
            let open =
                cited(&opening.body.cite).pop().filter(|_| tension.state == TensionState::Open);
            rests.extend(open.map(|cited| Rest {
                kind: RestKind::Tension,
                name: opening.id.clone(),
                text: opening.body.topic.clone(),
                sid: Some(opening.source.sid.clone()),
                ts: Some(opening.ts.to_string()),
                cited: Some(cited),
            }));
        }
        Ok(rests)
    }

    pub fn has(&self, place: &Place) -> Result<bool, Error> {
        if place.path.is_empty() {
            return Ok(true);
        }
        Ok(match place.lines {
            None => self.repo.object_at(self.tip, &place.path)?.is_some(),
            Some(lines) => {
                let pinned = self.repo.pin_lines(self.tip, &place.path, lines)?;
                matches!(pinned, Pinned::At(..))
            }
        })
    }

    fn depends(&self, question: &Question, place: &Place) -> Result<Option<Rest>, Error> {
        let dependencies = question.dependencies();
        // `lint` reports invalid pathspecs.
        let Some(mut specs) =
            Pathspecs::parse(&dependencies).ok().filter(|_| !dependencies.is_empty())
        else {
            return Ok(None);
        };
        let mut files = self.repo.files_at(self.tip, &mut specs)?.into_iter();
        let is_read = files.any(|file| place.has(&file.path));
        let matters = match (place.lines, &question.lines) {
            (Some(lines), Some(pattern)) if is_read => self.matches(place, lines, pattern)?,
            _ => is_read,
        };
        Ok(matters.then(|| Rest {
            kind: if question.watch.is_empty() { RestKind::Probe } else { RestKind::Watch },
            name: question.name().to_string(),
            text: question.text.clone(),
            sid: None,
            ts: None,
            cited: None,
        }))
    }

    fn matches(&self, place: &Place, [from, to]: [u32; 2], pattern: &str) -> Result<bool, Error> {
        let file = self.repo.file_at(self.tip, &place.path)?;
        let bytes = file.map(|(_, bytes)| bytes).unwrap_or_default();
        let mut lines =
            bytes.split(|&byte| byte == b'\n').take(to as usize).skip(from as usize - 1);
        let pattern = lines_pattern(pattern).ok();
        Ok(pattern.is_none_or(|pattern| lines.any(|line| pattern.is_match(line))))
    }

    fn answers(
        &self,
        timeline: &Timeline,
        cited: &dyn Fn(&[Citation]) -> Vec<CitedRow>,
        rests: &mut Vec<Rest>,
    ) {
        let events = &timeline.events;
        let count = u32::try_from(timeline.sessions.len()).unwrap_or(u32::MAX);
        for question in timeline.questions.active() {
            let answer = timeline.number(question).and_then(|number| {
                (0..count).rev().find_map(|session| timeline.answer_of(session, number))
            });
            let Some(answer) = answer else { continue };
            let row = timeline.row(answer.entry);
            let line = events.lines(&self.repo, &[row]).pop().flatten();
            let (_, results) = line.as_deref().and_then(Event::answers).unzip();
            let results = results.unwrap_or_default();
            let Some(result) = results.get(answer.place as usize) else {
                continue;
            };
            let note = result.note.as_deref().map(str::to_owned);
            let text = note.or_else(|| result.answer.as_ref().map(value_text)).unwrap_or_default();
            rests.extend(cited(&result.cites()).into_iter().map(|cited| Rest {
                kind: RestKind::Answer,
                name: question.name().to_string(),
                text: text.clone(),
                sid: Some(events.sid(row).to_owned()),
                ts: Some(events.ts(row).to_string()),
                cited: Some(cited),
            }));
        }
    }
}
