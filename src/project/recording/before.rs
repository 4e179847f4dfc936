//! What the log holds that bears on a new entry.

use serde_json::Value;

use super::super::{Error, Project};
use crate::{
    entry::{Answer, Body, Citation, Event, Rederive, Ts},
    git::Oid,
    question::Question,
    store::{Log, lines_with_marks},
};

/// After so many notes the whole log is asked whether there is anything to find.
const FAR: usize = 100;

/// What the log holds that bears on a new entry.
#[derive(Default)]
pub struct Before {
    /// Question versions that were derived before.
    derived: Vec<(String, u32)>,
    /// Those that another session derived, each with the nearest of that.
    by_others: Vec<((String, u32), Last)>,
    /// The session and the commit of the nearest entry.
    pub last: Option<(String, Oid)>,
    /// Whether everything was seen that could bear on it.
    seen_all: bool,
    /// The session that may go on.
    pub session: Option<String>,
    /// Question versions that it answered, each with the commit.
    answered: Vec<((String, u32), Oid)>,
}

/// The last answer of another session to a question's version.
pub struct Last {
    pub sid: String,
    pub commit: Oid,
    pub note: Option<String>,
    pub answer: Option<Value>,
    pub cites: Vec<Citation>,
    /// Shown in place of the note, the answer and the citations, if the entry is redacted.
    pub mark: Option<String>,
}

impl Last {
    /// The last answer to a question's version on a commit; None where there is none that can be read.
    pub fn on(project: &Project, commit: Oid, question: &Question) -> Option<Self> {
        let text = Log::on(&project.repo, &project.tips, commit).ok()?;
        let lines = lines_with_marks(&text);
        lines.into_iter().rev().find_map(|(line, mark)| {
            let Event { envelope, body } = Event::parse(line).ok()?;
            let Body::Rederive(rederive) = body else {
                return None;
            };
            let answer = answer_to(&rederive.results, &question.id, question.version)?;
            Some(Self::of(answer, &envelope.sid, commit, mark))
        })
    }

    fn of(answer: &Answer, sid: &str, commit: Oid, mark: Option<String>) -> Self {
        Self {
            sid: sid.to_owned(),
            commit,
            note: answer.note.as_ref().map(ToString::to_string),
            answer: answer.answer.clone(),
            cites: answer.cites(),
            mark,
        }
    }

    /// A text that names what the entry says, as it may be shown.
    pub fn shown(&self, text: String) -> String {
        self.mark.clone().unwrap_or(text)
    }
}

impl Before {
    /// Looks back from HEAD until another session answered each of these questions, and on through what `session`
    /// recorded: to where it began, if that is known.
    pub fn look_back<'q>(
        project: &Project,
        questions: impl Iterator<Item = &'q Question>,
        session: Option<(String, Option<Ts>)>,
    ) -> Result<Self, Error> {
        let (session, begun) = session.unzip();
        let begun = begun.flatten();
        let mut before = Self::default();
        let mut visited = 0;
        let mut open: Vec<(String, u32)> = questions
            .map(|question| (question.id.clone(), question.version))
            .collect();
        let Project {
            repo, tips, tip, ..
        } = project;
        let seen_all = Log::look_back(repo, tips, *tip, |commit, text| {
            let mut newest: Option<(Ts, String)> = None;
            let mut is_own = false;
            // The lines of a note are in the order of time.
            for (line, mark) in lines_with_marks(text).into_iter().rev() {
                let Ok(Event {
                    envelope,
                    body: Body::Rederive(Rederive { mut results }),
                }) = Event::parse(line)
                else {
                    continue;
                };
                results.retain(|answer| !answer.is_unstable());
                let answered: Vec<(String, u32)> = results
                    .iter()
                    .map(|answer| (answer.q_id.to_string(), answer.version()))
                    .collect();
                let (met, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut open)
                    .into_iter()
                    .partition(|question| answered.contains(question));
                before.derived.extend(met.iter().cloned());
                open = rest;
                if session.as_deref() == Some(&*envelope.sid) {
                    is_own = true;
                    open.extend(met);
                    let answered = answered.into_iter();
                    before
                        .answered
                        .extend(answered.map(|version| (version, commit)));
                } else {
                    let last = |version: (String, u32)| {
                        let answer = answer_to(&results, &version.0, version.1)?;
                        Some((
                            version,
                            Last::of(answer, &envelope.sid, commit, mark.clone()),
                        ))
                    };
                    before.by_others.extend(met.into_iter().filter_map(last));
                }
                if newest.as_ref().is_none_or(|(ts, _)| *ts < envelope.ts) {
                    newest = Some((envelope.ts, envelope.sid.into_owned()));
                }
            }
            let ended = newest.as_ref().map(|(ts, _)| *ts);
            let is_later = begun.is_some_and(|begun| ended.is_some_and(|ended| ended >= begun));
            if let (None, Some((_, sid))) = (&before.last, newest) {
                before.last = Some((sid, commit));
            }
            visited += 1;
            if visited == FAR {
                open.retain(|question| project.may_be_answered(question, session.as_deref()));
            }
            open.is_empty() && before.last.is_some() && !is_own && !is_later
        })?;
        // Behind a shallow boundary, or what is missing, there may be an earlier derivation.
        before.seen_all = seen_all && !repo.is_shallow()?;
        before.session = session;
        Ok(before)
    }

    /// Whether a question's version was never derived before, as far as can be known.
    pub fn is_first(&self, question: &Question) -> bool {
        self.seen_all && !self.derived.iter().any(|version| is_of(version, question))
    }

    /// The nearest answer of another session to a question's version.
    pub fn last_by_others(&self, question: &Question) -> Option<&Last> {
        let mut derived = self.by_others.iter();
        let found = derived.find(|(version, _)| is_of(version, question));
        found.map(|(_, last)| last)
    }

    /// Whether the session that may go on answered a question's version on a commit.
    pub fn is_answered_at(&self, question: &Question, commit: Oid) -> bool {
        let mut answered = self.answered.iter();
        answered.any(|(version, at)| is_of(version, question) && *at == commit)
    }

    /// Whether a session answered a question's version before.
    pub fn has_answered(&self, sid: &str, question: &Question) -> bool {
        let mut answered = self.answered.iter();
        self.session.as_deref() == Some(sid)
            && answered.any(|(version, _)| is_of(version, question))
    }
}

fn is_of((id, version): &(String, u32), question: &Question) -> bool {
    *id == question.id && *version == question.version
}

/// The last of an entry's answers to a question's version.
fn answer_to<'r, 'l>(results: &'r [Answer<'l>], id: &str, version: u32) -> Option<&'r Answer<'l>> {
    let mut answers = results.iter();
    answers.rfind(|answer| *answer.q_id == *id && answer.version() == version)
}
