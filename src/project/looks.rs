//! Judges each recorded look; results are cached by everything that they follow from.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::{BuildHasher, Hash, Hasher},
    ops::Range,
};

use foldhash::fast::FixedState;
use serde_json::json;

use super::{
    Project,
    earlier::{Earlier, Seen},
    memo::{Id, Memo, digest},
    questions::store_blob,
    units::{Unit, units},
};
use crate::{
    entry::{Event, Sum, sha256},
    evidence::{Claim, Judge, Moved, Ruling},
    finding::Rule,
    git::{self, NotesReader, Oid, Pathspecs},
    metrics::{
        Disputes, Doubted, Outcomes, RuledLook, Standings, Thread, answer_anew, compared,
        has_ended, open_flags,
    },
    question::{ClosedKind, Question, Settings, name},
    store::Row,
    timeline::{Lineage, SessionAnswer, Timeline, Unknown},
};

const BATCH: usize = 12288;

/// Entries whose claims are cached at most: later ones are compared with the newest, mostly.
const CLAIMS: usize = 4096;

/// The work to judge one look, in the unit of `WORTH_WRITING`.
const LOOK: usize = 4;

#[derive(Default)]
pub struct Rulings {
    /// Oldest first, without those of answers with which nothing is wrong, and that claim nothing.
    pub all: Vec<RuledLook>,
    /// In the store's order.
    pub at_tip: Standings,
    pub threads: Vec<Thread>,
    pub doubted: Doubted,
    pub unknown: Vec<Unknown>,
}

/// Judges in the order of time: an answer counts for later ones only if it is not flagged.
pub fn judge<'p>(
    project: &'p Project,
    timeline: &'p Timeline,
    lineage: &mut dyn Lineage,
    disputes: &'p Disputes,
) -> (Pass<'p>, Rulings) {
    let memo = std::mem::take(&mut project.facts.borrow_mut().judged);
    let questions = &timeline.questions.questions;
    let units = units(timeline);
    let mut pass = Pass {
        project,
        timeline,
        disputes,
        judge: Judge::new(&project.repo, project.tip, &timeline.questions.settings.cite),
        reads_ahead: memo.is_empty(),
        earlier: questions
            .iter()
            .map(|_| Vec::with_capacity(units.len() / questions.len()))
            .collect(),
        units,
        claims: HashMap::new(),
        noted: HashMap::new(),
        shared: timeline.events.shared_since(),
        // What stands elsewhere is perhaps in this clone alone.
        marks: timeline.events.marks(|anchor| lineage.reached(anchor).is_some()),
        log: None,
        settlers: HashMap::new(),
        is_line: timeline.looks.windows(2).all(|two| lineage.holds(two[1].anchor, two[0].anchor)),
        repeats: HashMap::new(),
        flagged: Vec::new(),
    };
    let all = Vec::with_capacity(pass.units.len());
    let mut found = Rulings { all, unknown: invalid(questions), ..Rulings::default() };
    let mut untold: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let seed = seed(&pass);
    let entries = pass.entries();
    let known = memo.recall(seed, &entries.iter().map(|(_, id)| *id).collect::<Vec<Id>>());
    let mut memo = Memo::new(seed);
    // For each question, where the line of first parents first contains a look that the memo lacks.
    let mut new = vec![u32::MAX; questions.len()];
    let has_redactions = timeline.events.has_redactions();
    for (number, (places, id)) in entries.into_iter().enumerate() {
        let start = known.find(number, &id);
        memo.begin(id);
        for place in places.clone() {
            let unit = pass.units[place];
            let question = &questions[unit.question];
            let merged = timeline.looks[unit.look].merged;
            let recalled = start.and_then(|start| known.get(start + place - places.start));
            let holds = merged < new[unit.question];
            let (stands, recalled) = if holds { (recalled, None) } else { (None, recalled) };
            let is_new = stands.is_none();
            let is_redacted =
                has_redactions && stands.as_ref().is_none_or(|ruling| !ruling.flags.is_empty());
            let candidates = if is_new || is_redacted {
                pass.before(lineage, unit.question, Some(unit.entry), unit.answer, disputes)
            } else {
                Seen::default()
            };
            let ruling = stands.map_or_else(
                || {
                    project.facts.borrow_mut().work += LOOK;
                    pass.judge(lineage, place, &candidates)
                },
                Ok,
            );
            memo.push(ruling.as_ref().ok());
            let mut ruling = ruling.unwrap_or_else(|_| {
                let session = timeline.looks[unit.look].session;
                untold.entry(session).or_default().insert(question.name().to_string());
                Ruling::default()
            });
            if is_new && unit.answer.is_some() && recalled.as_ref() != Some(&ruling) {
                new[unit.question] = merged.min(new[unit.question]);
            }
            pass.remember(unit, &ruling);
            if unit.replaced_by.is_some() {
                continue;
            }
            if is_redacted {
                let lines = unit.answer.iter().chain(&candidates.before).chain(&candidates.skipped);
                pass.redact(&unit, &mut ruling, lines);
            }
            let Unit { look, question, answer, .. } = unit;
            let outcomes = answer.map(|answer| disputes.outcomes(answer)).unwrap_or_default();
            if ruling != Ruling::default() || outcomes != Outcomes::default() {
                let is_answered = false;
                found.all.push(RuledLook { look, question, answer, ruling, outcomes, is_answered });
            }
        }
    }
    project.facts.borrow_mut().judged = memo;
    pass.remember_unjudged();
    answer_anew(&mut found.all, timeline, lineage);
    pass.flagged = open_flags(&found.all, timeline);
    found.doubted.all = pass.doubted(&found.all, lineage);
    pass.stand(&mut found, lineage);
    found.doubted.compared = compared(&found.all, |answer| {
        let about = disputes.corrected_by(answer).map(|(about, _)| about);
        about.is_some_and(|about| has_ended(timeline, &found.at_tip, about))
    });
    found.unknown.extend(untold.into_iter().map(|(session, names)| {
        let sid = timeline.sid(&timeline.sessions[session]).to_owned();
        Unknown::Exposure(sid, names.into_iter().collect())
    }));
    (pass, found)
}

