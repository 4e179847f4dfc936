//! Second looks: answers that another session shall derive again, blind, and what came of it.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Dispute, Disputes, Judgement, RECENT, Standing};
use crate::{
    entry::{Person, is_entry_id, sha256_hex},
    question::name,
    timeline::{SessionAnswer, Timeline},
};

/// For so many sessions after a wrong answer more open ones are looked at.
const ALARMED: usize = 10;

/// The most second looks that a session is asked for, whatever is open.
const MOST: usize = 3;

/// An answer that another session gives, or gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenAnswer {
    /// The id of the entry.
    pub entry: String,
    pub q_id: String,
    pub q_version: u32,
    /// The session that answered.
    pub sid: String,
    pub by: Option<Person>,
    /// The commit that carries the entry.
    pub commit: String,
    pub standing: Standing,
    /// The sessions that looked.
    pub readers: Vec<String>,
    /// How many of these are of the clone that answered, and count half.
    pub own_readers: usize,
    /// The correction that disputes it, if one does.
    pub correction: Option<Correction>,
    /// Whether its question was answered alike for long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub never_differs: bool,
}

/// An entry that says that another one's answer was wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub entry: String,
    pub sid: String,
    pub by: Option<Person>,
    pub commit: String,
}

/// An answer that readers, or a person, found wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongAnswer {
    pub entry: String,
    pub q_id: String,
    pub q_version: u32,
    pub sid: String,
    pub by: Option<Person>,
    pub commit: String,
    /// How many readers found another answer.
    pub readers: usize,
    /// The correction that caught it, if one did.
    pub correction: Option<Correction>,
    /// When that was settled.
    pub ts: String,
}

/// What second looks came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondLooks {
    /// Oldest first.
    pub open: Vec<OpenAnswer>,
    /// Oldest first, by when that was settled.
    pub wrong: Vec<WrongAnswer>,
    /// Whether one was found in the last ten sessions.
    pub is_alarmed: bool,
}

impl SecondLooks {
    /// Joins what the rules make of answers with what is said of them. `alike` are the places of questions that were
    /// answered alike for long.
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

    /// The people that it names.
    pub(super) fn people(&mut self) -> impl Iterator<Item = &mut Option<Person>> {
        let open = self.open.iter_mut();
        let open = open.flat_map(|one| [Some(&mut one.by), by(&mut one.correction)]);
        let wrong = self.wrong.iter_mut();
        let wrong = wrong.flat_map(|one| [Some(&mut one.by), by(&mut one.correction)]);
        open.chain(wrong).flatten()
    }

    /// Those that a reader is asked to look at, by what they would settle: disputed ones first, then questions that were
    /// answered alike for long, entries of which no other answer was found false, and questions that were answered
    /// wrong, then as `seed` draws them. One session is asked for `per_session`, and for three
    /// while there is more than that to settle.
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
            // A look counts once, however many of its answers are false.
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
    /// The question, with the version where that is not 1.
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
