//! Second looks: answers that another session derives again, blind, and their outcome.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashSet},
};

use serde::{Deserialize, Serialize};

use super::{
    Dispute, Disputes, Outcome, Party, RECENT, RuledLook, Standings, flagged_by_rules,
    looks::look_closing,
};
use crate::{
    entry::{Person, is_entry_id, sha256_hex},
    finding::Rule,
    question::{Closed, Status, name},
    timeline::{SessionAnswer, Timeline},
};

/// For this number of sessions after a wrong answer, more open answers get a second look.
const ALARMED: usize = 10;

/// The most second looks that a session is asked for.
const MOST: usize = 3;

/// An answer that waits for second looks, or that they found wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookedAt {
    pub entry: String,
    pub q_id: String,
    pub q_version: u32,
    pub sid: String,
    pub by: Option<Person>,
    pub commit: String,
    pub outcome: Outcome,
    /// True if a later answer ended its dispute; others say yet who was right.
    pub ended: bool,
    /// True if a person dealt with it.
    pub closed: bool,
    /// Those who can't settle it.
    pub parties: Vec<Party>,
    /// For a wrong or disputed answer, the session that said it first, if this one only carried it on.
    pub first: Option<Correction>,
    /// The sessions whose looks count.
    pub readers: Vec<String>,
    /// Their clones.
    pub clones: Vec<String>,
    /// Number of sessions with another answer.
    pub differ: usize,
    pub correction: Option<Correction>,
    /// True if its question had the same answer for long.
    pub never_differs: bool,
    /// That of its question, from 1 to 3.
    pub importance: u8,
    /// Time of the last second look; empty if there is none.
    pub ts: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub entry: String,
    pub sid: String,
    pub by: Option<Person>,
    pub commit: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondLooks {
    /// Oldest first.
    pub open: Vec<LookedAt>,
    /// Oldest first, by the time of the settlement.
    pub wrong: Vec<LookedAt>,
    /// True if one was found in the last ten sessions.
    pub is_alarmed: bool,
}

impl SecondLooks {
    /// Combines the judgements of answers with their disputes. `alike` has the indices of questions with the same
    /// answer for long.
    pub fn of(
        timeline: &Timeline,
        judgements: &[RuledLook],
        disputes: &Disputes,
        alike: &HashSet<usize>,
        standings: &Standings,
    ) -> Self {
        let session = |one: &RuledLook| timeline.looks[one.look].session;
        // Sessions that leave nothing open, or are flagged for it, do not close the earlier ones.
        let is_open = |one: &RuledLook| one.ruling.is_exposed && one.ruling.flags.is_empty();
        let mut leaves_open = vec![false; timeline.sessions.len()];
        for one in judgements {
            leaves_open[session(one)] |= is_open(one);
        }
        let open = leaves_open.iter().enumerate().rev().filter(|(_, leaves_open)| **leaves_open);
        let first = open.map(|(place, _)| place).nth(RECENT - 1);
        let claims = judgements.iter().filter_map(|one| {
            let is_recent = first.is_none_or(|first| session(one) >= first);
            let has_probe = timeline.questions.questions[one.question].probe.is_some();
            let answer = one.answer.filter(|_| is_recent && is_open(one) && !has_probe)?;
            Some((answer, alike.contains(&one.question)))
        });
        let claims: BTreeMap<SessionAnswer, bool> = claims.collect();
        let mut all: BTreeMap<SessionAnswer, Dispute> =
            claims.keys().map(|&answer| (answer, Dispute::unseen(timeline, answer))).collect();
        all.extend(disputes.all().into_iter().map(|(answer, dispute)| (answer, dispute.clone())));
        let flagged = flagged_by_rules(judgements);
        let mut looks = Self::default();
        for (answer, dispute) in all {
            let claim = claims.get(&answer);
            let (id, version) = timeline.events.question(timeline.answer(answer).question);
            let question = timeline.questions.find(id, version);
            // What is asked no more needs no look.
            let is_asked = question.is_some_and(|question| question.status.is_asked());
            let is_active = question.is_some_and(|question| question.status == Status::Active);
            let list = match dispute.outcome {
                Outcome::Wrong => &mut looks.wrong,
                Outcome::Disputed if is_asked => &mut looks.open,
                Outcome::Open if claim.is_some() && is_active => &mut looks.open,
                _ => continue,
            };
            let never_differs = claim.copied().unwrap_or_default();
            list.extend(looked_at(timeline, answer, &dispute, never_differs, &flagged));
        }
        for one in &mut looks.open {
            one.ended = one.is_disputed() && standings.has_ended(&one.name(), &one.entry);
        }
        for one in &mut looks.wrong {
            one.closed = timeline.questions.closed.0.contains(&one.closing());
        }
        looks.wrong.sort_by(|one, two| one.ts.cmp(&two.ts));
        looks.is_alarmed = looks.wrong.last().is_some_and(|last| {
            let since = timeline.sessions.iter().rev();
            let since = since.take_while(|session| timeline.ts(session).as_str() > &*last.ts);
            since.take(ALARMED).count() < ALARMED
        });
        looks
    }

