//! Agents that lie, each in its way, and some that don't, through the real program over a generated history, or a real one:
//! how many of their sessions are found, and by which rules. It prints the table. `SQ_KINDS=honest,quiet` plays some.

mod answers;
mod game;
mod history;
mod honest;
mod kinds;
mod names;
mod readers;
mod verdicts;

use std::{
    collections::BTreeSet,
    env,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use game::Game;
use history::{Dice, History};
use kinds::{HONEST, KINDS};
use verdicts::Row;

/// The sessions of an agent.
const SESSIONS: usize = 20;

/// The least share of lying sessions, in percent, that rules, the tip and readers have to find.
const LEAST: usize = 95;

#[test]
fn cheaters() {
    let history = History::real().unwrap_or_else(History::generated);
    let mut dice = Dice(11);
    let mut picked = BTreeSet::new();
    while picked.len() < SESSIONS {
        picked.insert(dice.roll(history.texts.len()));
    }
    let picked: Vec<usize> = picked.into_iter().collect();
    println!(
        "| agent | lying sessions | by rules | or at the tip | or by readers | honest ones flagged | refused | looks | gate fails | rules: named, alone |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let play = || {
        while let Some((name, agent)) = KINDS.get(next.fetch_add(1, Ordering::Relaxed)) {
            let only = env::var("SQ_KINDS");
            if only.is_ok_and(|only| !only.split(',').any(|part| name.contains(part))) {
                continue;
            }
            let row = Game::new(&history).play(&picked, *agent);
            println!("{}", line(name, &row));
            if is_wrong(name, &row) {
                wrong.lock().unwrap().push(*name);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(play);
        }
    });
    assert_eq!(*wrong.lock().unwrap(), [""; 0]);
}

fn line(name: &str, row: &Row) -> String {
    let [rules, tip, found] = [row.by_rules, row.at_tip, row.found].map(|part| {
        match (part * 100).checked_div(row.lying) {
            Some(share) => format!("{share} %"),
            None => "–".to_owned(),
        }
    });
    let (lying, wrongly, honest) = (row.lying, row.wrongly, row.honest);
    let (refused, looks, alarms) = (row.refused, row.looks, row.alarms);
    format!(
        "| {name} | {lying} | {rules} | {tip} | {found} | {wrongly} of {honest} | {refused} | {looks} | {alarms} | {:?} |",
        row.rules
    )
}

/// None of an honest agent's sessions is flagged, nor asked twice, and it raises no alarm; of others most lies are found.
fn is_wrong(name: &str, row: &Row) -> bool {
    let is_harmed = row.wrongly + row.refused > 0;
    let is_alarmed = name.starts_with(HONEST) && row.lying == 0 && row.alarms > 0;
    let is_missed = row.found * 100 < row.lying * LEAST;
    is_harmed || is_alarmed || is_missed
}
