//! Finds drifts, and settles those that need no person.

use std::{
    collections::{BTreeSet, HashMap},
    iter::once,
};

use super::{
    Disputes,
    drift::{Drift, Fate, Said, last_word},
};
use crate::{
    entry::{Verdict, VerdictWord},
    question::{Closed, ClosedKind, is_same_answer, name},
    session::Event,
    timeline::{Change, SessionAnswer, Timeline},
};

/// Number of drifts back to which an answer may return.
const RETURNS: usize = 100;

/// The answers that take no drift back.
#[derive(Debug, Default)]
pub struct Doubted {
    pub all: BTreeSet<SessionAnswer>,
    /// Those of them from which an answer changed that ended a dispute.
    pub compared: BTreeSet<SessionAnswer>,
}

/// The drifts of the wanted question versions, oldest first. `read` returns the values and notes of answers; the `doubted`
/// ones take nothing back, and `disputes` the corrections that others found wrong. `contains` says of two anchors whether the first contains the second or is the same.
pub fn drifts(
    timeline: &Timeline,
    verdicts: &[Event<Verdict>],
    is_wanted: impl Fn(&str, u32) -> bool,
    read: impl Fn(&[SessionAnswer]) -> Vec<Said>,
    doubted: &Doubted,
    disputes: &Disputes,
    mut contains: impl FnMut(u32, u32) -> bool,
) -> Vec<Drift> {
    let events = &timeline.events;
    let mut changes = timeline.changes(is_wanted);
    // A fact is what the files say; and an entry without an id can't be reviewed.
    changes.retain(|change| {
        let id = events.id(timeline.row(change.now.entry));
        !timeline.is_fact(change.question) && !id.is_empty()
    });
    let answers = changes.iter().flat_map(|change| [change.before, change.now]);
    let answers = read(&answers.collect::<Vec<_>>());
    let pairs = answers.as_chunks::<2>().0.iter().cloned();
    let found = changes.iter().zip(pairs).filter_map(|(&change, [old, new])| {
        let row = timeline.row(change.now.entry);
        let (id, version) = events.question(change.question);
        let (entry, sid) = (events.id(row), events.sid(row));
        let question = timeline.questions.find(id, version);
        let asked = question.filter(|question| question.status.is_asked());
        let shape = question.and_then(|question| question.shape.as_ref());
        let is_own = timeline.row(change.before.entry).session == row.session;
        let stands = is_own
            || !doubted.all.contains(&change.before)
            || doubted.compared.contains(&change.before);
        let values = old.0.as_ref().zip(new.0.as_ref()).filter(|_| stands);
        // It was a delta against what counted for its clone, and the drift from there stands already.
        if values.is_some_and(|(old, new)| is_same_answer(shape, old, new)) {
            return None;
        }
        let verdict = last_word(verdicts, entry, (id, version), sid);
        Some(Drift {
            q_id: id.to_owned(),
            q_version: version,
            severity: asked.and_then(|question| question.severity).unwrap_or_default(),
            // What nobody believed is no value that it changed from.
            old: old.0.filter(|_| stands),
            new: new.0,
            note: new.1,
            entry: entry.to_owned(),
            sid: sid.to_owned(),
            ts: events.ts(row).to_string(),
            agent: events.agent(row).map(str::to_owned),
            by: events.by(row),
            commit: events.anchor(row.anchor).to_string(),
            // The timeline does not know commit messages.
            subject: None,
            fate: verdict.unwrap_or(Fate::Open),
            is_asked: asked.is_some(),
            is_closed: is_closed(timeline, disputes, change.now),
            change,
        })
    });
    let mut found: Vec<Drift> = found.collect();
    settle(timeline, &mut found, &doubted.all, &mut contains);
    return_to_old(timeline, &mut found, &doubted.all, read, contains);
    for drift in &mut found {
        if let Some(reader) = disputes.refuted_by(drift.change.now) {
            drift.mend(reader);
        }
        if drift.is_closed && drift.fate == Fate::Open {
            drift.fate = Fate::Closed;
        }
        drift.redact(timeline);
    }
    found
}

/// Returns true if a person closed the drift, or settled a dispute of which the answer is a side.
fn is_closed(timeline: &Timeline, disputes: &Disputes, answer: SessionAnswer) -> bool {
    let (events, given) = (&timeline.events, timeline.answer(answer));
    let (id, version) = events.question(given.question);
    let has = |kind: ClosedKind, entry: &str| {
        timeline.questions.closed.0.contains(&Closed::answer(kind, &name(id, version), entry))
    };
    let entry = events.id(timeline.row(answer.entry));
    let sides = events.corrects(&given).into_iter().chain([entry]);
    // Two people who disagree settle nothing.
    let right = sides.filter(|side| has(ClosedKind::Dispute, side)).count();
    has(ClosedKind::Drift, entry) || right == 1 || disputes.is_rejected(answer)
}

