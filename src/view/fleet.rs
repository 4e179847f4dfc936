use super::{Exported, Output, Style, count, escape, fence, few, joined, openmetrics, words::ago};
use crate::{
    entry::clip,
    finding::Rule,
    metrics::Standing,
    project::{Figures, Fleet, FleetRow, FleetState, LastWork},
};

/// Questions that are named for each standing, and agents for each repository.
pub(super) const NAMED: usize = 5;

/// Characters of an agent's last work at most.
const WORK: usize = 160;

impl Output for Fleet {
    const SCHEMA: &'static str = "sq.fleet/v1";

    fn text(&self, style: Style) -> String {
        let rows = &self.repositories;
        let blocks = rows.chunk_by(|row, next| row.state == next.state).map(|rows| {
            let lines = rows.iter().map(|row| {
                let path = style.name(&escape(&row.path));
                let line = format!("{path}: {}", escape(&self.words(row)));
                let works = row.agents.iter().take(NAMED).map(|work| {
                    let text = escape(&work_words(work, &ago(&work.ts, self.now)));
                    format!("    {}\n", style.wrap(&text, 4, 6))
                });
                format!("  {}\n{}", style.wrap(&line, 2, 4), works.collect::<String>())
            });
            let title = title(rows[0].state, style);
            format!("\n{title}\n{}", lines.collect::<String>())
        });
        let blocks: String = blocks.collect();
        format!("{}\n{blocks}\n{}\n", self.head(), self.sums())
    }
}

impl Fleet {
    /// For an issue; text of the repositories is fenced.
    pub fn markdown(&self) -> String {
        format!("## Standing questions\n\n{}", fence(self.text(Style::default()).lines()))
    }

    pub fn openmetrics(&self, by_question: bool) -> String {
        let exported = self.repositories.iter().map(|row| Exported {
            repository: &row.path,
            is_readable: row.figures.is_some() || row.state == FleetState::NotSetUp,
            figures: row.figures.as_ref(),
        });
        openmetrics(&exported.collect::<Vec<_>>(), by_question)
    }

    pub(super) fn head(&self) -> String {
        let states = self.totals.repositories.iter();
        let groups = states.map(|(state, number)| format!("{number} {}", state.words()));
        let repositories = match self.repositories.len() {
            1 => "1 repository".into(),
            number => format!("{number} repositories"),
        };
        format!("{repositories}: {}", joined(groups, ", "))
    }

    pub(super) fn sums(&self) -> String {
        let sums = &self.totals;
        let numbers = [
            count(sums.sessions, "session"),
            count(sums.answers, "answer"),
            count(sums.errors, "error"),
            count(sums.warnings, "warning"),
            count(sums.wrong_facts, "wrong fact"),
        ];
        format!("{} in those that could be read", numbers.join(", "))
    }

    fn words(&self, row: &FleetRow) -> String {
        let mut parts = reasons(row);
        parts.extend(row.figures.as_ref().and_then(|figures| self.activity(figures)));
        parts.join("; ")
    }

    fn activity(&self, figures: &Figures) -> Option<String> {
        let sessions = count(figures.sessions?, "session");
        Some(match figures.newest_answer() {
            Some(newest) => format!("{sessions}, the last answer {}", ago(newest, self.now)),
            None => sessions,
        })
    }
}

/// Not escaped: `steve (2 hours ago): half of the parser is done`.
pub(super) fn work_words(LastWork { agent, text, .. }: &LastWork, when: &str) -> String {
    let agent = agent.as_deref().unwrap_or("unnamed");
    let text = if text.is_empty() { "ended without a state" } else { text };
    clip(&format!("{agent} ({when}): {text}"), WORK)
}

/// The reasons for the state; not escaped.
pub(super) fn reasons(row: &FleetRow) -> Vec<String> {
    let wrong = row.wrong_facts.filter(|wrong| *wrong > 0);
    let wrong = wrong.map(|wrong| count(wrong, "wrong fact"));
    let mut parts: Vec<String> = row.why.iter().cloned().chain(wrong).collect();
    if let Some(figures) = &row.figures {
        parts.extend(troubles(figures));
        parts.extend(figures.unknown.first().cloned());
        if figures.unknown.len() > 1 {
            parts.push(format!("{} more unknown", figures.unknown.len() - 1));
        }
    }
    parts.extend(row.changes.iter().cloned());
    parts
}

/// The questions that do not stand well, and the rules of the other errors: `q1, q3 fail; flagged`.
fn troubles(figures: &Figures) -> Vec<String> {
    let standings = Standing::ALL.into_iter().filter(|standing| !standing.is_good());
    let questions = standings.filter_map(|standing| {
        let names: Vec<&str> = figures
            .questions
            .iter()
            .filter(|question| question.standing == standing)
            .map(|question| question.question.as_str())
            .collect();
        let number = names.len();
        (number > 0).then(|| format!("{} {}", few(names, NAMED), standing.of_many(number)))
    });
    let mut rules: Vec<Rule> = figures
        .errors
        .iter()
        .map(|error| error.rule)
        .filter(|rule| !Standing::ALL.into_iter().any(|standing| rule.is_of(standing)))
        .collect();
    rules.dedup();
    questions.chain(rules.into_iter().map(|rule| rule.name().to_owned())).collect()
}

fn title(state: FleetState, style: Style) -> String {
    match state {
        FleetState::NeedsHelp => style.error(state.words()),
        FleetState::Fails | FleetState::WrongFacts | FleetState::Changed | FleetState::Unknown => {
            style.warning(state.words())
        }
        FleetState::NotSetUp | FleetState::Clean => style.name(state.words()),
    }
}
