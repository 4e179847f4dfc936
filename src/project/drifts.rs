//! Drifts with the texts of their entries, and the answers that can get a verdict.

use std::{collections::HashMap, iter::once};

use serde::Serialize;

use super::{Error, Found, Measure, Project, looks::judge};
use crate::{
    entry::{Event, Kind, Text, Verdict, VerdictWord},
    git::Oid,
    metrics::{
        BlockingDrift, Disputes, Doubted, Drift, Fate, Said, Standings, blocking, drifts,
        has_ended, last_word,
    },
    question::{Question, Severity, Status},
    session::{self, events},
    store::{Events, Row},
    timeline::{Lineage, SessionAnswer, Timeline},
};

type Judged<'j> = (&'j Doubted, &'j Disputes);

pub struct Drifts {
    pub timeline: Timeline,
    /// Oldest first.
    pub drifts: Vec<Drift>,
    by_entry: HashMap<String, Vec<usize>>,
    /// By entry and question, what others say against an answer.
    doubts: HashMap<(String, u32), &'static str>,
    verdicts: Vec<session::Event<Verdict>>,
}

#[derive(Debug, Clone, Serialize)]
pub struct GivenVerdict {
    pub sid: String,
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl Drifts {
    /// Newest first; each kind of name (question, session, entry, commit) narrows them down.
    pub fn named(&self, names: &[Found]) -> impl Iterator<Item = &Drift> {
        self.drifts.iter().rev().filter(|drift| {
            let row = self.timeline.row(drift.change.now.entry);
            self.is_named(row, (&drift.q_id, drift.q_version), names)
        })
    }

    /// A verdict on the open drifts that match or, if none is open, on the judged ones; `Agrees` on any answer.
    pub fn judged(&self, names: &[Found], verdict: VerdictWord, note: &str) -> Vec<GivenVerdict> {
        let given = |entry: &str, sid: &str, (id, version): (&str, u32)| GivenVerdict {
            sid: sid.to_owned(),
            verdict: Verdict {
                entry: entry.to_owned(),
                q_id: id.to_owned(),
                q_version: version,
                verdict,
                note: note.to_owned(),
            },
        };
        let (timeline, events) = (&self.timeline, &self.timeline.events);
        if verdict == VerdictWord::Agrees {
            return timeline
                .looks
                .iter()
                .flat_map(|look| &look.answers)
                .filter_map(|(_, answer)| {
                    let row = timeline.row(answer.entry);
                    let question = events.question(timeline.answer(*answer).question);
                    let is_it = self.is_named(row, question, names) && !events.id(row).is_empty();
                    is_it.then(|| given(events.id(row), events.sid(row), question))
                })
                .collect();
        }
        let all = |is_meant: fn(&Drift) -> bool| -> Vec<GivenVerdict> {
            self.named(names)
                .filter(|drift| is_meant(drift))
                .map(|drift| given(&drift.entry, &drift.sid, (&drift.q_id, drift.q_version)))
                .collect()
        };
        let open = all(Drift::is_open);
        if open.is_empty() {
            return all(|drift| matches!(drift.fate, Fate::Judged { .. }));
        }
        open
    }

    fn is_named(&self, row: &Row, question: (&str, u32), names: &[Found]) -> bool {
        let events = &self.timeline.events;
        let told = names.iter().map(|name| match name {
            Found::Question(version) => (0, version.names(question.0, question.1)),
            Found::Session(sid) => (1, sid == events.sid(row)),
            Found::Entry(id) => (2, id == events.id(row)),
            Found::Commit(commit) => (3, *commit == events.anchor(row.anchor)),
        });
        let told: Vec<(u8, bool)> = told.collect();
        told.iter().all(|(kind, _)| told.contains(&(*kind, true)))
    }

    /// What others say against an answer.
    pub fn doubt(&self, entry: &str, (id, version): (&str, u32)) -> Option<&'static str> {
        let number = self.timeline.events.question_number(id, version)?;
        self.doubts.get(&(entry.to_owned(), number)).copied()
    }

    /// The fate of a delta, or a person's verdict on another answer; by its entry.
    pub fn fate(
        &self,
        entry: &str,
        question: (&str, u32),
        sid: &str,
        is_delta: bool,
    ) -> Option<Fate> {
        let drift = self.by_entry.get(entry).into_iter().flatten().find_map(|&place| {
            let drift = &self.drifts[place];
            (is_delta && (drift.q_id.as_str(), drift.q_version) == question).then_some(drift)
        });
        drift.map_or_else(
            || last_word(&self.verdicts, entry, question, sid),
            |drift| Some(drift.fate.clone()),
        )
    }
}

