//! Second looks: answers that another session derives again, blind, and their outcome.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Dispute, Disputes, Judgement, RECENT, Standing};
use crate::{
    entry::{Person, is_entry_id, sha256_hex},
    question::name,
    timeline::{SessionAnswer, Timeline},
};

/// For this number of sessions after a wrong answer, more open answers get a second look.
const ALARMED: usize = 10;

/// The most second looks that a session is asked for.
const MOST: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenAnswer {
    pub entry: String,
    pub q_id: String,
    pub q_version: u32,
    pub sid: String,
    pub by: Option<Person>,
    pub commit: String,
    pub standing: Standing,
    /// The sessions of the second looks.
    pub readers: Vec<String>,
    /// Number of readers from the clone that answered, which count half.
    pub own_readers: usize,
    pub correction: Option<Correction>,
    /// True if its question had the same answer for long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub never_differs: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub entry: String,
    pub sid: String,
    pub by: Option<Person>,
    pub commit: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongAnswer {
    pub entry: String,
    pub q_id: String,
    pub q_version: u32,
    pub sid: String,
    pub by: Option<Person>,
    pub commit: String,
    /// Number of readers with another answer.
    pub readers: usize,
    pub correction: Option<Correction>,
    /// Time of the settlement.
    pub ts: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondLooks {
    /// Oldest first.
    pub open: Vec<OpenAnswer>,
    /// Oldest first, by the time of the settlement.
    pub wrong: Vec<WrongAnswer>,
    /// True if one was found in the last ten sessions.
    pub is_alarmed: bool,
}

impl SecondLooks {
    /// Combines the judgements of answers with their disputes. `alike` has the indices of questions with the same
    /// answer for long.
    pub fn of(
        timeline: &Timeline,
        judgements: &[Judgement],
        disputes: &Disputes,
        alike: &HashSet<usize>,
    ) -> Self {
        let recent = timeline.sessions.len().saturating_sub(RECENT);
        let claims = judgements.iter().filter_map(|one| {
            let is_recent = timeline.looks[one.look].session >= recent;
            let has_probe = timeline.questions.questions[one.question].probe.is_some();
            let is_open = one.judged.is_exposed && one.judged.flags.is_empty();
            let answer = one.answer.filter(|_| is_recent && is_open && !has_probe)?;
            Some((answer, alike.contains(&one.question)))
        });
        let mut open: Vec<(SessionAnswer, bool)> = claims.collect();
        for (answer, dispute) in disputes.all() {
            let is_known = open.iter().any(|(known, _)| *known == answer);
            if dispute.standing == Standing::Disputed && !is_known {
                open.push((answer, false));
            }
        }
        open.sort_by_key(|(answer, _)| *answer);
        let none = Dispute::default();
        let open = open.into_iter().filter_map(|(answer, never_differs)| {
            let dispute = disputes.get(answer).unwrap_or(&none);
            let is_open = matches!(dispute.standing, Standing::Open | Standing::Disputed);
            let about = named(timeline, answer)?;
            is_open.then(|| OpenAnswer {
                q_id: question(timeline, answer).0,
                q_version: question(timeline, answer).1,
                entry: about.entry,
                sid: about.sid,
                by: about.by,
                commit: about.commit,
                standing: dispute.standing,
                readers: dispute.readers.clone(),
                own_readers: dispute.own,
                correction: dispute.correction.and_then(|one| named(timeline, one)),
                never_differs,
            })
        });
        let open = open.collect();
        let wrong = disputes.all().into_iter();
        let wrong = wrong.filter(|(_, dispute)| dispute.standing == Standing::Wrong);
        let wrong = wrong.filter_map(|(answer, dispute)| {
            let about = named(timeline, answer)?;
            Some(WrongAnswer {
                q_id: question(timeline, answer).0,
                q_version: question(timeline, answer).1,
                entry: about.entry,
                sid: about.sid,
                by: about.by,
                commit: about.commit,
                readers: dispute.differ,
                correction: dispute.correction.and_then(|one| named(timeline, one)),
                ts: dispute.ts.clone(),
            })
        });
        let mut wrong: Vec<WrongAnswer> = wrong.collect();
        wrong.sort_by(|one, two| one.ts.cmp(&two.ts));
        let is_alarmed = wrong.last().is_some_and(|last| {
            let since = timeline.sessions.iter().rev();
            let since = since.take_while(|session| timeline.ts(session).as_str() > &*last.ts);
            since.take(ALARMED).count() < ALARMED
        });
        Self {
            open,
            wrong,
            is_alarmed,
        }
    }

    pub(super) fn people(&mut self) -> impl Iterator<Item = &mut Option<Person>> {
        let open = self.open.iter_mut();
        let open = open.flat_map(|one| [Some(&mut one.by), by(&mut one.correction)]);
        let wrong = self.wrong.iter_mut();
        let wrong = wrong.flat_map(|one| [Some(&mut one.by), by(&mut one.correction)]);
        open.chain(wrong).flatten()
    }

    /// The answers for which a reader is asked, by what they would settle: disputed ones first, then questions with the
    /// same answer for long, entries without a false answer, and questions with wrong answers, then in the order of
    /// `seed`. A session is asked for `per_session` answers, and for up to three while more are urgent.
    pub fn drawn(
        &self,
        reader: Option<&str>,
        per_session: usize,
        seed: impl Fn(&OpenAnswer) -> String,
    ) -> Vec<&OpenAnswer> {
        let is_mine = |sid: &String| Some(sid.as_str()) == reader;
        let is_party = |one: &OpenAnswer| {
            let correction = one.correction.as_ref();
            is_mine(&one.sid) || correction.is_some_and(|correction| is_mine(&correction.sid))
        };
        let looked = self.open.iter();
        let looked = looked.filter(|one| one.readers.iter().any(is_mine)).count();
        let others = self.open.iter();
        let others = others.filter(|one| !is_party(one) && !one.readers.iter().any(is_mine));
        let mut others: Vec<&OpenAnswer> = others.collect();
        let rank = |one: &OpenAnswer| {
            let was_wrong = self.wrong.iter().any(|wrong| wrong.q_id == one.q_id);
            // A look counts once, regardless of its number of false answers.
            let is_caught = self.wrong.iter().any(|wrong| wrong.entry == one.entry);
            let is_disputed = one.standing == Standing::Disputed;
            (!is_disputed, !one.never_differs, is_caught, !was_wrong)
        };
        others.sort_by_cached_key(|one| {
            let (entry, question) = (&one.entry, one.name());
            let drawn = format!("{}\n{entry}\n{question}", seed(one));
            (rank(one), sha256_hex(drawn.as_bytes()))
        });
        let settles = |one: &&&OpenAnswer| {
            let (is_calm, is_alive, _, is_trusted) = rank(one);
            !(is_calm && is_alive && is_trusted) || self.is_alarmed
        };
        let most = others.iter().filter(settles).count();
        let most = most.max(per_session).min(MOST.max(per_session));
        others.truncate(most.saturating_sub(looked));
        others
    }
}

impl OpenAnswer {
    /// The question, with its version unless that is 1.
    pub fn name(&self) -> String {
        name(&self.q_id, self.q_version)
    }
}

fn by(correction: &mut Option<Correction>) -> Option<&mut Option<Person>> {
    correction.as_mut().map(|correction| &mut correction.by)
}

/// The entry of an answer, unless another program wrote it.
fn named(timeline: &Timeline, answer: SessionAnswer) -> Option<Correction> {
    let (events, row) = (&timeline.events, timeline.row(answer.entry));
    let entry = events.id(row);
    is_entry_id(entry).then(|| Correction {
        entry: entry.to_owned(),
        sid: events.sid(row).to_owned(),
        by: events.by(row),
        commit: events.anchor(row.anchor).to_string(),
    })
}

fn question(timeline: &Timeline, answer: SessionAnswer) -> (String, u32) {
    let (id, version) = timeline.events.question(timeline.answer(answer).question);
    (id.to_owned(), version)
}
