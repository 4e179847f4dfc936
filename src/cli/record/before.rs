//! What the log holds that bears on a new entry.

use super::Matched;
use crate::{
    cli::Failure,
    entry::{Answer, Body, Event, Rederive, Ts, lines_of},
    git::Oid,
    project::Project,
    question::Question,
    store::Log,
};

/// What the log holds that bears on a new entry.
#[derive(Default)]
pub struct Before {
    /// Question versions that are being answered and were derived before.
    derived: Vec<(String, u32)>,
    /// The session and the commit of the nearest entry.
    pub last: Option<(String, Oid)>,
    /// Whether everything was seen that could bear on it.
    seen_all: bool,
    /// The session that may go on.
    session: Option<String>,
    /// Question versions that it answered.
    answered: Vec<(String, u32)>,
}

impl Before {
    /// Whether a question's version was never derived before, as far as can be known.
    pub fn is_first(&self, question: &Question) -> bool {
        self.seen_all && !has(&self.derived, question)
    }

    /// Whether a session answered a question's version before.
    pub fn has_answered(&self, sid: &str, question: &Question) -> bool {
        self.session.as_deref() == Some(sid) && has(&self.answered, question)
    }
}

fn has(versions: &[(String, u32)], question: &Question) -> bool {
    let mut versions = versions.iter();
    versions.any(|(id, version)| *id == question.id && *version == question.version)
}

/// Looks back from HEAD until every question that is answered was met, and on through what `session` recorded: to where
/// it began, if that is known.
pub fn look_back(
    project: &Project,
    matched: &[Matched],
    session: Option<(String, Option<Ts>)>,
) -> Result<Before, Failure> {
    let (session, begun) = session.unzip();
    let begun = begun.flatten();
    let mut before = Before::default();
    let mut open: Vec<(String, u32)> = matched
        .iter()
        .map(|m| (m.question.id.clone(), m.question.version))
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
            let is_of = |answer: &Answer, (id, version): &(String, u32)| {
                *answer.q_id == **id && answer.version() == *version
            };
            let (met, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut open)
                .into_iter()
                .partition(|question| results.iter().any(|answer| is_of(answer, question)));
            before.derived.extend(met);
            open = rest;
            if session.as_deref() == Some(&*envelope.sid) {
                is_own = true;
                let answered = results.iter();
                let answered = answered.map(|answer| (answer.q_id.to_string(), answer.version()));
                before.answered.extend(answered);
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
        open.is_empty() && before.last.is_some() && !is_own && !is_later
    })?;
    // Behind a shallow boundary, or what is missing, there may be an earlier derivation.
    before.seen_all = seen_all && !repo.is_shallow()?;
    before.session = session;
    Ok(before)
}
