//! Flagged looks: an open one waits until its questions are answered anew.

use std::{
    cell::LazyCell,
    collections::{BTreeSet, HashSet},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Outcome, Outcomes};
use crate::{
    entry::Person,
    evidence::Ruling,
    finding::Rule,
    question::{Closed, ClosedKind, QuestionSet, Status},
    store::Row,
    timeline::{Lineage, Look, SessionAnswer, Timeline, short},
};

/// Of numbers that nobody chooses, hashed quickly.
type Set<T> = HashSet<T, foldhash::fast::RandomState>;

/// Number of looks that are listed, and of the last ones of which the flagged are counted.
const WINDOW: usize = 20;

/// After this number of exposed answers of a question without a delta, another session is asked for a second look.
const ALIKE: usize = 10;

/// This number without a second look is an error. Honest answers, of yes or no above all, stay the same as long as that; but
/// of fifty sessions that were asked for a look, one is another person's, even if that person gives only one of ten: all
/// fifty are the first one's in one of 200 cases.
pub const NEVER_DIFFERS: usize = 60;

#[derive(Debug)]
pub struct RuledLook {
    pub look: usize,
    pub question: usize,
    /// `None` if it was left out.
    pub answer: Option<SessionAnswer>,
    pub ruling: Ruling,
    pub outcomes: Outcomes,
    /// True if a later look answered the question anew, with evidence, at a commit that contains its own.
    pub is_answered: bool,
}

impl RuledLook {
    fn is_flagged(&self) -> bool {
        !self.ruling.flags.is_empty() || self.outcomes.why_false().is_some()
    }

    /// The rules that flag it, also those that follow from what others said of it, each with a reason.
    fn flags(&self) -> impl DoubleEndedIterator<Item = (Rule, &str)> {
        let wrong = self.outcomes.why_false().map(|why| (Rule::SecondLook, why));
        self.ruling.flags.iter().map(|(rule, why)| (*rule, &**why)).chain(wrong)
    }

    /// Returns true if it answers its question anew. A correction does once it is settled.
    fn answers(&self) -> bool {
        self.answer.is_some()
            && self.ruling.is_shown
            && !self.outcomes.are_open()
            && self.outcomes.why_false().is_none()
    }

    fn anchor(&self, timeline: &Timeline) -> u32 {
        timeline.looks[self.look].anchor
    }

    /// Its line; of a question that was left out, the last one of the look.
    fn entry<'t>(&self, timeline: &'t Timeline) -> &'t Row {
        timeline.row(self.answer.map_or(timeline.looks[self.look].last, |answer| answer.entry))
    }

    /// Returns true if its flags wait for an answer: nobody asks a retired question any more.
    fn is_open(&self, timeline: &Timeline) -> bool {
        !self.is_answered && timeline.questions.questions[self.question].status.is_asked()
    }

    /// The id of its line; the digest of one that another program wrote.
    fn reference(&self, timeline: &Timeline) -> String {
        timeline.events.reference(self.entry(timeline))
    }

    /// What a person closes to close its flags. That others found an answer false may come later, and is closed by itself.
    fn closing(&self, timeline: &Timeline) -> Closed {
        let rule = self.flags().next_back().map(|(rule, _)| rule);
        let question = timeline.questions.questions[self.question].name();
        look_closing(rule, &question.to_string(), &self.reference(timeline))
    }

    fn is_closed(&self, timeline: &Timeline) -> bool {
        let closed = &timeline.questions.closed.0;
        !closed.is_empty() && closed.contains(&self.closing(timeline))
    }

    fn flagged(&self, timeline: &Timeline) -> Vec<Flagged> {
        let (events, row) = (&timeline.events, self.entry(timeline));
        let flagged = self.flags().rev().map(|(rule, why)| Flagged {
            rule,
            sid: events.sid(row).to_owned(),
            by: events.by(row),
            question: timeline.questions.questions[self.question].name().to_string(),
            entry: events.reference(row),
            commit: short(events.anchor(row.anchor)),
            why: why.to_owned(),
        });
        flagged.collect()
    }
}

