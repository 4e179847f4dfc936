//! Drafts a probe from the lines on which the answers to a question rest.

use serde_json::Value;

use super::{Error, Project};
use crate::{
    entry::{CitedLines, Event},
    evidence::{Found, Prober, cited_lines},
    question::{Grep, GrepTake, Probe, Question},
};

const LONG: usize = 5;

/// Cited lines at most: more are no fact in one place.
const LINES: usize = 10;

/// The command that shows a person why there is no draft.
pub const SHOW: &str = "`git sq show ID` shows its answers";

impl Project {
    /// Drafts a probe that holds as long as the cited lines stand, with what it finds now, and the number of sessions with the
    /// same answer.
    pub fn graduate(&self, question: &Question) -> Result<(Probe, Value, usize), Error> {
        let name = question.name();
        let refused = |why: String| Err(Error::refused(format!("{name}{why}"), SHOW));
        if question.probe.is_some() {
            return refused(" has a probe already".into());
        }
        let timeline = self.timeline()?;
        let number = timeline.number(question);
        let (mut sessions, mut cited) = (0, Vec::new());
        let count = u32::try_from(timeline.sessions.len()).unwrap_or(u32::MAX);
        for place in (0..count).rev() {
            let Some(answer) = number.and_then(|number| timeline.answer_of(place, number)) else {
                continue;
            };
            sessions += 1;
            if cited.is_empty() {
                let rows = [timeline.row(answer.entry)];
                let line = timeline.events.raw_lines(&self.repo, &rows).next().flatten();
                cited = line.map_or_else(Vec::new, |line| cites(&line, answer.place as usize));
            }
            if timeline.answer(answer).delta {
                break;
            }
        }
        if sessions < LONG {
            return refused(format!(" has had the same answer for less than {LONG} sessions"));
        }
        let probe = match self.probe_of(&cited)? {
            Ok(probe) => probe,
            Err(why) => return refused(format!(": {why}")),
        };
        match Prober::new(&self.repo, self.tip).run(self.tip, &probe)?.found {
            Found::Value(expected) if expected != false && expected != 0 => {
                Ok((probe, expected, sessions))
            }
            _ => refused(": the cited lines are not in HEAD".into()),
        }
    }

    fn probe_of(&self, cited: &[CitedLines]) -> Result<Result<Probe, String>, Error> {
        let (mut texts, mut paths) = (Vec::new(), Vec::new());
        for CitedLines { path, lines, blob, .. } in cited {
            let Ok(blob) = blob.parse() else { continue };
            let bytes = self.repo.blob(blob)?;
            let text = String::from_utf8_lossy(&bytes);
            let [from, to] = lines.map(|line| line as usize);
            let lines =
                text.lines().skip(from - 1).take(to + 1 - from).map(|line| line.trim().to_owned());
            texts.extend(lines.filter(|line| !line.is_empty()));
            paths.push(format!(":(literal){path}"));
        }
        texts.sort();
        texts.dedup();
        paths.sort();
        paths.dedup();
        let (text, pattern, take) = match texts.as_slice() {
            [] => return Ok(Err("no answer cites lines that say something".into())),
            [text] => (Some(text.clone()), None, GrepTake::Exists),
            texts if texts.len() > LINES => {
                return Ok(Err(format!("the answer cites more than {LINES} lines")));
            }
            texts => {
                let texts: Vec<String> = texts.iter().map(|text| regex::escape(text)).collect();
                let pattern = format!("^\\s*(?:{})\\s*$", texts.join("|"));
                (None, Some(pattern), GrepTake::Count)
            }
        };
        Ok(Ok(Probe::Grep(Grep { pattern, text, paths, take, capture: None })))
    }
}

fn cites(line: &[u8], place: usize) -> Vec<CitedLines> {
    let answers = Event::answers(line);
    let answer = answers.and_then(|(_, answers)| answers.into_iter().nth(place));
    answer.map_or_else(Vec::new, |answer| cited_lines(&answer.cites()))
}
