//! Agents that lie, each in its way, and some that don't, through the real program over a generated history: how many of
//! their sessions are found, and by which rules. It prints the table.

mod game;
mod history;
mod kinds;

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use game::{Game, Row};
use history::{Dice, History};
use kinds::{Fate, KINDS};

/// The sessions of an agent.
const SESSIONS: usize = 40;

#[test]
fn cheaters() {
    let history = History::generated();
    let mut dice = Dice(11);
    let mut picked = BTreeSet::new();
    let sessions = std::env::var("N").map_or(SESSIONS, |n| n.parse().unwrap());
    while picked.len() < sessions {
        picked.insert(dice.roll(history.texts.len()));
    }
    let picked: Vec<usize> = picked.into_iter().collect();
    let only = std::env::var("KIND").unwrap_or_default();
    println!(
        "| agent | lying sessions | by rules | and at the tip | and by readers | honest, flagged | refused | looks | gate fails | rules (named, alone) |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let (next, wrong) = (AtomicUsize::new(0), std::sync::Mutex::new(Vec::new()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, agent, fate)) =
                    KINDS.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if !name.contains(&only) {
                        continue;
                    }
                    let row = Game::new(&history).play(&picked, *agent);
                    println!("{}", line(name, &row));
                    if is_wrong(&row, *fate) {
                        wrong.lock().unwrap().push(*name);
                    }
                }
            });
        }
    });
    assert_eq!(*wrong.lock().unwrap(), [""; 0]);
}

fn line(name: &str, row: &Row) -> String {
    let share = |part: usize| {
        (part * 100)
            .checked_div(row.lying)
            .map_or_else(|| "–".to_owned(), |share| format!("{share} %"))
    };
    let rules = row.rules.iter();
    let rules: Vec<String> = rules
        .map(|(rule, [all, alone])| format!("{rule} {all}, {alone}"))
        .collect();
    format!(
        "| {name} | {} | {} | {} | {} | {} of {} | {} | {} | {} | {} |",
        row.lying,
        share(row.by_rules),
        share(row.at_tip),
        share(row.found),
        row.wrongly,
        row.honest,
        row.refused,
        row.looks,
        row.alarms,
        rules.join("; ")
    )
}

fn is_wrong(row: &Row, fate: Fate) -> bool {
    let is_harmed = row.wrongly + row.refused > 0;
    is_harmed
        || match fate {
            Fate::Honest => row.lying + row.alarms > 0,
            Fate::Found(least) => row.found * 100 < row.lying * least,
        }
}