/// Marks the judgements, oldest first, whose questions later ones answer anew.
pub fn answer_anew(judgements: &mut [RuledLook], timeline: &Timeline, lineage: &mut dyn Lineage) {
    let mut flagged: Vec<Vec<usize>> = vec![Vec::new(); timeline.questions.questions.len()];
    for place in 0..judgements.len() {
        let one = &judgements[place];
        let (anchor, flagged) = (one.anchor(timeline), &mut flagged[one.question]);
        if one.is_flagged() {
            flagged.push(place);
        } else if one.answers() {
            flagged.retain(|earlier| {
                let earlier = &mut judgements[*earlier];
                earlier.is_answered = lineage.holds(anchor, earlier.anchor(timeline));
                !earlier.is_answered
            });
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flagged {
    pub rule: Rule,
    pub sid: String,
    pub by: Option<Person>,
    pub question: String,
    /// The id of the entry, or the digest of a line that another program wrote.
    pub entry: String,
    pub commit: String,
    pub why: String,
}

impl Flagged {
    /// What a person closes to close it.
    pub fn closing(&self) -> Closed {
        look_closing(Some(self.rule), &self.question, &self.entry)
    }
}

/// The closing of a flag of an entry.
pub(super) fn look_closing(rule: Option<Rule>, question: &str, entry: &str) -> Closed {
    match rule {
        Some(Rule::SecondLook) => Closed::answer(ClosedKind::Look, question, entry),
        _ => Closed::new(ClosedKind::Look, entry),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeverDiffers {
    pub question: String,
    /// Number of consecutive exposed answers without a delta.
    pub answers: usize,
    /// The id of the newest entry among them.
    pub entry: String,
    /// True if one person gave all answers of the log: then nobody else can look.
    pub is_alone: bool,
}

/// Numbers of flagged looks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FlaggedLooks {
    /// Number of looks with a flag that is open: no later look answered the question anew, with evidence, and nobody
    /// closed it.
    pub open: usize,
    /// Number of the last looks, 20 at most, that a rule could have flagged.
    pub looks: usize,
    /// Number of these that are flagged, open or not.
    pub flagged: usize,
}

#[derive(Debug, Default)]
pub struct Looks {
    pub count: FlaggedLooks,
    /// The open flags of the newest 20 looks that have some, newest first.
    pub flagged: Vec<Flagged>,
    /// What closes the open flags, newest first.
    pub open_entries: Vec<Closed>,
    pub never_differs: Vec<NeverDiffers>,
    /// The indices of questions with the same answer for long.
    pub alike: HashSet<usize>,
    /// By session: true if it said `same` to something that had changed.
    pub silent: Vec<bool>,
    /// Sessions and question numbers of flagged answers.
    answers: Set<(usize, u32)>,
    /// Those of answers that other sessions dispute.
    disputed: Set<(usize, u32)>,
}

impl Looks {
    pub fn of(timeline: &Timeline, judgements: &[RuledLook]) -> Self {
        let mut looks = Self::default();
        // Looks that a rule could have flagged, each with the places of its flagged judgements.
        let mut claims: Vec<(usize, Vec<usize>)> = Vec::new();
        // By look, the place of its claim.
        let mut places: Vec<Option<usize>> = vec![None; timeline.looks.len()];
        for (number, one) in judgements.iter().enumerate() {
            let is_flagged = one.is_flagged();
            if let Some(answer) = one.answer.filter(|_| is_flagged) {
                let session = timeline.looks[one.look].session;
                looks.answers.insert((session, timeline.answer(answer).question));
            }
            let is_disputed = one.outcomes.own == Some(Outcome::Disputed);
            if let Some(answer) = one.answer.filter(|_| is_disputed) {
                let number = timeline.answer(answer).question;
                looks.disputed.insert((timeline.looks[one.look].session, number));
            }
            // An unsettled correction closes nothing.
            let is_open = one.outcomes.correction == Some(Outcome::Disputed);
            if (one.ruling.is_claim && !is_open) || is_flagged {
                let place = *places[one.look].get_or_insert_with(|| {
                    claims.push((one.look, Vec::new()));
                    claims.len() - 1
                });
                claims[place].1.extend(is_flagged.then_some(number));
            }
        }
        let order = |look: usize| merge_order(timeline, &timeline.looks[look]);
        claims.sort_by(|(one, _), (two, _)| order(*one).cmp(&order(*two)));
        let (mut known, mut known_open) = (Set::default(), Set::default());
        // Oldest first: whether each look counts, and is flagged.
        let mut counted: Vec<(bool, bool)> = Vec::new();
        // Those with open flags.
        let mut open: Vec<Vec<usize>> = Vec::new();
        for (look, mut flagged) in claims {
            let stretch = timeline.looks[look].stretch;
            flagged.retain(|place| !judgements[*place].is_closed(timeline));
            let is_unflagged = flagged.is_empty();
            // A question and rule count once per session, and make no second look then.
            let (mut is_flagged, mut is_open) = (false, false);
            for one in flagged.iter().map(|place| &judgements[*place]) {
                for (rule, _) in one.flags() {
                    let flag = (stretch, rule, one.question);
                    is_flagged |= known.insert(flag);
                    is_open |= one.is_open(timeline) && known_open.insert(flag);
                }
            }
            counted.push((is_flagged || is_unflagged, is_flagged));
            looks.count.open += usize::from(is_open);
            flagged.retain(|place| judgements[*place].is_open(timeline));
            open.extend((!flagged.is_empty()).then_some(flagged));
        }
        for (number, flagged) in open.iter().rev().enumerate() {
            for one in flagged.iter().rev().map(|place| &judgements[*place]) {
                looks.open_entries.push(one.closing(timeline));
                if number < WINDOW {
                    looks.flagged.extend(one.flagged(timeline));
                }
            }
        }
        let last = counted.into_iter().rev().filter(|(counts, _)| *counts).take(WINDOW);
        for (_, is_flagged) in last {
            looks.count.looks += 1;
            looks.count.flagged += usize::from(is_flagged);
        }
        looks.find_alike(timeline, judgements);
        looks
    }

    pub fn is_flagged(&self, session: usize, question: u32) -> bool {
        self.answers.contains(&(session, question))
    }

    pub fn is_disputed(&self, session: usize, question: u32) -> bool {
        self.disputed.contains(&(session, question))
    }

    /// Finds the questions whose exposed answers report no delta for long. A delta that stands, a correction, an answer
    /// that others confirmed, and another `watch` or `lines` start a new count.
    fn find_alike(&mut self, timeline: &Timeline, judgements: &[RuledLook]) {
        let closed = &timeline.questions.closed;
        let questions = &timeline.questions.questions;
        let mut counts: Vec<Option<(usize, SessionAnswer)>> = vec![None; questions.len()];
        let mut asked_otherwise = ((0, false), vec![false; questions.len()]);
        self.silent = vec![false; timeline.sessions.len()];
        for one in judgements {
            let Some(answer) = one.answer.filter(|_| one.ruling.is_claim) else {
                continue;
            };
            let (count, last) = counts[one.question].get_or_insert((0, answer));
            *last = answer;
            let row = timeline.row(answer.entry);
            let then = timeline.believed_store(answer.entry);
            if asked_otherwise.0 != (row.store, then.is_some()) {
                asked_otherwise = ((row.store, then.is_some()), watched_otherwise(timeline, then));
            }
            let is_confirmed = one.outcomes.own == Some(Outcome::Held);
            let delta = timeline.answer(answer).delta;
            let differs = delta && one.ruling.flags.is_empty();
            let is_closed = closed.has(ClosedKind::Look, timeline.events.id(row));
            if one.ruling.is_exposed && !delta && !is_closed {
                self.silent[timeline.looks[one.look].session] = true;
            }
            if asked_otherwise.1[one.question] || differs || is_confirmed || is_closed {
                *count = 0;
            } else if one.ruling.is_exposed {
                *count += 1;
            }
        }
        let is_alone = LazyCell::new(|| {
            let signed = timeline.newest_first().filter_map(|row| timeline.events.by(row));
            signed.map(|by| by.email).collect::<HashSet<_>>().len() < 2
        });
        for (place, (question, count)) in questions.iter().zip(counts).enumerate() {
            let Some((answers, last)) = count else {
                continue;
            };
            let is_closed = closed.has(ClosedKind::NeverDiffers, &question.name().to_string());
            if answers >= ALIKE && question.status == Status::Active && !is_closed {
                self.alike.insert(place);
                self.never_differs.push(NeverDiffers {
                    question: question.name().to_string(),
                    answers,
                    entry: timeline.events.id(timeline.row(last.entry)).to_owned(),
                    is_alone: *is_alone,
                });
            }
        }
    }
}

/// The questions whose dependencies were other ones in a store.
fn watched_otherwise(timeline: &Timeline, then: Option<&QuestionSet>) -> Vec<bool> {
    let otherwise = timeline.questions.questions.iter().map(|question| {
        let then = then.and_then(|then| then.find(&question.id, question.version));
        then.is_some_and(|then| !then.depends_alike(question))
    });
    otherwise.collect()
}

/// The answers that rules flag, those that are none, and corrections that are disputed.
pub fn doubted(judgements: &[RuledLook]) -> BTreeSet<SessionAnswer> {
    let doubted = judgements.iter().filter(|one| {
        one.ruling.is_lost || one.is_flagged() || one.outcomes.correction == Some(Outcome::Disputed)
    });
    doubted.filter_map(|one| one.answer).collect()
}

/// The corrections about which nothing else says that they are none, in disputes that a later answer ended.
pub fn compared(
    judgements: &[RuledLook],
    has_ended: impl Fn(SessionAnswer) -> bool,
) -> BTreeSet<SessionAnswer> {
    let compared = judgements.iter().filter(|one| {
        one.outcomes.correction == Some(Outcome::Disputed)
            && !one.ruling.is_lost
            && !one.is_flagged()
    });
    compared.filter_map(|one| one.answer).filter(|answer| has_ended(*answer)).collect()
}

/// The answers that rules flag, whatever others said of them.
pub fn flagged_by_rules(judgements: &[RuledLook]) -> BTreeSet<SessionAnswer> {
    let flagged = judgements.iter().filter(|one| !one.ruling.flags.is_empty());
    flagged.filter_map(|one| one.answer).collect()
}

/// The answers that rules flag, each as `QUESTION ENTRY`.
pub fn flagged_answers(judgements: &[RuledLook], timeline: &Timeline) -> Vec<String> {
    let marks = judgements.iter().filter(|one| one.is_flagged()).map(|one| {
        let question = timeline.questions.questions[one.question].name();
        format!("{question} {}", one.reference(timeline))
    });
    marks.collect()
}

/// By question, the entries with open flags that nobody closed, oldest first.
pub fn open_flags(judgements: &[RuledLook], timeline: &Timeline) -> Vec<Vec<String>> {
    let mut open = vec![Vec::new(); timeline.questions.questions.len()];
    for one in judgements.iter().filter(|one| !one.is_answered && one.is_flagged()) {
        if !one.is_closed(timeline) {
            open[one.question].push(one.reference(timeline));
        }
    }
    open
}

/// The order in which history merged looks: the first commit on the line of first parents that contains them, then the
/// times of commits and lines.
fn merge_order<'t>(timeline: &'t Timeline, look: &Look) -> (u32, i64, i64, &'t str) {
    let row = timeline.row(look.last);
    let committed = timeline.entries[look.last as usize].committed;
    (look.merged, committed, row.millis, timeline.events.id(row))
}