/// Settles the drifts that need no person: expected changes, and answers that returned to their old or to their
/// expected value.
fn settle(
    timeline: &Timeline,
    drifts: &mut [Drift],
    doubted: &BTreeSet<SessionAnswer>,
    contains: &mut impl FnMut(u32, u32) -> bool,
) {
    // The open drifts of each question up to a session on its line of history, oldest first.
    let mut open_at: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    for number in 0..drifts.len() {
        let new = &drifts[number];
        let (question, session) = (new.change.question, new.change.session);
        let mut line = once(session).chain(timeline.line_before(session));
        let open = line.find_map(|place| open_at.get(&(question, place)).cloned());
        let anchor = |drift: &Drift| timeline.row(drift.change.now.entry).anchor;
        // What is said of an older commit takes nothing back that was said of a newer one.
        let (mut open, apart): (Vec<usize>, Vec<usize>) = open
            .unwrap_or_default()
            .into_iter()
            .partition(|&one| contains(anchor(new), anchor(&drifts[one])));
        let asked = timeline.questions.find(&new.q_id, new.q_version);
        let shape = asked.and_then(|question| question.shape.as_ref());
        // A session's answer can't take back that of a probe.
        let is_derived = asked.is_none_or(|question| question.probe.is_none())
            || timeline.answer(new.change.now).probed;
        let takes_back = is_derived && !doubted.contains(&new.change.now);
        let returns = |&one: &usize| {
            let answers = drifts[one].old.as_ref().zip(new.new.as_ref());
            takes_back && answers.is_some_and(|(old, new)| is_same_answer(shape, old, new))
        };
        let recent = open.len().saturating_sub(RETURNS);
        let back = open[recent..].iter().position(returns);
        let expect = asked.and_then(|question| question.expect.as_ref());
        let holds = expect.zip(new.new.as_ref()).and_then(|(expect, new)| expect.holds(shape, new));
        let expected = match (expect, holds) {
            (Some(expect), Some(holds)) => (holds && is_derived).then(|| expect.words()),
            (Some(expect), None) => {
                let values = new.old.as_ref().zip(new.new.as_ref());
                let allowed = values.and_then(|(old, new)| expect.allows(shape, old, new));
                let is_allowed = allowed.unwrap_or_else(|| timeline.is_expected(new.change.now));
                is_allowed.then(|| expect.words())
            }
            (None, _) => None,
        };
        let sid = new.sid.clone();
        let mended = match back {
            _ if holds.is_some() && expected.is_some() && takes_back => recent,
            Some(back) => recent + back,
            None => open.len(),
        };
        for &one in &open[mended..] {
            drifts[one].mend(&sid);
        }
        if let Some(back) = back {
            let undone = drifts[open[recent + back]].sid.clone();
            drifts[number].mend(&sid);
            if let Fate::TakenBack { of, .. } = &mut drifts[number].fate {
                *of = Some(undone);
            }
            open.truncate(recent + back);
        } else {
            let drift = &mut drifts[number];
            if let (Fate::Open, Some(why)) = (&drift.fate, expected) {
                drift.fate = Fate::Expected { why };
            }
            let is_settled = match &drift.fate {
                Fate::Open => false,
                Fate::Judged { verdict, .. } => {
                    !matches!(verdict, VerdictWord::Error | VerdictWord::Question)
                }
                Fate::Closed | Fate::Expected { .. } | Fate::TakenBack { .. } => true,
            };
            if is_settled {
                open.clear();
            } else {
                open.push(number);
            }
        }
        open.extend(apart);
        open.sort_unstable();
        open_at.insert((question, session), open);
    }
}

/// Settles the drifts that were no answer: a later one that nobody doubts is the old one still.
fn return_to_old(
    timeline: &Timeline,
    drifts: &mut [Drift],
    doubted: &BTreeSet<SessionAnswer>,
    read: impl Fn(&[SessionAnswer]) -> Vec<Said>,
    mut contains: impl FnMut(u32, u32) -> bool,
) {
    let is_none = |drift: &&mut Drift| {
        drift.is_open() && !drift.is_closed && doubted.contains(&drift.change.now)
    };
    let mut open: Vec<&mut Drift> = drifts.iter_mut().filter(is_none).collect();
    open.sort_by_key(|drift| drift.change.question);
    for open in open.chunk_by_mut(|one, other| one.change.question == other.change.question) {
        let Change { question, .. } = open[0].change;
        // The answers that nobody doubts and that report no change, each with its session.
        let places = 0_u32..;
        let all = places.zip(&timeline.sessions).flat_map(|(place, session)| {
            timeline.answers(session).iter().map(move |answer| (place, *answer))
        });
        let same = all.filter(|(_, one)| {
            let answer = timeline.answer(*one);
            answer.question == question && !answer.delta && !doubted.contains(one)
        });
        let same: Vec<(u32, SessionAnswer)> = same.collect();
        let said = read(&same.iter().map(|(_, answer)| *answer).collect::<Vec<_>>());
        let asked = timeline.questions.find(&open[0].q_id, open[0].q_version);
        let shape = asked.and_then(|question| question.shape.as_ref());
        for drift in open {
            let after = same.partition_point(|(place, _)| *place <= drift.change.session);
            let now = timeline.row(drift.change.now.entry).anchor;
            let back = same[after..].iter().zip(&said[after..]).find(|(one, said)| {
                let values = drift.old.as_ref().zip(said.0.as_ref());
                values.is_some_and(|(old, now)| is_same_answer(shape, old, now))
                    && contains(timeline.row(one.1.entry).anchor, now)
            });
            if let Some(((_, back), _)) = back {
                drift.mend(timeline.events.sid(timeline.row(back.entry)));
            }
        }
    }
}
