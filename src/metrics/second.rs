//! Second looks: answers that somebody else derived again, and what came of it.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    entry::{Person, SecondLook, is_entry_id, sha256_hex},
    evidence::Judged,
    question::name,
    session::Event,
    timeline::{Claimed, Timeline},
};

/// For so many sessions after a wrong answer every open one is looked at again.
const ALARMED: usize = 10;

/// Where readers' words on an answer lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SecondStanding {
    /// Nobody looked.
    Open,
    /// A reader disagrees, and too few others have looked.
    Disputed,
    Held,
    Wrong,
}

/// Where the words of readers lead, each whether that reader agrees, in the order of time: the first who disagrees is right
/// once `confirm` others disagree, too, and wrong once that many agree with the answer.
pub fn standing(words: impl IntoIterator<Item = bool>, confirm: usize) -> SecondStanding {
    let (mut agree, mut differ) = (0, 0);
    for agrees in words {
        *(if agrees { &mut agree } else { &mut differ }) += 1;
        if differ > confirm {
            return SecondStanding::Wrong;
        }
        if agree > 0 && (differ == 0 || agree >= confirm) {
            return SecondStanding::Held;
        }
    }
    if differ > 0 {
        SecondStanding::Disputed
    } else {
        SecondStanding::Open
    }
}

/// An answer that waits for a second look: it had a reason to change, no rule names it, and no probe gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    pub standing: SecondStanding,
    /// The sessions that looked.
    pub readers: Vec<String>,
}

/// An answer that readers agree is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrongAnswer {
    pub entry: String,
    pub q_id: String,
    pub q_version: u32,
    pub sid: String,
    pub by: Option<Person>,
    pub commit: String,
    /// How many readers found another answer.
    pub readers: usize,
    /// When the last of them said so.
    pub ts: String,
}

/// What second looks came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecondLooks {
    /// Oldest first.
    pub open: Vec<OpenAnswer>,
    /// Oldest first, by when that was settled.
    pub wrong: Vec<WrongAnswer>,
    /// Whether one was found in the last ten sessions.
    pub is_alarmed: bool,
}

type Key<'e> = (&'e str, &'e str, u32);

impl SecondLooks {
    /// Joins what the rules make of the timeline's claims, one by one, with what readers say, oldest first.
    pub fn of(timeline: &Timeline, judged: &[Judged], looks: &[Event<SecondLook>]) -> Self {
        let confirm = timeline.questions.settings.second.confirm as usize;
        let mut of_answers: BTreeMap<Key, Vec<&Event<SecondLook>>> = BTreeMap::new();
        let mut seen = HashSet::new();
        // What no clone says to have written is nobody's word.
        for look in looks.iter().filter(|look| look.source.writer.is_some()) {
            let body = &look.body;
            let key = (body.entry.as_str(), body.q_id.as_str(), body.q_version);
            // A session's first word counts.
            if seen.insert((key, reader(look))) {
                of_answers.entry(key).or_default().push(look);
            }
        }
        let mut open = Vec::new();
        for (claim, judged) in timeline.claims.iter().zip(judged) {
            let found = Self::open_answer(timeline, claim, judged, &of_answers, confirm);
            open.extend(found);
        }
        let mut wrong = wrong(timeline, &of_answers, confirm);
        wrong.sort_by(|one, two| one.ts.cmp(&two.ts));
        let last = wrong.last().map(|one| one.ts.clone());
        let since = timeline.sessions.iter().rev();
        let since = since.take_while(|session| {
            last.as_ref()
                .is_some_and(|last| timeline.ts(session).as_str() > last.as_str())
        });
        let is_alarmed = last.is_some() && since.take(ALARMED).count() < ALARMED;
        Self {
            open,
            wrong,
            is_alarmed,
        }
    }

