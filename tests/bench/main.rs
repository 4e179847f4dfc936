//! What the program costs against git, in ratios: `cargo bench --bench cost`, `-- --quick` for a smaller run, `-- --only
//! changes|usual|asked|large` for a part.
//!
//! Both sides of each ratio take turns in one run. Nothing fails because it is slow: the table says what was missed.

mod contest;
mod entries;
mod fanout;
mod fixture;
mod history;
mod machine;
mod reading;
mod table;
mod writing;

use std::env;

use git_sq_test_support::World;

use contest::Outcome;
use entries::{Conduct, QUESTIONS};
use fixture::{Fixture, History};
use history::FILES;
use table::{Growth, Row, count};

/// How large everything is, and how many turns both sides take.
struct Scale {
    commits: usize,
    /// The numbers of notes at which growth is shown; the middle one is that of the bars.
    notes: [usize; 3],
    merged_notes: usize,
    /// Sessions that are all flagged.
    lying: usize,
    /// Commits and notes where many questions are asked.
    asked: [usize; 2],
    /// Commits and notes of the large repository.
    large: [usize; 2],
    /// Turns of what takes milliseconds, and of what takes longer.
    short: usize,
    long: usize,
    /// Lines that each writer of a crowd appends.
    appends: usize,
}

const FULL: Scale = Scale {
    commits: 100_000,
    notes: [1_000, 10_000, 100_000],
    merged_notes: 50_000,
    lying: 1_000,
    asked: [10_000, 1_000],
    large: [1_000_000, 100_000],
    short: 21,
    long: 7,
    appends: 50,
};

const QUICK: Scale = Scale {
    commits: 3_000,
    notes: [300, 1_000, 3_000],
    merged_notes: 1_500,
    lying: 300,
    asked: [3_000, 300],
    large: [10_000, 2_500],
    short: 5,
    long: 3,
    appends: 5,
};

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [first, commit, line, ..] = args.as_slice()
        && first == writing::WRITER
    {
        return writing::append_one_line(commit, line);
    }
    // `cargo bench` says --bench; a plain `cargo test --benches` only wants to see it run.
    let is = |wanted: &str| args.iter().any(|arg| arg == wanted);
    let scale = if is("--quick") || !is("--bench") { QUICK } else { FULL };
    let only = args.iter().position(|arg| arg == "--only").and_then(|at| args.get(at + 1));
    let is_wanted = |part: &str| only.is_none_or(|only| only == part);
    let mut rows = Vec::new();
    let mut costs: Vec<[Outcome; 5]> = Vec::new();
    if is_wanted("usual") || is_wanted("changes") {
        usual(&scale, is_wanted("usual"), &mut rows, &mut costs);
    }
    if is_wanted("asked") {
        rows.push(many_questions(&scale));
    }
    if is_wanted("large") {
        let world = World::without_repo();
        let [commits, notes] = scale.large;
        eprintln!("making a history of {} commits", count(commits));
        let fixture = History::new(&world, commits, QUESTIONS).with_notes(notes, Conduct::Honest);
        let there = format!("{} commits, {} notes", count(commits), count(notes));
        rows.extend(one_more(&fixture, scale.long, &there, 3.0));
    }
    println!("{}; {FILES} files in the worktree.\n", machine::kind());
    println!("{}", table::bars(&rows));
    println!("{}", table::growth(&scale.notes, &growth(&costs)));
}