    /// The answers for which a reader is asked, by what they would settle: disputed ones first, then questions with the
    /// same answer for long, entries without a false answer, questions with wrong answers, and the more important ones,
    /// then in the order of `seed`. A session is asked for `per_session` answers, and for up to three while more are
    /// urgent, and only for those that it can settle.
    pub fn drawn(
        &self,
        reader: Option<(&str, &Party)>,
        per_session: usize,
        seed: impl Fn(&LookedAt) -> String,
    ) -> Vec<&LookedAt> {
        let is_mine = |sid: &String| reader.is_some_and(|(reader, _)| sid == reader);
        let has_looked =
            |one: &LookedAt| reader.is_some_and(|(_, reader)| one.clones.contains(&reader.writer));
        let is_party = |one: &LookedAt| {
            reader
                .is_some_and(|(_, reader)| one.parties.iter().any(|party| !reader.is_other(party)))
        };
        let looked = self.open.iter().filter(|one| one.readers.iter().any(is_mine)).count();
        let others = self.open.iter().filter(|one| !is_party(one) && !has_looked(one));
        let mut others: Vec<&LookedAt> = others.collect();
        let rank = |one: &LookedAt| {
            let was_wrong = self.wrong.iter().any(|wrong| wrong.q_id == one.q_id);
            // A look counts once, regardless of its number of false answers.
            let is_caught = self.wrong.iter().any(|wrong| wrong.entry == one.entry);
            let is_disputed = one.outcome == Outcome::Disputed;
            (!is_disputed, !one.never_differs, is_caught, !was_wrong)
        };
        others.sort_by_cached_key(|one| {
            let (entry, question) = (&one.entry, one.name());
            let drawn = format!("{}\n{entry}\n{question}", seed(one));
            (rank(one), Reverse(one.importance), sha256_hex(drawn.as_bytes()))
        });
        let settles = |one: &&&LookedAt| {
            let (is_calm, is_alive, _, is_trusted) = rank(one);
            !(is_calm && is_alive && is_trusted) || self.is_alarmed
        };
        let most = others.iter().filter(settles).count();
        others.truncate(most.max(per_session).min(MOST.max(per_session)).saturating_sub(looked));
        others
    }
}

impl LookedAt {
    /// Returns true if somebody found another answer, and nobody settled which is right.
    pub fn is_disputed(&self) -> bool {
        self.outcome == Outcome::Disputed && !self.ended
    }

    /// The question, with its version unless that is 1.
    pub fn name(&self) -> String {
        name(&self.q_id, self.q_version)
    }

    /// What a person closes who has dealt with a wrong one.
    pub fn closing(&self) -> Closed {
        look_closing(Some(Rule::SecondLook), &self.name(), &self.entry)
    }
}

fn looked_at(
    timeline: &Timeline,
    answer: SessionAnswer,
    dispute: &Dispute,
    never_differs: bool,
    flagged: &BTreeSet<SessionAnswer>,
) -> Option<LookedAt> {
    let (q_id, q_version) = timeline.events.question(timeline.answer(answer).question);
    let given = given(timeline, answer)?;
    let is_doubted = matches!(dispute.outcome, Outcome::Wrong | Outcome::Disputed);
    let first = is_doubted.then(|| said_first(timeline, answer, flagged)).flatten();
    Some(LookedAt {
        entry: given.entry,
        q_id: q_id.to_owned(),
        q_version,
        sid: given.sid,
        by: given.by,
        commit: given.commit,
        outcome: dispute.outcome,
        ended: false,
        closed: false,
        parties: dispute.parties.clone(),
        first: first.and_then(|first| self::given(timeline, first)),
        readers: dispute.readers.clone(),
        clones: dispute.clones.clone(),
        differ: dispute.differ,
        correction: dispute.correction.and_then(|correction| self::given(timeline, correction)),
        never_differs,
        importance: timeline.questions.find(q_id, q_version).map_or(0, |one| one.importance.0),
        ts: dispute.ts.clone(),
    })
}

/// The answer that this one only carried on, if there is one. Nobody carries on what a rule flags.
pub fn said_first(
    timeline: &Timeline,
    answer: SessionAnswer,
    flagged: &BTreeSet<SessionAnswer>,
) -> Option<SessionAnswer> {
    let question = timeline.answer(answer).question;
    let mut sessions = (0..).zip(&timeline.sessions);
    let (mut session, _) = sessions
        .find(|(_, session)| timeline.entries_of(session).any(|entry| entry == answer.entry))?;
    let mut first = answer;
    while !timeline.answer(first).delta
        && let Some(before) = timeline
            .line_before(session)
            .filter_map(|place| Some((place, timeline.answer_of(place, question)?)))
            .find(|(_, answer)| !flagged.contains(answer))
    {
        (session, first) = before;
    }
    (first != answer).then_some(first)
}

/// The entry of an answer, unless another program wrote it.
fn given(timeline: &Timeline, answer: SessionAnswer) -> Option<Correction> {
    let (events, row) = (&timeline.events, timeline.row(answer.entry));
    let entry = events.id(row);
    is_entry_id(entry).then(|| Correction {
        entry: entry.to_owned(),
        sid: events.sid(row).to_owned(),
        by: events.by(row),
        commit: events.anchor(row.anchor).to_string(),
    })
}

/// Returns true if a later answer ended the open dispute about this one.
pub fn has_ended(timeline: &Timeline, standings: &Standings, about: SessionAnswer) -> bool {
    let (id, version) = timeline.events.question(timeline.answer(about).question);
    let entry = timeline.events.reference(timeline.row(about.entry));
    standings.has_ended(&name(id, version), &entry)
}
