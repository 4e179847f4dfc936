//! The readers of hostile input, in this process.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use git_sq::{
    entry::{Event, Kind, SessionEnd, State, Ts, import_file, trace},
    git::{Oid, Pathspecs, Repo},
    question::{TensionSettings, parse, warnings},
    session::{Ledger, events, rows},
    store::{Events, LocalState, state_dir},
    view::{Style, problems_text},
};
use git_sq_test_support::World;

use super::{
    PATIENCE, corpus,
    mutate::{Noise, mutated},
    victim::steers,
};

/// Reads it, and shows it where that ends badly.
#[track_caller]
fn survives(input: &[u8], read: impl FnOnce()) {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(read));
    let took = start.elapsed();
    assert!(outcome.is_ok() && took < PATIENCE, "after {took:?}: \"{}\"", input.escape_ascii());
}

pub fn lines(noise: &mut Noise) {
    let line = mutated(&corpus::lines(), noise);
    survives(&line, || {
        let _ = Event::parse(&line);
        let _ = Kind::of_line(&line);
        let _ = trace(&line);
        let at = Ts::from_millis(0);
        let _ = import_file(&line, "f", &at);
        let id: Oid = "abcdef0000000000000000000000000000000000".parse().unwrap();
        let log = Events::of_notes([(id, &line[..])]);
        let _ = log.believed(at.as_millis());
        let _ = rows(&events::<State>(&log), &events::<SessionEnd>(&log));
        let now = "2026-01-02T00:00:00Z".parse().unwrap();
        let _ = Ledger::of(&log).replay(now, &TensionSettings::default());
    });
}

pub fn store(noise: &mut Noise) {
    let text = mutated(&corpus::stores(), noise);
    survives(&text, || match parse("store", &text) {
        Ok(set) => drop(warnings(&set)),
        Err(error) => {
            let shown = problems_text(&error, Style::default());
            assert!(!shown.contains(steers), "{shown:?}");
        }
    });
}

pub fn pathspecs() -> impl FnMut(&mut Noise) {
    let world = World::new();
    for path in ["src/lib.rs", "docs/deep/a.md", "a[x].md", "ü/leer zeichen.md"] {
        world.write(path, path);
    }
    world.change(&"a".repeat(200), "");
    let repo = Repo::open(&world.dir).unwrap();
    let head = repo.head().unwrap().commit.unwrap();
    move |noise| {
        let _ = &world;
        let specs: Vec<String> = (0..=noise.below(3))
            .map(|_| String::from_utf8_lossy(&mutated(&corpus::pathspecs(), noise)).into_owned())
            .collect();
        survives(specs.join(" ").as_bytes(), || {
            if let Ok(mut specs) = Pathspecs::parse(&specs) {
                repo.files_at(head, &mut specs).unwrap();
            }
        });
    }
}

pub fn state() -> impl FnMut(&mut Noise) {
    let world = World::asked();
    world.sq_ok("session start --sid s1");
    let repo = Repo::open(&world.dir).unwrap();
    let path = state_dir(&repo).join("state.json");
    let seeds = [fs::read(&path).unwrap()];
    move |noise| {
        let _ = &world;
        let text = mutated(&seeds, noise);
        fs::write(&path, &text).unwrap();
        survives(&text, || drop(LocalState::read(&repo)));
    }
}
