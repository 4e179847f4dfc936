//! Measures an original log as a file, without a repository.

use std::{collections::HashMap, sync::Arc};

use super::Measure;
use crate::{
    entry::{Imported, Ts},
    git::Oid,
    metrics::{Read, Survey, survey},
    question::{Question, QuestionSet, Settings},
    store::{Events, Row},
    timeline::{Lineage, Timeline, Unknown, Watch},
};

/// Without a question store, every question that was ever answered counts as asked.
pub fn measure_file(
    lines: &[Imported],
    questions: Option<QuestionSet>,
    measure: &Measure,
    now: Ts,
) -> (Survey, Settings) {
    let notes = lines.iter().map(|line| {
        let head = line.head.parse().unwrap_or_else(|()| Oid::null());
        (head, line.line.as_bytes())
    });
    let events = Arc::new(Events::of_notes(notes));
    let questions = questions.unwrap_or_else(|| answered(&events));
    let questions = measure.of(questions, now.timestamp());
    let settings = questions.settings.clone();
    let timeline = Timeline::build(
        Oid::null(),
        events,
        questions,
        Vec::new(),
        &mut OneLine,
        true,
    );
    let mut survey = Survey {
        imported: 0,
        ..survey(&timeline, Read::default())
    };
    // The lines name their commits themselves; no note carries them.
    let sessions = timeline.sessions.iter().rev();
    for (verdict, session) in survey.quiet.verdicts.iter_mut().rev().zip(sessions) {
        verdict.commit = timeline.events.head(timeline.last(session));
    }
    (survey, settings)
}

/// In the order of the sessions, like the original scripts.
fn answered(events: &Events) -> QuestionSet {
    let mut set = QuestionSet::default();
    let mut first: HashMap<u32, usize> = HashMap::new();
    for (place, row) in events.rows().iter().enumerate() {
        first.entry(row.session).or_insert(place);
    }
    let mut rows: Vec<_> = events.rows().iter().collect();
    rows.sort_by_key(|row| first[&row.session]);
    for answer in rows.into_iter().flat_map(|row| events.answers(row)) {
        let (id, version) = events.question(answer.question);
        let is_same = |known: &Question| known.id == id && known.version == version;
        if !set.questions.iter().any(is_same) {
            set.questions.push(Question::named(id, version));
        }
    }
    set
}

/// A history that treats all commits as one line.
struct OneLine;

impl Lineage for OneLine {
    fn committed(&mut self, _: u32) -> Option<i64> {
        Some(0)
    }

    fn contains(&mut self, _: Oid) -> bool {
        true
    }

    fn holds(&mut self, _: u32, _: u32) -> bool {
        true
    }

    fn merged(&mut self, _: u32) -> u32 {
        0
    }

    fn count_ancestors(&mut self, _: u32) -> usize {
        0
    }

    fn is_changed(&mut self, _: u32, _: u32, _: Watch) -> Option<bool> {
        None
    }

    fn store(&mut self, _: &str) -> Option<QuestionSet> {
        None
    }

    fn asked(&mut self, _: &Row) -> Option<String> {
        None
    }

    fn unknown(&self) -> Vec<Unknown> {
        Vec::new()
    }
}