    fn open_answer(
        timeline: &Timeline,
        claim: &Claimed,
        judged: &Judged,
        looks: &BTreeMap<Key, Vec<&Event<SecondLook>>>,
        confirm: usize,
    ) -> Option<OpenAnswer> {
        let answer = claim.answer?;
        let row = timeline.row(answer.entry);
        let events = &timeline.events;
        let (id, version) = events.question(timeline.answer(answer).question);
        let entry = events.id(row);
        let is_claim = judged.is_exposed && !judged.is_unbound && judged.doubts.is_empty();
        if !is_claim || timeline.answer(answer).probed || !is_entry_id(entry) {
            return None;
        }
        let own = (events.sid(row), events.writer(row));
        let looks = looks.get(&(entry, id, version)).into_iter().flatten();
        let looks: Vec<_> = looks.filter(|look| reader(look) != own).collect();
        let standing = standing(looks.iter().map(|look| look.body.agrees), confirm);
        let readers = looks.iter().map(|look| look.source.sid.clone());
        matches!(standing, SecondStanding::Open | SecondStanding::Disputed).then(|| OpenAnswer {
            entry: entry.to_owned(),
            q_id: id.to_owned(),
            q_version: version,
            sid: own.0.to_owned(),
            by: events.by(row),
            commit: events.anchor(row.anchor).to_string(),
            standing,
            readers: readers.collect(),
        })
    }

    /// Those that a reader is asked to look at: what is disputed first, then as `seed` draws them. One session is asked
    /// for `most` of them, and for all while there is an alarm.
    pub fn drawn(
        &self,
        reader: Option<&str>,
        most: usize,
        seed: impl Fn(&OpenAnswer) -> String,
    ) -> Vec<&OpenAnswer> {
        let is_mine = |sid: &String| Some(sid.as_str()) == reader;
        let looked = self
            .open
            .iter()
            .filter(|one| one.readers.iter().any(is_mine));
        let left = most.saturating_sub(looked.count());
        let others = self.open.iter();
        let others = others.filter(|one| !is_mine(&one.sid) && !one.readers.iter().any(is_mine));
        let mut others: Vec<&OpenAnswer> = others.collect();
        others.sort_by_cached_key(|one| {
            let was_wrong = self.wrong.iter().any(|wrong| wrong.q_id == one.q_id);
            let drawn = format!(
                "{}\n{}\n{}@{}",
                seed(one),
                one.entry,
                one.q_id,
                one.q_version
            );
            let is_disputed = one.standing == SecondStanding::Disputed;
            (!is_disputed, !was_wrong, sha256_hex(drawn.as_bytes()))
        });
        if !self.is_alarmed {
            others.truncate(left);
        }
        others
    }
}

impl OpenAnswer {
    /// The question, with the version where that is not 1.
    pub fn name(&self) -> String {
        name(&self.q_id, self.q_version)
    }
}

fn reader<T>(look: &Event<T>) -> (&str, &str) {
    let writer = look.source.writer.as_deref();
    (&look.source.sid, writer.unwrap_or_default())
}

fn wrong(
    timeline: &Timeline,
    looks: &BTreeMap<Key, Vec<&Event<SecondLook>>>,
    confirm: usize,
) -> Vec<WrongAnswer> {
    if looks.is_empty() {
        return Vec::new();
    }
    let events = &timeline.events;
    let rows = timeline.newest_first().map(|row| (events.id(row), row));
    let rows: HashMap<&str, _> = rows.collect();
    let found = looks.iter().filter_map(|(&(entry, id, version), looks)| {
        let row = rows.get(entry).filter(|_| is_entry_id(entry))?;
        let own = (events.sid(row), events.writer(row));
        let others: Vec<_> = looks.iter().filter(|look| reader(look) != own).collect();
        let words = others.iter().map(|look| look.body.agrees);
        let differ = others.iter().filter(|look| !look.body.agrees);
        let last = differ.clone().nth(confirm)?;
        (standing(words, confirm) == SecondStanding::Wrong).then(|| WrongAnswer {
            entry: entry.to_owned(),
            q_id: id.to_owned(),
            q_version: version,
            sid: own.0.to_owned(),
            by: events.by(row),
            commit: events.anchor(row.anchor).to_string(),
            readers: differ.count(),
            ts: last.ts.to_string(),
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_settle_an_answer() {
        for (words, expected) in [
            ("", SecondStanding::Open),
            ("+", SecondStanding::Held),
            ("-", SecondStanding::Disputed),
            ("--", SecondStanding::Disputed),
            ("---", SecondStanding::Wrong),
            ("-+", SecondStanding::Disputed),
            ("-++", SecondStanding::Held),
            ("-+-", SecondStanding::Disputed),
            ("-+--", SecondStanding::Wrong),
            ("-+-+", SecondStanding::Held),
            ("+---", SecondStanding::Held),
        ] {
            let words_of = words.chars().map(|word| word == '+');
            assert_eq!(standing(words_of, 2), expected, "{words}");
        }
        assert_eq!(standing([false], 0), SecondStanding::Wrong);
    }
}
