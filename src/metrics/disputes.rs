//! Disputed answers: corrections, second looks and verdicts, and their outcome.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{
    entry::{SecondLook, Verdict, VerdictWord, is_entry_id},
    session::Event,
    timeline::{SessionAnswer, Timeline},
};

/// The weight of a reader, in halves: one from the clone of either party counts half.
const WHOLE: usize = 2;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Too few second looks.
    #[default]
    Open,
    /// A reader disagrees, or a session corrected the answer, and too few other readers have looked.
    Disputed,
    Held,
    Wrong,
}

#[derive(Debug, Clone, Default)]
pub struct Dispute {
    pub standing: Outcome,
    /// True if the side that was found false is flagged: a clone can't be both the accuser and the jury.
    pub is_flagged: bool,
    pub correction: Option<SessionAnswer>,
    pub readers: Vec<String>,
    /// Number of readers with another answer.
    pub differ: usize,
    /// Number of readers from the answerer's own clone.
    pub own: usize,
    /// The time of the last second look.
    pub ts: String,
}

#[derive(Debug, Clone, Copy)]
pub struct Word {
    pub agrees: bool,
    /// The reader's clone, by any unique number.
    pub clone: usize,
}

/// The outcome of statements about an answer of clone `own`, oldest first, and true if they flag the side that was found
/// false.
///
/// | disagree | agree | standing |
/// | --- | --- | --- |
/// | none | less than 1 | open |
/// | none | 1 | held |
/// | the first | less than `confirm` | disputed |
/// | the first | `confirm` | held |
/// | the first, and `confirm` others | less than `confirm` | wrong |
///
/// The side that reaches `confirm` first decides, at the earliest by the statement after the first that disagrees. A
/// statement counts half if it comes from the clone of the answer or of the first reader who disagrees.
pub fn settle(words: &[Word], own: usize, confirm: usize) -> (Outcome, bool) {
    let enough = confirm * WHOLE;
    let mut other = None;
    // In halves: all statements, and those that may flag the side that they contradict.
    let (mut agree, mut differ) = ([0, 0], [0, 0]);
    for word in words {
        let is_party = word.clone == own || Some(word.clone) == other;
        let weight = if is_party { 1 } else { WHOLE };
        let (sum, speaker, against) = if word.agrees {
            (&mut agree, own, other)
        } else if other.is_none() {
            other = Some(word.clone);
            if confirm == 0 {
                return (Outcome::Wrong, word.clone != own);
            }
            continue;
        } else {
            (&mut differ, other.unwrap_or(own), Some(own))
        };
        sum[0] += weight;
        // A party's clone is no jury over the other party's.
        if word.clone != speaker || against.is_none_or(|against| against == speaker) {
            sum[1] += weight;
        }
        match other {
            Some(_) if agree[0] >= enough => return (Outcome::Held, agree[1] >= enough),
            Some(_) if differ[0] >= enough => return (Outcome::Wrong, differ[1] >= enough),
            _ => {}
        }
    }
    let standing = match other {
        Some(_) => Outcome::Disputed,
        // Until a reader disagrees.
        None if agree[0] >= WHOLE => Outcome::Held,
        None => Outcome::Open,
    };
    (standing, false)
}

#[derive(Debug, Default)]
pub struct Disputes {
    of: HashMap<SessionAnswer, Dispute>,
    corrected: HashMap<SessionAnswer, SessionAnswer>,
}

struct Speaker<'t> {
    ts: String,
    sid: &'t str,
    writer: &'t str,
    agrees: bool,
    correction: Option<SessionAnswer>,
}

