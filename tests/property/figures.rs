//! On a straight history the figures, the verdicts and the exit code are those of the original definition, computed
//! here by a slow oracle that shares no code with the program.

use std::{cell::RefCell, collections::BTreeMap, fmt::Write as _};

use git_sq_test_support::{World, each};
use proptest::prelude::*;
use serde_json::{Value, json};

const COMMITS: usize = 6;
const QUESTIONS: [&str; 5] = ["q1", "q2", "q3", "q4", "gone"];

/// A line of a log.
#[derive(Debug, Clone)]
struct Line {
    other_kind: bool,
    sid: usize,
    commit: usize,
    /// Question, and whether its answer changed.
    results: Vec<(usize, bool)>,
    /// The minute that it names, where the file is out of order.
    minute: usize,
    /// Whether it leaves out what the original scripts do without.
    is_terse: bool,
}

#[derive(Debug, Clone)]
struct Case {
    lines: Vec<Line>,
    /// Which of q1 to q4 are retired.
    retired: [bool; 4],
    staleness: usize,
    max_consecutive: usize,
}

fn line() -> impl Strategy<Value = Line> {
    let answer = |delta: BoxedStrategy<bool>| (0..QUESTIONS.len(), delta);
    let quiet = prop::collection::vec(answer(Just(false).boxed()), 0..5);
    let lively = prop::collection::vec(answer(any::<bool>().boxed()), 0..5);
    let results = prop_oneof![3 => quiet, 1 => lively];
    let other_kind = prop::bool::weighted(0.1);
    let numbers = (0..9_usize, 0..COMMITS, 0..50_usize);
    let all = (other_kind, numbers, results, any::<bool>());
    all.prop_map(|(other_kind, (sid, commit, minute), results, is_terse)| Line {
        other_kind,
        sid,
        commit,
        results,
        minute,
        is_terse,
    })
}

fn case() -> impl Strategy<Value = Case> {
    let lines = prop::collection::vec(line(), 0..24);
    let all = (lines, any::<[bool; 3]>(), 0..6_usize, 0..4_usize);
    all.prop_map(|(lines, [two, three, four], staleness, max_consecutive)| Case {
        lines,
        retired: [false, two, three, four],
        staleness,
        max_consecutive,
    })
}

/// What the original scripts say of a log.
#[derive(Debug, PartialEq)]
struct Figures {
    sessions: usize,
    /// Question, staleness, last session.
    staleness: Vec<(String, usize, Option<String>)>,
    flagged: Vec<String>,
    suspicious: Vec<bool>,
    longest_run: usize,
    code: i32,
}

fn oracle(case: &Case) -> Figures {
    let lines: Vec<&Line> = case.lines.iter().filter(|l| !l.other_kind).collect();
    let mut order: Vec<usize> = Vec::new();
    for line in &lines {
        if !order.contains(&line.sid) {
            order.push(line.sid);
        }
    }
    let of = |sid: usize| lines.iter().filter(move |line| line.sid == sid);
    let head = |sid: usize| of(sid).next_back().unwrap().commit;
    let deltas = |sid: usize| -> BTreeMap<usize, bool> {
        of(sid).flat_map(|line| line.results.iter().copied()).collect()
    };
    let mut staleness = Vec::new();
    for (question, id) in QUESTIONS[..4].iter().enumerate().filter(|(q, _)| !case.retired[*q]) {
        let last = order.iter().rposition(|&sid| deltas(sid).contains_key(&question));
        staleness.push((
            (*id).to_owned(),
            last.map_or(order.len(), |last| order.len() - 1 - last),
            last.map(|last| format!("s{}", order[last])),
        ));
    }
    let mut suspicious = Vec::new();
    for (place, &sid) in order.iter().enumerate() {
        let deltas = deltas(sid);
        suspicious.push(
            place > 0
                && head(order[place - 1]) != head(sid)
                && !deltas.is_empty()
                && deltas.values().all(|delta| !delta),
        );
    }
    let longest_run =
        suspicious.split(|suspicious| !suspicious).map(<[bool]>::len).max().unwrap_or(0);
    let flagged: Vec<String> = staleness
        .iter()
        .filter(|(_, n, _)| *n > case.staleness && !order.is_empty())
        .map(|(id, ..)| id.clone())
        .collect();
    let bad = order.is_empty() || !flagged.is_empty() || longest_run > case.max_consecutive;
    Figures {
        sessions: order.len(),
        staleness,
        flagged,
        suspicious,
        longest_run,
        code: i32::from(bad),
    }
}

/// A repository with a straight history; each case brings its own log and question store.
struct Place {
    world: World,
    commits: Vec<String>,
}

impl Place {
    fn new() -> Self {
        let world = World::new();
        let commits = (0..COMMITS).map(|n| world.commit(&format!("commit {n}"))).collect();
        // The log is of the past.
        world.pass(60 * 24 * 3600);
        Self { world, commits }
    }