/// The usual history; `all` measures what does not follow from a change, too.
fn usual(scale: &Scale, all: bool, rows: &mut Vec<Row>, costs: &mut Vec<[Outcome; 5]>) {
    let world = World::without_repo();
    eprintln!("making a history of {} commits", count(scale.commits));
    let history = History::new(&world, scale.commits, QUESTIONS);
    for notes in scale.notes {
        eprintln!("making and measuring {} notes", count(notes));
        let mut fixture = history.with_notes(notes, Conduct::Honest);
        let there = format!("{} commits, {} notes", count(scale.commits), count(notes));
        if notes != scale.notes[2] {
            rows.extend(one_more(&fixture, scale.short, &there, 2.0));
        }
        if notes == scale.notes[1] {
            rows.extend(late(&fixture, scale.short, &there));
        }
        if !all {
            continue;
        }
        let shared = [
            writing::append(&fixture, scale.short),
            writing::record(&fixture, scale.short),
            reading::check(&fixture, scale.long),
            reading::compare(&fixture, scale.short, &["check"], &["rev-parse", "HEAD"]),
        ];
        let [append, record, check, cached] = shared;
        if notes == scale.notes[1] {
            rows.extend(bars(&mut fixture, scale, history.len(), shared));
        }
        let union = writing::union(&fixture, scale.long);
        costs.push([append, record, check, cached, union]);
    }
    eprintln!("making {} sessions that are flagged", count(scale.lying));
    let fixture = history.with_notes(scale.lying, Conduct::Lying);
    let there = format!("{} flagged sessions", count(scale.lying));
    rows.extend(one_more(&fixture, scale.short, &there, 4.0));
    if all {
        eprintln!("making and merging {} notes", count(scale.merged_notes));
        let fixture = history.with_notes(scale.merged_notes, Conduct::Honest);
        let notes = count(fixture.notes());
        let work = format!("union of two notes refs, {notes} notes, 100 lines new on each side");
        let union = writing::union(&fixture, scale.long);
        rows.push(Row::of_times(work, "`git notes merge -s cat_sort_uniq`", union, 1.0));
    }
}

/// After a merge of entries that are older than the newest ones.
fn late(fixture: &Fixture, rounds: usize, there: &str) -> Vec<Row> {
    let (before, kept) = fixture.merge_late();
    let rows = ["brief", "check"].map(|command| {
        let outcome = reading::again(fixture, rounds, &[command], &["status"], Some(&kept));
        let work = format!("`git sq {command}`, 50 older entries merged, {there}");
        Row::of_times(work, "`git status`", outcome, 4.0)
    });
    fixture.one_less(&before);
    rows.into()
}

/// Ten times as many questions, after a change.
fn many_questions(scale: &Scale) -> Row {
    let [commits, notes] = scale.asked;
    let cost = |questions: usize| {
        let world = World::without_repo();
        eprintln!("making a history that is asked {questions} questions");
        let fixture = History::new(&world, commits, questions).with_notes(notes, Conduct::Honest);
        let (_, kept) = fixture.one_more();
        reading::again(&fixture, scale.short, &["check"], &["status"], Some(&kept)).ours
    };
    let [few, many] = [QUESTIONS, 10 * QUESTIONS].map(cost);
    let work = format!("`git sq check`, {} questions, after a change", 10 * QUESTIONS);
    let outcome = Outcome { ours: many, gits: few };
    Row::of_times(work, "the same with 12 questions", outcome, 4.0)
}

/// The rows that are measured at the middle number of notes.
fn bars(fixture: &mut Fixture, scale: &Scale, commits: usize, shared: [Outcome; 4]) -> Vec<Row> {
    let [append, record, check, cached] = shared;
    let notes = count(fixture.notes());
    let there = format!("{} commits, {notes} notes", count(commits));
    let log = "`git log --notes=sq --format=%N`";
    let one = format!("the store's append of one line, in process, {notes} noted commits");
    let whole = format!("`git sq record`, {notes} noted commits");
    let anew = format!("`git sq check --no-cache`, {there}, commit-graph");
    let mut rows = vec![
        Row::of_times(one, "`git notes append`, a process", append, 1.0),
        Row::of_times(whole, "`git status` and `git notes append`", record, 1.5),
        crowd(fixture, scale.appends),
        Row::of_times(anew, log, check, 0.6),
    ];
    let with_graph = reading::memory(fixture);
    fixture.set_commit_graph(false);
    let without = reading::check(fixture, scale.long);
    fixture.set_commit_graph(true);
    rows.push(Row::of_times("the same without commit-graph", log, without, 1.0));
    let new = "there, cached, nothing new";
    let check = format!("`git sq check` {new}");
    rows.push(Row::of_times(check, "`git rev-parse HEAD`", cached, 2.0));
    let brief = reading::compare(fixture, scale.short, &["brief"], &["status"]);
    let work = format!("`git sq brief` {new}");
    rows.push(Row::of_times(work, "`git status`", brief, 1.0));
    rows.push(memory(with_graph, log));
    let usual = fixture.bring_one_by_one();
    let work = format!("`git sq check --no-cache` there, {notes} notes commits, commit-graph");
    rows.push(Row::of_times(work, log, reading::check(fixture, scale.long), 0.6));
    // At the first commit, so that none of the time is spent on the history of the code.
    let ours = ["verify", "--log", "--tip", fixture.first()];
    let gits = ["log", "-p", "--notes", "refs/notes/sq"];
    rows.push(Row::of_times(
        "`git sq verify --log` there, the log's part",
        "`git log -p --notes` of the log",
        reading::compare(fixture, scale.long, &ours, &gits),
        1.5,
    ));
    fixture.go_back_to(usual);
    rows
}