fn invalid(questions: &[Question]) -> Vec<Unknown> {
    let invalid = questions.iter().filter_map(|question| {
        let error = Pathspecs::parse(&question.dependencies()).err()?;
        Some(Unknown::Watch(question.name().to_string(), error.message))
    });
    invalid.collect()
}

/// Digest of what judgements follow from besides looks and questions.
fn seed(pass: &Pass) -> Sum {
    let Pass { project, timeline, disputes, shared, marks, .. } = pass;
    // The base says whether a look is judged by the questions of its own commit.
    let base = project.base.as_ref().map(|base| base.commit);
    let Settings { cite, clock, .. } = &timeline.questions.settings;
    let closed: Vec<&str> = timeline.questions.closed.ids(ClosedKind::Dispute).collect();
    let all = json!([base, cite, clock, shared, marks, disputes.digests(), closed]);
    sha256(all.to_string().as_bytes())
}

type Lines = HashSet<(u64, u64)>;

/// One pass over the looks of a timeline, the oldest first.
pub struct Pass<'p> {
    pub project: &'p Project,
    pub timeline: &'p Timeline,
    pub disputes: &'p Disputes,
    pub judge: Judge<'p>,
    reads_ahead: bool,
    pub units: Vec<Unit>,
    claims: HashMap<u32, Option<Vec<Claim>>>,
    /// The lines of a commit's note in a shared log; `None` if that log is missing.
    pub noted: HashMap<(Oid, Oid), Option<Lines>>,
    /// The time of the first line that names a shared log, in milliseconds since 1970: before it the log was in one place.
    pub shared: i64,
    /// The answers that were flagged where they were carried from, and those that are outdated where they were carried to.
    pub marks: (BTreeSet<String>, BTreeSet<(Oid, String)>),
    /// The shared log that was read last.
    pub log: Option<(Oid, NotesReader<'p>)>,
    /// By question, oldest first.
    pub earlier: Vec<Vec<Earlier>>,
    /// For the sides of each dispute, the last answer that was examined, and those that settle it, oldest first.
    pub settlers: HashMap<Vec<SessionAnswer>, (SessionAnswer, Vec<SessionAnswer>)>,
    /// True if each look contains the one before.
    pub is_line: bool,
    /// What bare `same`s stand for, where that was asked.
    pub repeats: HashMap<SessionAnswer, Vec<SessionAnswer>>,
    /// By question, the entries with open flags, oldest first.
    pub flagged: Vec<Vec<String>>,
}

