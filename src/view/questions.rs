use serde::Serialize;

use super::{Dates, Output, Style, Table, asides, count, escape};
use crate::{
    entry::word,
    finding,
    metrics::{Standing, Standings},
    project::{QuestionChange, TrialComparison},
    question::{self, Question, QuestionSet, Status, StoreSchema},
};

/// The questions of a store, and what is wrong with it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Questions {
    pub path: String,
    pub format: StoreSchema,
    pub questions: Vec<QuestionRow>,
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
    /// True for the result of `lint`: its text is a verdict.
    #[serde(skip)]
    pub is_checked: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct QuestionRow {
    pub q_id: String,
    pub q_version: u32,
    pub q: String,
    pub importance: u8,
    pub status: Status,
    /// Its standing at HEAD; null if it could not be derived, or it is not asked.
    pub standing: Option<Standing>,
    pub watch: Vec<String>,
}

impl Questions {
    pub fn of(set: &QuestionSet, path: &str) -> Self {
        Self {
            path: path.to_owned(),
            format: set.schema,
            questions: set.questions.iter().map(QuestionRow::of).collect(),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn standing_as(mut self, standings: &Standings) -> Self {
        for row in &mut self.questions {
            let at_tip = standings.get(&question::name(&row.q_id, row.q_version));
            row.standing = at_tip.map(|at_tip| at_tip.standing);
        }
        self
    }
}

impl Output for Questions {
    const SCHEMA: &'static str = "sq.question.list/v1";

    fn text(&self, style: Style) -> String {
        let warnings = asides(&self.warnings, &[], style);
        let rows = &self.questions;
        if !self.is_checked {
            return rows_text(rows, style) + &warnings;
        }
        let active = rows.iter().filter(|row| row.status == Status::Active);
        let (active, all) = (active.count(), count(rows.len(), "question"));
        let errors = self.errors.iter();
        let errors: String =
            errors.map(|error| style.finding(finding::Severity::Error, &escape(error))).collect();
        let verdict = if errors.is_empty() { "OK" } else { "not OK" };
        let path = escape(&self.path);
        format!("{errors}{warnings}{path}: {verdict}, {all}, {active} active\n")
    }
}

impl QuestionRow {
    pub fn of(question: &Question) -> Self {
        Self {
            q_id: question.id.clone(),
            q_version: question.version,
            q: question.text.clone(),
            importance: question.importance.0,
            status: question.status,
            standing: None,
            watch: question.watch.clone(),
        }
    }
}

fn rows_text(rows: &[QuestionRow], style: Style) -> String {
    let mut table = Table::new();
    // Of the past, it is not known where anything stood.
    let standing = if rows.iter().any(|row| row.standing.is_some()) { "standing" } else { "" };
    let head = ["question", standing, "importance"].map(|name| style.dim(name));
    table.row(head, style.dim("text"));
    for row in rows {
        let name = question::name(&row.q_id, row.q_version);
        let status = match row.status {
            Status::Active => String::new(),
            other => format!("[{}] ", word(&other)),
        };
        table.row(
            [
                style.name(&name),
                row.standing
                    .map_or_else(String::new, |standing| style.standing(standing, standing.word())),
                style.dim(&row.importance.to_string()),
            ],
            status + &escape(&row.q),
        );
    }
    table.text(style)
}

#[derive(Debug, Clone, Serialize)]
pub struct QuestionHistory {
    /// All versions, in the order of the store.
    pub versions: Vec<QuestionRow>,
    pub trials: Vec<TrialComparison>,
    pub changes: Vec<QuestionChange>,
    pub warnings: Vec<String>,
    #[serde(skip)]
    pub dates: Dates,
}

impl Output for QuestionHistory {
    const SCHEMA: &'static str = "sq.question.history/v1";

    fn text(&self, style: Style) -> String {
        let versions = rows_text(&self.versions, style);
        let changes = self.changes.iter().map(|change| {
            let what =
                change.what.iter().map(|what| format!("    {}\n", style.wrap(&escape(what), 4, 6)));
            format!(
                "\n{} {}, {}: {}\n{}",
                style.commit(&change.commit[..10]),
                self.dates.text(&change.ts),
                escape(&change.by.name),
                escape(&change.subject),
                what.collect::<String>()
            )
        });
        let trials = self.trials.iter().map(|row| {
            let both = count(row.sessions, "session");
            let (trial, active) = (row.trial, row.active);
            let deltas = count(row.same_delta, "time");
            let answers = match row.with_answers {
                0 => String::new(),
                number => format!("; {} of {number} answers were the same", row.same_answer),
            };
            format!("versions {trial} and {active} in {both}: {deltas} both changed or neither did{answers}\n")
        });
        let text: String = [versions].into_iter().chain(trials).chain(changes).collect();
        text + &asides(&self.warnings, &[], style)
    }
}
