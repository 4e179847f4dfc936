//! What the log holds that bears on a new entry.

use serde_json::Value;

use super::super::{Error, Project};
use crate::{
    entry::{Body, Event, Rederive, Ts, lines_of},
    git::Oid,
    question::Question,
    store::Log,
};

/// After so many notes the whole log is asked whether there is anything to find.
const FAR: usize = 100;

/// What the log holds that bears on a new entry.
#[derive(Default)]
pub struct Before {
    /// Question versions that were derived before.
    derived: Vec<(String, u32)>,
    /// Those that another session derived, each with the nearest commit of that.
    by_others: Vec<((String, u32), Oid)>,
    /// What the last of those recorded as the answer, where it did.
    recorded: Vec<((String, u32), Value)>,
    /// The session and the commit of the nearest entry.
    pub last: Option<(String, Oid)>,
    /// Whether everything was seen that could bear on it.
    seen_all: bool,
    /// The session that may go on.
    session: Option<String>,
    /// Question versions that it answered, each with the commit.
    answered: Vec<((String, u32), Oid)>,
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
            for line in lines_of(text) {
                let Ok(Event {
                    envelope,
                    body: Body::Rederive(Rederive { results }),
                }) = Event::parse(line)
                else {
                    continue;
                };
                let results = results.into_iter().filter(|answer| !answer.is_unstable());
                let (answered, recorded): (Vec<_>, Vec<_>) = results
                    .map(|answer| ((answer.q_id.to_string(), answer.version()), answer.answer))
                    .unzip();
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
                    let met = met.into_iter();
                    before
                        .by_others
                        .extend(met.map(|version| (version, commit)));
                    before.keep_recorded(commit, answered.into_iter().zip(recorded));
                }
                if newest.as_ref().is_none_or(|(ts, _)| *ts <= envelope.ts) {
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

    /// Keeps the answers of the nearest commit that has any; there, the newest line comes last.
    fn keep_recorded(
        &mut self,
        commit: Oid,
        answers: impl Iterator<Item = ((String, u32), Option<Value>)>,
    ) {
        for (version, answer) in answers {
            if self.by_others.contains(&(version.clone(), commit)) {
                self.recorded.retain(|(known, _)| *known != version);
                self.recorded.extend(answer.map(|answer| (version, answer)));
            }
        }
    }

    /// The answer that another session recorded last of a question's version.
    pub fn recorded_by_others(&self, question: &Question) -> Option<&Value> {
        let mut recorded = self.recorded.iter();
        let found = recorded.find(|(version, _)| is_of(version, question));
        found.map(|(_, answer)| answer)
    }

    /// Whether a question's version was never derived before, as far as can be known.
    pub fn is_first(&self, question: &Question) -> bool {
        self.seen_all && !self.derived.iter().any(|version| is_of(version, question))
    }

    /// The nearest commit at which another session derived a question's version.
    pub fn last_by_others(&self, question: &Question) -> Option<Oid> {
        let mut derived = self.by_others.iter();
        let found = derived.find(|(version, _)| is_of(version, question));
        found.map(|(_, commit)| *commit)
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
