//! Lines that the log held before their time, against a look at all of its states one by one.

use std::collections::BTreeSet;

use git_sq::{
    entry::{lines_of, stamp},
    git::{NotesCommit, Oid, Repo},
    store::{Ahead, LOCAL_REF, Log, LogTips},
};
use git_sq_test_support::World;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

const COMMITS: usize = 3;
const TOLERANCE: SignedDuration = SignedDuration::from_secs(2);

/// A notes commit: which earlier ones it builds on, when it was made, and what it adds where.
#[derive(Debug, Clone)]
struct Step {
    base: prop::sample::Index,
    merged: Option<prop::sample::Index>,
    time: i64,
    commit: usize,
    lines: Vec<(i64, bool)>,
    /// Whether they take the place of what stood there, as nobody should write.
    instead: bool,
}

fn step() -> impl Strategy<Value = Step> {
    (
        any::<prop::sample::Index>(),
        proptest::option::weighted(0.3, any::<prop::sample::Index>()),
        0..12_i64,
        0..COMMITS,
        proptest::collection::vec((0..16_i64, proptest::bool::weighted(0.1)), 0..3),
        proptest::bool::weighted(0.2),
    )
        .prop_map(|(base, merged, time, commit, lines, instead)| Step {
            base,
            merged,
            time,
            commit,
            lines,
            instead,
        })
}

fn second(time: i64) -> Timestamp {
    Timestamp::from_second(time).unwrap()
}

fn text(&(time, imported): &(i64, bool)) -> String {
    let origin = if imported { ",\"origin\":{}" } else { "" };
    format!("{{\"ts\":\"1970-01-01T00:00:{time:02}.500Z\",\"kind\":\"x\",\"sid\":\"s\"{origin}}}\n")
}

/// Every line of a notes commit, with the commit that it stands on.
fn lines(repo: &Repo, commit: Oid) -> BTreeSet<(Oid, Vec<u8>)> {
    let mut lines = BTreeSet::new();
    for note in repo.notes(commit).unwrap() {
        let text = repo.blob(note.blob).unwrap();
        lines.extend(lines_of(&text).map(|line| (note.anchor, line.to_vec())));
    }
    lines
}

/// Writes the notes commits, each holding what those hold on which it builds; with the time of each.
fn write(world: &World, steps: &[Step]) -> Vec<(Oid, i64)> {
    let anchors: Vec<Oid> = (0..COMMITS)
        .map(|n| world.commit(&n.to_string()).parse().unwrap())
        .collect();
    let mut made: Vec<(Oid, i64)> = Vec::new();
    for step in steps {
        let repo = Repo::open(&world.dir).unwrap().dated(second(step.time));
        let base = (!made.is_empty()).then(|| made[step.base.index(made.len())].0);
        let merged = step.merged.filter(|_| !made.is_empty());
        let merged = merged.map(|merged| made[merged.index(made.len())].0);
        let notes: Vec<(Oid, Vec<u8>)> = anchors
            .iter()
            .enumerate()
            .map(|(place, anchor)| {
                let mut held = BTreeSet::new();
                for parent in base.into_iter().chain(merged) {
                    for blob in repo.notes_reader(parent).unwrap().get(*anchor).unwrap() {
                        held.insert(repo.blob(blob).unwrap());
                    }
                }
                let held: BTreeSet<Vec<u8>> = held
                    .iter()
                    .flat_map(|text| lines_of(text).map(<[u8]>::to_vec))
                    .collect();
                let new = step.lines.iter().filter(|_| place == step.commit);
                let new: BTreeSet<Vec<u8>> = new.map(|line| text(line).trim_end().into()).collect();
                let keeps = !step.instead || new.is_empty();
                let held = held.into_iter().filter(|_| keeps);
                let held: BTreeSet<Vec<u8>> = held.collect();
                let all = held
                    .union(&new)
                    .flat_map(|line| [line, &b"\n"[..]].concat());
                (*anchor, all.collect())
            })
            .filter(|(_, text): &(Oid, Vec<u8>)| !text.is_empty())
            .collect();
        let plan = NotesCommit {
            base,
            merged: merged.as_slice(),
            notes: &notes,
            message: "Written",
        };
        made.push((repo.write_notes(&plan).unwrap(), step.time));
    }
    made
}

/// What is found when the local ref is at `tip`, and which lines of it the log has.
fn find(world: &World, tip: Oid, known: Ahead) -> (Ahead, BTreeSet<String>) {
    world.git(&["update-ref", LOCAL_REF, &tip.to_string()]).ok();
    let repo = Repo::open(&world.dir).unwrap();
    let tips = LogTips::read(&repo).unwrap();
    let log = Log::read(&repo, &tips).unwrap();
    let ahead = Ahead::find(&repo, &tips, &log, TOLERANCE, known).unwrap();
    let lines = ahead.lines_of(&log);
    let lines = lines.into_iter().map(str::to_owned).collect();
    (ahead, lines)
}

/// The lines of `tip` that any commit that it contains brought too early, found by looking at each.
fn slowly(world: &World, made: &[(Oid, i64)], tip: Oid) -> BTreeSet<String> {
    let repo = Repo::open(&world.dir).unwrap();
    let mut found = BTreeSet::new();
    for &(commit, time) in made.iter().filter(|(one, _)| repo.is_ancestor(*one, tip)) {
        let parents = format!("{commit}^@");
        let parents = world.git(&["rev-parse", &parents]).ok();
        let parents = parents.lines().map(|id| lines(&repo, id.parse().unwrap()));
        let before: BTreeSet<(Oid, Vec<u8>)> = parents.flatten().collect();
        for (_, line) in lines(&repo, commit).difference(&before).cloned() {
            let stamp = stamp(&line).unwrap();
            let limit = second(time) + TOLERANCE + SignedDuration::from_millis(999);
            if stamp.ts.timestamp() > limit && !stamp.imported {
                found.insert(String::from_utf8(line).unwrap());
            }
        }
    }
    let there = lines(&repo, tip);
    let there: BTreeSet<&[u8]> = there.iter().map(|(_, line)| line.as_slice()).collect();
    found.retain(|line| there.contains(line.as_bytes()));
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_ahead_is_found_at_once_and_bit_by_bit(
        steps in proptest::collection::vec(step(), 1..8),
        way in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let world = World::new();
        let made = write(&world, &steps);
        // From one state of the log to another, which may be older, or on another line of history.
        let mut known = Ahead::default();
        for tip in way {
            let (tip, _) = made[tip.index(made.len())];
            let (anew, lines) = find(&world, tip, Ahead::default());
            prop_assert_eq!(&lines, &slowly(&world, &made, tip));
            let (bit_by_bit, found) = find(&world, tip, known);
            prop_assert!(anew.is_whole && bit_by_bit.is_whole);
            prop_assert_eq!(&found, &lines);
            known = bit_by_bit;
        }
    }
}