fn crowd(fixture: &Fixture, appends: usize) -> Row {
    let program = env::current_exe().expect("this program has a path");
    let [ours, gits] = writing::crowd(fixture, &program, appends);
    let side = |kept: &writing::Kept| {
        let each = table::time(kept.each());
        format!("{} of {} kept, {each} each", kept.lines, kept.of)
    };
    let outcome = Outcome { ours: ours.each(), gits: gits.each() };
    let work = format!("8 processes x {appends} appends to one commit, time for each line kept");
    Row {
        ours: side(&ours),
        gits: side(&gits),
        holds: ours.lines == ours.of,
        ..Row::of_times(work, "the same with `git notes append`", outcome, 1.0)
    }
}

fn memory(measured: Result<[u32; 2], String>, log: &str) -> Row {
    let (sizes, ratio) = match measured {
        Ok(sizes) => {
            let [ours, gits] = sizes.map(f64::from);
            let mebibytes = [ours, gits].map(|size| format!("{:.1} MiB", size / 1024.0));
            (mebibytes, Some(ours / gits))
        }
        Err(why) => ([why, "-".to_owned()], None),
    };
    let [ours, gits] = sizes;
    Row {
        work: "peak memory of `git sq check --no-cache` there, commit-graph".to_owned(),
        ours,
        against: log.to_owned(),
        gits,
        ratio,
        bar: 1.3,
        holds: true,
    }
}

/// The rows that are measured after one new commit and one new record.
fn one_more(fixture: &Fixture, rounds: usize, there: &str, bar: f64) -> Vec<Row> {
    let (before, kept) = fixture.one_more();
    let later = format!("one commit and one record later, {there}");
    let mut rows = Vec::new();
    for line in ["brief", "check", "check --format json"] {
        let args: Vec<&str> = line.split(' ').collect();
        let outcome = reading::again(fixture, rounds, &args, &["status"], Some(&kept));
        rows.push(Row::of_times(format!("`git sq {line}`, {later}"), "`git status`", outcome, bar));
    }
    for (when, kept) in [(&*later, Some(&kept[..])), (there, None)] {
        let gits = ["log", "-n", "5", "--notes=sq"];
        let outcome = reading::again(fixture, rounds, &gits[..3], &gits, kept);
        let work = format!("`git sq log -n 5`, {when}");
        rows.push(Row::of_times(work, "`git log -n 5 --notes=sq`", outcome, bar));
    }
    fixture.one_less(&before);
    rows
}

fn growth(costs: &[[Outcome; 5]]) -> Vec<Growth> {
    [
        "append",
        "`git sq record`",
        "`git sq check --no-cache`, commit-graph",
        "`git sq check`, cached",
        "union",
    ]
    .into_iter()
    .enumerate()
    .map(|(place, work)| Growth {
        work,
        outcomes: costs.iter().map(|costs| costs[place]).collect(),
    })
    .collect()
}