impl Disputes {
    /// Joins corrections, second looks and verdicts, each oldest first.
    pub fn of(
        timeline: &Timeline,
        looks: &[Event<SecondLook>],
        verdicts: &[Event<Verdict>],
    ) -> Self {
        let events = &timeline.events;
        let mut disputes = Self::default();
        let corrections = timeline.corrections();
        if corrections.is_empty() && looks.is_empty() {
            return disputes;
        }
        let entries: HashMap<&str, u32> = timeline.entries_by_id();
        let find = |entry: &str, id: &str, version: u32| {
            let entry = *entries.get(entry).filter(|_| is_entry_id(entry))?;
            let number = events.question_number(id, version)?;
            timeline.answer_in(entry, number)
        };
        let mut words: HashMap<SessionAnswer, Vec<Speaker>> = HashMap::new();
        for (now, disputed) in corrections {
            let (id, version) = events.question(timeline.answer(now).question);
            let Some(about) = find(disputed, id, version).filter(|one| one.entry < now.entry)
            else {
                continue;
            };
            disputes.corrected.insert(now, about);
            let row = timeline.row(now.entry);
            words.entry(about).or_default().push(Speaker {
                ts: events.ts(row).to_string(),
                sid: events.sid(row),
                writer: events.writer(row),
                agrees: false,
                correction: Some(now),
            });
        }
        for look in looks {
            let body = &look.body;
            let about = find(&body.entry, &body.q_id, body.q_version);
            let (Some(about), Some(writer)) = (about, look.source.writer.as_deref()) else {
                continue;
            };
            let row = timeline.row(about.entry);
            let sid = look.source.sid.as_str();
            if (sid, writer) == (events.sid(row), events.writer(row)) {
                continue;
            }
            words.entry(about).or_default().push(Speaker {
                ts: look.ts.to_string(),
                sid,
                writer,
                agrees: body.agrees,
                correction: None,
            });
        }
        let confirm = timeline.questions.settings.second.confirm as usize;
        for (about, mut said) in words {
            said.sort_by(|one, two| one.ts.cmp(&two.ts));
            let row = timeline.row(about.entry);
            let dispute = Dispute::of(&said, events.writer(row), confirm);
            disputes.of.insert(about, dispute);
        }
        disputes.hear(timeline, verdicts, find);
        disputes
    }

    /// A verdict counts more than readers: an answer that a person confirmed is right.
    fn hear(
        &mut self,
        timeline: &Timeline,
        verdicts: &[Event<Verdict>],
        find: impl Fn(&str, &str, u32) -> Option<SessionAnswer>,
    ) {
        for verdict in verdicts.iter().filter(|one| one.source.writer.is_some()) {
            let body = &verdict.body;
            let found = find(&body.entry, &body.q_id, body.q_version);
            let Some(about) = found.filter(|_| body.verdict == VerdictWord::Agrees) else {
                continue;
            };
            if timeline.events.sid(timeline.row(about.entry)) == verdict.source.sid {
                continue;
            }
            let (about, standing) = match self.corrected.get(&about) {
                Some(disputed) => (*disputed, Outcome::Wrong),
                None => (about, Outcome::Held),
            };
            if let Some(dispute) = self.of.get_mut(&about) {
                dispute.standing = standing;
                dispute.is_flagged = true;
                dispute.ts = verdict.ts.to_string();
            }
        }
    }

    /// Returns true if an answer is a later statement of a party to an open dispute about its question, or a bare
    /// `same` of any session.
    pub fn settles_nothing(&self, timeline: &Timeline, answer: SessionAnswer) -> bool {
        let given = timeline.answer(answer);
        let (question, is_bare) = (given.question, !given.delta && !given.cited);
        let session = |one: SessionAnswer| timeline.row(one.entry).session;
        self.of.iter().any(|(about, dispute)| {
            let sides = [Some(*about), dispute.correction].into_iter().flatten();
            dispute.standing == Outcome::Disputed
                && about.entry < answer.entry
                && timeline.answer(*about).question == question
                && (is_bare || sides.map(session).any(|side| side == session(answer)))
        })
    }

    pub fn get(&self, answer: SessionAnswer) -> Option<&Dispute> {
        self.of.get(&answer)
    }

    pub fn corrected_by(&self, correction: SessionAnswer) -> Option<(SessionAnswer, &Dispute)> {
        let about = *self.corrected.get(&correction)?;
        Some((about, self.of.get(&about)?))
    }

    /// Oldest first.
    pub fn all(&self) -> Vec<(SessionAnswer, &Dispute)> {
        let mut all: Vec<_> = self.of.iter().map(|(answer, one)| (*answer, one)).collect();
        all.sort_by_key(|(answer, _)| *answer);
        all
    }
}

impl Dispute {
    fn of(said: &[Speaker], own: &str, confirm: usize) -> Self {
        let mut clones = vec![own];
        let mut seen = HashSet::new();
        let mut words = Vec::new();
        let mut dispute = Self::default();
        // A session's first statement counts.
        for speaker in said {
            if !seen.insert((speaker.sid, speaker.writer)) {
                continue;
            }
            let known = clones.iter().position(|clone| *clone == speaker.writer);
            let clone = known.unwrap_or_else(|| {
                clones.push(speaker.writer);
                clones.len() - 1
            });
            let agrees = speaker.agrees;
            words.push(Word { agrees, clone });
            dispute.correction = dispute.correction.or(speaker.correction);
            dispute.readers.push(speaker.sid.to_owned());
            dispute.differ += usize::from(!agrees);
            dispute.own += usize::from(clone == 0);
            dispute.ts.clone_from(&speaker.ts);
        }
        (dispute.standing, dispute.is_flagged) = settle(&words, 0, confirm);
        dispute
    }
}
