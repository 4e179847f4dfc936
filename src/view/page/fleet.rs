//! The page of many repositories.

use super::{Html, Tone, chip, code, frame, quoted, same_as, section, table, tag, verdict};
use crate::{
    project::{Fleet, FleetRow, FleetState},
    view::fleet::{NAMED, reasons, work_words},
};

const COLUMNS: [&str; 7] =
    ["repository", "state", "why", "#wrong facts", "#sessions", "#questions", "last answer"];

pub fn fleet_page(fleet: &Fleet) -> String {
    let tone = fleet.repositories.first().map_or(Tone::Plain, |row| tone(row.state));
    let next = match tone {
        Tone::Error => "In a repository, git sq check shows its errors, and what to do.",
        Tone::Warning => "What is unknown may hide an error.",
        Tone::Good | Tone::Plain => "Nothing to do.",
    };
    let head = verdict("Standing questions", tone, fleet.head(), tag("p").with(next));
    let rows = fleet.repositories.iter().map(cells);
    let list = [
        table("Those that need attention first", &COLUMNS, rows),
        tag("p").with(fleet.sums()),
        same_as("git sq fleet"),
    ];
    frame("Standing questions", [head, section("Repositories", list)])
}

fn cells(row: &FleetRow) -> Vec<Html> {
    let figures = row.figures.as_ref();
    let number =
        |number: Option<usize>| number.map_or_else(|| "?".into(), |number| number.to_string());
    let newest = figures.and_then(|figures| figures.newest_answer());
    let works = row.agents.iter().take(NAMED).map(|work| {
        let ts = work.ts.get(..10).unwrap_or_default();
        tag("div").class("quiet").with(quoted(&work_words(work, ts)))
    });
    vec![
        code(&row.path),
        chip(tone(row.state), row.state.words()),
        [quoted(&reasons(row).join("; ")), works.collect()].into(),
        number(row.wrong_facts).into(),
        number(figures.and_then(|figures| figures.sessions)).into(),
        number(figures.map(|figures| figures.questions.len())).into(),
        newest.and_then(|time| time.get(..10)).unwrap_or_default().into(),
    ]
}

fn tone(state: FleetState) -> Tone {
    match state {
        FleetState::NeedsHelp => Tone::Error,
        FleetState::Fails | FleetState::WrongFacts | FleetState::Changed | FleetState::Unknown => {
            Tone::Warning
        }
        FleetState::NotSetUp => Tone::Plain,
        FleetState::Clean => Tone::Good,
    }
}