impl<'p> Pass<'p> {
    fn redact<'a>(
        &self,
        unit: &Unit,
        ruling: &mut Ruling,
        mut lines: impl Iterator<Item = &'a SessionAnswer>,
    ) {
        let Some(mark) = lines.find_map(|one| self.redaction(*one)) else {
            return;
        };
        let own = unit.answer.and_then(|one| self.redaction(one));
        let other = || format!("the answer that it was compared with was {mark}");
        let mark = own.map_or_else(other, str::to_owned);
        for (_, why) in &mut ruling.flags {
            why.clone_from(&mark);
        }
    }

    pub fn redaction(&self, answer: SessionAnswer) -> Option<&str> {
        let row = self.timeline.row(answer.entry);
        self.timeline.events.redaction(row)
    }

    /// Answers to questions that say no dependencies are not judged.
    fn remember_unjudged(&mut self) {
        let questions = &self.timeline.questions.questions;
        for look in &self.timeline.looks {
            let last = look.answers.iter().map(|(question, answer)| (*question, *answer, None));
            let replaced =
                look.replaced.iter().map(|(question, one, by)| (*question, *one, Some(*by)));
            for (question, answer, replaced_by) in last.chain(replaced) {
                if !questions[question].says_dependencies() {
                    let earlier = Earlier::new(answer, replaced_by, &Ruling::default(), None);
                    self.earlier[question].push(earlier);
                }
            }
        }
        for (question, earlier) in questions.iter().zip(&mut self.earlier) {
            if !question.says_dependencies() {
                earlier.sort_unstable_by_key(|earlier| earlier.answer);
            }
        }
    }

    /// An impossible time is not believed, so that nobody excuses a look by what is dated before it.
    fn remember(&mut self, unit: Unit, ruling: &Ruling) {
        let is_believed = ruling.is_shown || !self.timeline.is_early(unit.entry);
        if let Some(answer) = unit.answer.filter(|_| is_believed) {
            let earlier = &mut self.earlier[unit.question];
            earlier.push(Earlier::new(answer, unit.replaced_by, ruling, earlier.last()));
        }
    }

    /// The places of the units of each entry, with what identifies them by the line and the questions alone.
    fn entries(&self) -> Vec<(Range<usize>, Id)> {
        let parts: Vec<u64> = self.timeline.questions.questions.iter().map(digest).collect();
        let mut start = 0;
        let entries = self.units.chunk_by(|one, two| one.entry == two.entry).map(|units| {
            let places = start..start + units.len();
            start = places.end;
            let row = self.timeline.row(units[0].entry);
            // The caches are of one version of this program, so that the hash is the same.
            let mut rest = FixedState::default().build_hasher();
            let anchor = self.timeline.events.anchor(row.anchor);
            (anchor, row.is_ahead, row.breaks_chain, units.len()).hash(&mut rest);
            for unit in units {
                rest.write_u64(parts[unit.question]);
                rest.write_u32(unit.answer.map_or(u32::MAX, |answer| answer.place));
            }
            (places, (row.digest.0, row.digest.1, rest.finish()))
        });
        entries.collect()
    }

    fn judge(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        Seen { before, skipped, overlooked }: &Seen,
    ) -> git::Result<Ruling> {
        let unit = self.units[place];
        let question = self.as_committed(unit.entry, unit.question);
        let mut all = Vec::with_capacity(before.len());
        for one in before {
            match self.compared(lineage, *one, place) {
                Some(claims) => all.extend(claims),
                // The answer is missing, so no rule fires.
                None => return Ok(Ruling::default()),
            }
        }
        let others = skipped.iter().filter_map(|one| self.compared(lineage, *one, place));
        let others: Vec<Claim> = others.flatten().collect();
        let Some(answer) = unit.answer else {
            let any = SessionAnswer { entry: unit.entry, place: 0 };
            let Some(any) = self.claim(any, place) else {
                return Ok(Ruling::default());
            };
            let is_marked = any.moved != Moved::No && self.is_marked(unit);
            if is_marked || any.moved == Moved::ToOtherFiles {
                return Ok(Ruling::carried(Rule::LeftOut, is_marked, false));
            }
            let at = self.timeline.row(unit.entry).anchor;
            let at = self.timeline.events.anchor(at);
            return self.judge.left_out(question, at, &all);
        };
        let Some(mut claim) = self.claim(answer, place) else {
            return Ok(Ruling::default());
        };
        let corrected = self.disputes.corrected_by(answer).map(|(corrected, _)| corrected);
        claim.is_correction &= corrected.is_some();
        claim.corrected_at = corrected.and_then(|corrected| Some(self.claim(corrected, place)?.at));
        let overlooked = overlooked.and_then(|one| self.compared(lineage, one, place)?.pop());
        self.judge.judge(question, &claim, &all, &others, overlooked.as_ref())
    }

    /// A question as the store had it at the commit of an entry: what is asked since changes no judgement.
    pub fn as_committed(&self, entry: u32, question: usize) -> &'p Question {
        let Self { timeline, project, .. } = *self;
        let current = &timeline.questions.questions[question];
        let row = timeline.row(entry);
        let named = timeline.events.store(row.store);
        let is_current =
            project.store.as_ref().is_some_and(|store| store.blob.to_string() == named);
        let then = timeline.believed_store(entry).filter(|_| !is_current);
        let then = then.and_then(|store| store.find(&current.id, current.version));
        // A line may name any store.
        let is_committed = || {
            let there = store_blob(&project.repo, timeline.events.anchor(row.anchor));
            there.is_some_and(|there| there.to_string() == named)
        };
        then.filter(|_| is_committed()).unwrap_or(current)
    }

    pub fn claim(&mut self, answer: SessionAnswer, place: usize) -> Option<Claim> {
        if !self.claims.contains_key(&answer.entry) {
            if self.claims.len() > CLAIMS {
                self.claims.clear();
            }
            let ahead = self.units[place..].iter().map(|unit| unit.entry);
            let ahead = ahead.filter(|_| self.reads_ahead).take(BATCH);
            let mut entries: Vec<u32> = ahead.chain([answer.entry]).collect();
            entries.sort_unstable();
            entries.dedup();
            entries.retain(|entry| !self.claims.contains_key(entry));
            self.read(&entries);
        }
        self.claims.get(&answer.entry)?.as_ref()?.get(answer.place as usize).cloned()
    }

    /// Includes redacted entries: redaction hides words, but does not change a judgement.
    fn read(&mut self, entries: &[u32]) {
        let (repo, events) = (&self.project.repo, &self.timeline.events);
        let rows: Vec<&Row> = entries.iter().map(|&entry| self.timeline.row(entry)).collect();
        let lines = events.raw_lines(repo, &rows);
        for ((&entry, row), line) in entries.iter().zip(&rows).zip(lines) {
            let answers = line.as_deref().and_then(Event::answers);
            let claims = answers.map(|(envelope, answers)| {
                let anchor = events.anchor(row.anchor);
                let moved = Moved::of(repo, &envelope, anchor, !events.is_at_head(row));
                let entry = events.reference(row);
                let claims = answers.iter().map(|answer| {
                    let claim = Claim::of(answer, anchor, moved);
                    let mark = format!("{} {entry}", name(&answer.q_id, answer.version()));
                    if moved == Moved::No { claim } else { claim.marked(&self.marks, mark) }
                });
                claims.collect()
            });
            self.claims.insert(entry, claims);
        }
        if self.reads_ahead {
            let claims = entries.iter().filter_map(|entry| self.claims[entry].as_ref()).flatten();
            self.judge.read_ahead(claims);
        }
    }
}