    fn put_store(&self, case: &Case) {
        let questions: Vec<_> = QUESTIONS[..4]
            .iter()
            .zip(case.retired)
            .map(|(id, retired)| {
                let status = if retired { "retired" } else { "active" };
                json!({"id": id, "q": "?", "importance": 2, "status": status})
            })
            .collect();
        let store = json!({"_schema": "standing_questions/v1", "questions": questions});
        self.world.write("standing_questions.json", store.to_string());
    }

    /// An entry of the log; terse, it leaves out what the original scripts do without.
    fn entry(&self, line: &Line, ts: &str, is_terse: bool) -> Value {
        let results = line.results.iter().map(|&(question, delta)| {
            let id = QUESTIONS[question];
            if is_terse && !delta {
                return json!({"q_id": id});
            }
            json!({"q_id": id, "last_rederived_ts": ts, "delta": delta})
        });
        let results: Vec<Value> = results.collect();
        let kind = ["rederive", "weather"][usize::from(line.other_kind)];
        json!({"ts": ts, "kind": kind, "sid": format!("s{}", line.sid),
            "repo_head_sha": self.commits[line.commit], "results": results})
    }

    /// Makes the log that of a file as the original has it, its times in the file's order or not.
    fn import(&self, case: &Case, in_order: bool) {
        let mut file = String::new();
        for (place, line) in case.lines.iter().enumerate() {
            let minute = if in_order { place } else { line.minute };
            let offset = if line.is_terse { "" } else { "Z" };
            let ts = format!("2026-02-01T00:{minute:02}:00{offset}");
            writeln!(file, "{}", self.entry(line, &ts, line.is_terse)).unwrap();
        }
        self.world.write("../log.jsonl", file);
        self.forget();
        self.world.sq_ok("import ../log.jsonl");
    }

    fn forget(&self) {
        for name in ["refs/notes/sq", "refs/sq/kept"] {
            self.world.git_ok(&format!("update-ref -d {name}"));
        }
    }

    /// Makes the log one of notes.
    fn annotate(&self, case: &Case) {
        self.forget();
        let mut notes: BTreeMap<usize, String> = BTreeMap::new();
        for (second, line) in case.lines.iter().enumerate() {
            let ts = format!("2026-02-01T00:00:{second:02}.000Z");
            let note = notes.entry(line.commit).or_default();
            writeln!(note, "{}", self.entry(line, &ts, false)).unwrap();
        }
        let mut stream =
            String::from("commit refs/notes/sq\ncommitter A <a@example.org> 0 +0000\ndata 0\n");
        for (commit, text) in notes {
            let (commit, length) = (&self.commits[commit], text.len());
            write!(stream, "N inline {commit}\ndata {length}\n{text}\n").unwrap();
        }
        let import = ["fast-import", "--quiet", "--force"];
        self.world.git_with_input(&import, stream.as_bytes()).ok();
    }

    fn measure(&self, case: &Case) -> Figures {
        let staleness = case.staleness.to_string();
        let max = case.max_consecutive.to_string();
        let limits = ["--staleness", &staleness, "--max-consecutive", &max];
        let (check, code) = self.world.check(&limits);
        let rows = check["staleness"].as_array().unwrap();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let flagged = rows.iter().filter(|row| row["flagged"] == true && check["sessions"] != 0);
        Figures {
            sessions: number(&check["sessions"]),
            staleness: rows
                .iter()
                .map(|row| {
                    let id = text(&row["q_id"]).unwrap();
                    (id, number(&row["staleness"]), text(&row["last_sid"]))
                })
                .collect(),
            flagged: flagged.map(|row| text(&row["q_id"]).unwrap()).collect(),
            suspicious: each(&check["quiet"]["verdicts"])
                .map(|verdict| verdict["suspicious"] == true)
                .collect(),
            longest_run: number(&check["quiet"]["longest_run"]),
            code,
        }
    }
}

thread_local! {
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
}

proptest! {
    #![proptest_config(crate::slow(24, 96))]

    #[test]
    fn the_figures_are_the_original_ones(case in case(), in_order: bool) {
        PLACE.with_borrow_mut(|place| {
            let place = place.get_or_insert_with(Place::new);
            place.put_store(&case);
            place.annotate(&case);
            prop_assert_eq!(place.measure(&case), oracle(&case));
            // The text form goes through the cache; twice, so that the second one comes out of it.
            let staleness_of_store = Case { staleness: 5, ..case.clone() };
            for _ in 0..2 {
                let max = case.max_consecutive.to_string();
                let ran = place.world.sq(&["check", "--max-consecutive", &max]);
                prop_assert_eq!(ran.code, oracle(&staleness_of_store).code, "{}", ran.transcript());
            }
            place.import(&case, in_order);
            prop_assert_eq!(place.measure(&case), oracle(&case));
            Ok(())
        })?;
    }
}