impl Project {
    /// Returns true if there may be drifts to report: the questions block or expect something, or there are verdicts.
    pub fn judges_drifts(&self, events: &Events) -> bool {
        let store = self.store.as_ref();
        store.is_some_and(|store| store.set.questions.iter().any(judges))
            || events.rows().iter().any(|row| row.is(Kind::Verdict))
    }

    pub fn judged_drifts(&self) -> Result<Drifts, Error> {
        self.drifts_where(|question| question.is_some_and(judges))
    }

    pub fn drifts(&self) -> Result<Drifts, Error> {
        self.drifts_where(|_| true)
    }

    fn drifts_where(&self, is_wanted: fn(Option<&Question>) -> bool) -> Result<Drifts, Error> {
        let questions = self.questions_with_limits(&Measure::default())?;
        let (timeline, (drifts, verdicts), doubts) =
            self.join(questions, false, |timeline, lineage| {
                let disputes = Disputes::of(&timeline, &events(&timeline.events));
                let (_, judgements) = judge(self, &timeline, lineage, &disputes);
                let judged = (&judgements.doubted, &disputes);
                let drifts = self.drifts_of(&timeline, lineage, is_wanted, judged);
                let doubts = doubts(&timeline, &disputes, &judgements.at_tip);
                (timeline, drifts, doubts)
            })?;
        let mut by_entry: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, drift) in drifts.iter().enumerate() {
            by_entry.entry(drift.entry.clone()).or_default().push(place);
        }
        Ok(Drifts { timeline, drifts, by_entry, doubts, verdicts })
    }

    pub fn with_subject(&self, drift: &Drift) -> Drift {
        let commit = drift.commit.parse::<Oid>().ok();
        Drift { subject: commit.and_then(|commit| self.repo.subject(commit).ok()), ..drift.clone() }
    }

    pub(super) fn blocking(
        &self,
        timeline: &Timeline,
        lineage: &mut dyn Lineage,
        judged: Judged,
    ) -> Vec<BlockingDrift> {
        let blocks = |question: &Question| {
            question.status == Status::Active && question.severity == Some(Severity::Blocking)
        };
        let (drifts, _) =
            self.drifts_of(timeline, lineage, |question| question.is_some_and(blocks), judged);
        blocking(&drifts)
    }

    fn drifts_of(
        &self,
        timeline: &Timeline,
        lineage: &mut dyn Lineage,
        is_wanted: impl Fn(Option<&Question>) -> bool,
        (doubted, disputes): Judged,
    ) -> (Vec<Drift>, Vec<session::Event<Verdict>>) {
        let verdicts = events(&timeline.events);
        let is_wanted = |id: &str, version| is_wanted(timeline.questions.find(id, version));
        let read = |answers: &[SessionAnswer]| self.said(timeline, answers);
        let contains = |commit, other| lineage.holds(commit, other);
        (drifts(timeline, &verdicts, is_wanted, read, doubted, disputes, contains), verdicts)
    }

    /// The answers in the log, even redacted ones: they are compared, not shown. `None` for a line whose note is missing.
    pub(super) fn said(&self, timeline: &Timeline, answers: &[SessionAnswer]) -> Vec<Said> {
        let rows: Vec<&Row> = answers.iter().map(|answer| timeline.row(answer.entry)).collect();
        let lines = timeline.events.raw_lines(&self.repo, &rows);
        answers
            .iter()
            .zip(lines)
            .map(|(answer, line)| said_in(&line?, answer.place as usize))
            .map(Option::unwrap_or_default)
            .collect()
    }
}

fn doubts(
    timeline: &Timeline,
    disputes: &Disputes,
    standings: &Standings,
) -> HashMap<(String, u32), &'static str> {
    let events = &timeline.events;
    let sides = disputes.all().into_iter();
    let sides = sides.flat_map(|(about, dispute)| {
        once(about).chain(dispute.correction).map(move |side| (about, side))
    });
    let doubts = sides.filter_map(|(about, answer)| {
        let (entry, question) =
            (events.id(timeline.row(answer.entry)), timeline.answer(answer).question);
        let is_ended = has_ended(timeline, standings, about);
        // A line without an id is told from no other by that.
        let doubt = disputes.outcomes(answer).doubt(is_ended).filter(|_| !entry.is_empty());
        Some(((entry.to_owned(), question), doubt?))
    });
    doubts.collect()
}

fn judges(question: &Question) -> bool {
    question.severity == Some(Severity::Blocking) || question.expect.is_some()
}

fn said_in(line: &[u8], place: usize) -> Option<Said> {
    let answer = Event::answers(line)?.1.into_iter().nth(place)?;
    Some((answer.answer, answer.note.map(Text::into_owned)))
}
