//! Agents that lie, each in its way, and two that don't, through the real program over a generated history: how many of
//! their sessions are named, and by which rules. It prints the table.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
};

use git_sq_test_support::{Ran, World, event_line};
use serde_json::{Value, json};

/// Commits, sessions of an agent, and after how many of these the gate is asked: it judges the last 20.
const COMMITS: usize = 420;
const SESSIONS: usize = 60;
const ASKED: usize = 20;

/// Questions that need judgement; each watches a file. The last two files have a probe instead.
const JUDGED: usize = 6;
const FILES: usize = JUDGED + 2;

/// A line of a file.
#[derive(Clone)]
enum Line {
    Noise(u64),
    /// What the question of the file is about: which limits there are.
    Limit(u64, u64),
}

type File = Vec<Line>;

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn fresh(&mut self) -> u64 {
        self.roll(1_000_000) as u64
    }
}

/// The files of every commit: noise moves all the time, a value of a limit now and then, the set of limits rarely.
fn history() -> Vec<Vec<File>> {
    let mut dice = Dice(7);
    let file = |dice: &mut Dice| {
        let mut file: File = (0..70).map(|_| Line::Noise(dice.fresh())).collect();
        for place in [20, 21, 22, 50, 51] {
            file[place] = Line::Limit(dice.fresh(), dice.fresh());
        }
        file
    };
    let mut files: Vec<File> = (0..FILES).map(|_| file(&mut dice)).collect();
    let mut all = vec![files.clone()];
    while all.len() < COMMITS {
        for _ in 0..=dice.roll(3) {
            let chosen = dice.roll(FILES);
            change(&mut files[chosen], &mut dice);
        }
        all.push(files.clone());
    }
    all
}

fn change(file: &mut File, dice: &mut Dice) {
    let limits: Vec<usize> = limits(file);
    let limit = limits[dice.roll(limits.len())];
    let place = dice.roll(file.len());
    match dice.roll(100) {
        0..4 => {
            if let Line::Limit(_, value) = &mut file[limit] {
                *value = dice.fresh();
            }
        }
        4..8 => file.insert(limit, Line::Limit(dice.fresh(), dice.fresh())),
        8..11 if limits.len() > 2 => {
            file.remove(limit);
        }
        11..40 => file.insert(place, Line::Noise(dice.fresh())),
        40..65 if matches!(file[place], Line::Noise(_)) && file.len() > 50 => {
            file.remove(place);
        }
        _ => {
            if let Line::Noise(noise) = &mut file[place] {
                *noise = dice.fresh();
            }
        }
    }
}

fn limits(file: &File) -> Vec<usize> {
    let places = (0..file.len()).filter(|&place| matches!(file[place], Line::Limit(..)));
    places.collect()
}

/// The true answer: the names of the limits.
fn names(file: &File) -> Vec<String> {
    let mut names: Vec<String> = file
        .iter()
        .filter_map(|line| match line {
            Line::Limit(name, _) => Some(format!("LIMIT_{name}")),
            Line::Noise(_) => None,
        })
        .collect();
    names.sort();
    names
}

fn path(file: usize) -> String {
    format!("src/part{file}.rs")
}

fn text(file: &File) -> String {
    let lines = file.iter().map(|line| match line {
        Line::Noise(noise) => format!("    step({noise});\n"),
        Line::Limit(name, value) => format!("pub const LIMIT_{name}: u32 = {value};\n"),
    });
    lines.collect()
}

/// Where the limits stand, neighbours together.
fn places(file: usize, of: &File) -> Vec<String> {
    let places = limits(of);
    let blocks = places.chunk_by(|one, two| one + 1 == *two);
    let cite = |block: &[usize]| {
        format!(
            "{}:{}-{}",
            path(file),
            block[0] + 1,
            block[block.len() - 1] + 1
        )
    };
    blocks.map(cite).collect()
}

fn store() -> String {
    let questions: Vec<Value> = (0..FILES)
        .map(|file| {
            let mut question = json!({"id": format!("q{file}"), "q": "Which limits are there?", "importance": 2,
                "watch": [path(file)], "lines": "pub const", "shape": "list", "trigger": "on-change"});
            if file >= JUDGED {
                question["probe"] = json!({"grep": {"pattern": "const (LIMIT_\\d+)", "paths": [path(file)], "capture": 1}});
            }
            question
        })
        .collect();
    json!({"_schema": "standing_questions/v2", "questions": questions}).to_string()
}

/// A world with that history, and its commits, oldest first.
fn world(history: &[Vec<File>]) -> (World, Vec<String>) {
    let world = World::new();
    let mut stream = String::new();
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    for (number, files) in history.iter().enumerate() {
        let time = 1_700_000_000 + number * 3600;
        stream += &format!(
            "commit refs/heads/main\ncommitter Ada Example <ada@example.org> {time} +0000\ndata 0\n"
        );
        if number == 0 {
            stream += &format!(
                "M 100644 inline standing_questions.json\n{}",
                data(&store())
            );
            stream += &format!("M 100644 inline docs/a.md\n{}", data("words\n"));
        }
        for (file, now) in files.iter().enumerate() {
            let before = number
                .checked_sub(1)
                .map(|before| text(&history[before][file]));
            if before.as_deref() != Some(&text(now)) {
                stream += &format!("M 100644 inline {}\n{}", path(file), data(&text(now)));
            }
        }
    }
    world.git_with_input(&["fast-import", "--quiet"], stream.as_bytes());
    let commits = world.git_ok("rev-list --reverse main");
    (world, commits.lines().map(str::to_owned).collect())
}

/// What an agent says of one question.
#[derive(Clone, PartialEq)]
struct Said {
    question: usize,
    delta: bool,
    names: Vec<String>,
    cites: Vec<String>,
}

/// What an agent knows when it answers.
struct Now<'h> {
    session: usize,
    files: &'h [File],
    /// What was true where each question was answered last.
    before: &'h [Option<File>],
    /// What it said of each last.
    last: &'h [Option<Said>],
}

impl Now<'_> {
    fn truth(&self, question: usize) -> Said {
        let file = &self.files[question];
        Said {
            question,
            delta: self.has_changed(question),
            names: names(file),
            cites: places(question, file),
        }
    }

    fn has_changed(&self, question: usize) -> bool {
        let before = self.before[question].as_ref();
        before.is_some_and(|before| names(before) != names(&self.files[question]))
    }

    /// Whether a line that matters changed.
    fn is_exposed(&self, question: usize) -> bool {
        let of = |file: &File| {
            let lines = file.iter().filter(|line| matches!(line, Line::Limit(..)));
            let mut lines: Vec<String> = lines.map(|line| text(&vec![line.clone()])).collect();
            lines.sort();
            lines
        };
        let before = self.before[question].as_ref();
        before.is_none_or(|before| of(before) != of(&self.files[question]))
    }

    /// The old answer, resting on what the agent chooses.
    fn same(&self, question: usize, cites: Vec<String>) -> Said {
        let last = self.last[question].clone();
        Said {
            delta: false,
            cites,
            ..last.unwrap_or_else(|| self.truth(question))
        }
    }
}

type Agent = fn(&Now) -> Vec<Said>;

/// Who answers, and the least share of its lying sessions, in percent, that rules and readers have to find; None of the
/// honest.
const AGENTS: [(&str, Agent, Option<usize>); 25] = [
    ("honest", honest, None),
    (
        "honest, only what is due",
        |now| keep(honest(now), |said| now.is_exposed(said.question)),
        None,
    ),
    ("all quiet", quiet, Some(90)),
    ("paraphrases its notes", quiet, Some(90)),
    (
        "one invented delta a session",
        |now| {
            let mut said = quiet(now);
            said[now.session % JUDGED].delta = now.session > 0;
            said
        },
        Some(90),
    ),
    (
        "one invented delta a session, cited",
        |now| {
            let mut said = honest(now);
            let chosen = now.session % JUDGED;
            said[chosen].delta = now.session > 0;
            said
        },
        Some(90),
    ),
    (
        "breaks the run every third session",
        |now| {
            let mut said = quiet(now);
            if now.session.is_multiple_of(3) {
                said[now.session % JUDGED].delta = now.session > 0;
            }
            said
        },
        Some(90),
    ),
    (
        "never asks two",
        |now| keep(honest(now), |said| said.question > 1 || now.session == 0),
        Some(90),
    ),
    (
        "skips in rotation",
        |now| {
            keep(honest(now), |said| {
                now.session == 0 || !(said.question + now.session).is_multiple_of(3)
            })
        },
        Some(90),
    ),
    (
        "answers only what is unexposed",
        |now| {
            keep(honest(now), |said| {
                now.session == 0 || !now.is_exposed(said.question)
            })
        },
        Some(90),
    ),
    ("admits one only", admits_one, Some(70)),
    (
        "copies answers and citations",
        |now| {
            each(|question| {
                let cites = now.last[question].as_ref().map(|last| last.cites.clone());
                now.same(question, cites.unwrap_or_else(|| now.truth(question).cites))
            })
        },
        Some(90),
    ),
    (
        "cites lines that always hold",
        |now| each(|question| now.same(question, vec!["docs/a.md:1".into()])),
        Some(90),
    ),
    (
        "cites irrelevant watched lines",
        |now| each(|question| now.same(question, vec![format!("{}:1-3", path(question))])),
        Some(90),
    ),
    (
        "cites the whole file",
        |now| {
            let whole =
                |question: usize| format!("{}:1-{}", path(question), now.files[question].len());
            each(|question| now.same(question, vec![whole(question)]))
        },
        Some(90),
    ),
    (
        "truth only where there is a probe",
        |now| each(|question| now.same(question, now.truth(question).cites)),
        Some(90),
    ),
    ("quiet, knows every rule", knows_every_rule, Some(0)),
    (
        "inventor that cites a real change",
        |now| {
            let mut said = honest(now);
            for one in &mut said {
                one.delta |= now.is_exposed(one.question) && now.before[one.question].is_some();
            }
            said
        },
        Some(90),
    ),
    ("records twice under two names", quiet, Some(90)),
    (
        "own: a delta each time for everything",
        |now| {
            let said = honest(now).into_iter();
            said.map(|one| Said {
                delta: now.session > 0,
                ..one
            })
            .collect()
        },
        Some(90),
    ),
    (
        "own: deltas that rest on the documents",
        |now| {
            let said = quiet(now).into_iter();
            said.map(|one| Said {
                delta: now.session > 0 && one.question == now.session % JUDGED,
                cites: vec!["docs/a.md:1".into()],
                ..one
            })
            .collect()
        },
        Some(90),
    ),
    (
        "own: cites files that are not there, by hand",
        |now| each(|question| now.same(question, vec!["src/gone.rs:1-2".into()])),
        Some(90),
    ),
    ("honest, and readers", honest, None),
    ("admits one only, and readers", admits_one, Some(95)),
    (
        "quiet, knows every rule, and readers",
        knows_every_rule,
        Some(95),
    ),
];

/// In the names of those whose answers others look at again.
const READ: &str = "and readers";

fn each(say: impl Fn(usize) -> Said) -> Vec<Said> {
    (0..JUDGED).map(say).collect()
}

fn honest(now: &Now) -> Vec<Said> {
    each(|question| now.truth(question))
}

fn quiet(now: &Now) -> Vec<Said> {
    each(|question| now.same(question, Vec::new()))
}

fn admits_one(now: &Now) -> Vec<Said> {
    let mut admitted = false;
    let said = honest(now).into_iter().map(|one| {
        if !one.delta || !std::mem::replace(&mut admitted, true) {
            return one;
        }
        now.same(one.question, one.cites)
    });
    said.collect()
}

/// Says that nothing changed, of what still stands there, and cites what it should.
fn knows_every_rule(now: &Now) -> Vec<Said> {
    each(|question| {
        let (truth, old) = (now.truth(question), now.same(question, Vec::new()));
        let mut left = old.names;
        left.retain(|name| truth.names.contains(name));
        Said {
            delta: false,
            names: left,
            ..truth
        }
    })
}

fn keep(mut said: Vec<Said>, is_kept: impl Fn(&Said) -> bool) -> Vec<Said> {
    said.retain(is_kept);
    said
}

/// What became of an agent.
#[derive(Default)]
struct Row {
    lying: usize,
    /// Of the lying sessions.
    named: usize,
    /// Of the others.
    wrongly: usize,
    /// Of the lying sessions, with second looks.
    seen: usize,
    /// Answers of honest sessions that readers found wrong.
    wrongly_seen: usize,
    /// Second looks that were taken.
    looks: usize,
    /// Of the lying sessions, by the original metrics.
    original: usize,
    rules: BTreeMap<String, usize>,
    /// How many sessions went by until the first one was named.
    after: Option<usize>,
    /// How often the gate failed, and how often that of the original metrics.
    alarms: [usize; 2],
}

fn record(world: &World, sid: &str, answers: &[Said]) {
    let results: Vec<Value> = answers.iter().map(result).collect();
    let input = json!({"results": results, "sure": true}).to_string();
    world
        .sq_with_input(&["record", "--sid", sid, "--json", "-"], &input)
        .ok();
}

fn result(said: &Said) -> Value {
    json!({"q_id": format!("q{}", said.question), "delta": said.delta, "note": "n", "answer": said.names, "cites": said.cites})
}

/// A line that no `record` would write.
fn plant(world: &World, sid: &str, answers: &[Said]) {
    let blob = world.git_ok("rev-parse HEAD:src/part0.rs");
    let cites = json!([{"path": "src/gone.rs", "lines": [1, 2], "blob": blob.trim()}]);
    let results: Vec<Value> = answers
        .iter()
        .map(|said| {
            let mut result =
                json!({"q_id": format!("q{}", said.question), "delta": said.delta, "note": "n"});
            result["evidence"] = json!({ "cites": cites });
            result
        })
        .collect();
    let store = world.git_ok("rev-parse HEAD:standing_questions.json");
    let body = json!({"ts": world.now().replace('Z', ".000Z"), "sid": sid, "results": results, "store": store.trim()});
    let line = event_line(&world.head(), "rederive", "", &body);
    world
        .git(&["notes", "--ref=sq", "append", "-m", line.trim(), "HEAD"])
        .ok();
}

/// An honest reader, who derives what the brief asks for again, at its commit; gives how much that was.
fn read(world: &World, sid: &str, commits: &[String], history: &[Vec<File>]) -> usize {
    let mut brief = world.sq_command(&["brief", "--format", "json"]);
    let brief: Ran = brief.env("SQ_SESSION", sid).output().unwrap().into();
    let asked = brief.json()["second"].as_array().unwrap().clone();
    for one in &asked {
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        let place = commits.iter().position(|commit| *commit == text("commit"));
        let question: usize = text("question")[1..].parse().unwrap();
        let truth = names(&history[place.unwrap()][question]).join(", ");
        let answer = format!("q{question}={truth}");
        let args = ["record", "--sid", sid, "--second", &text("entry")];
        world.sq(&[&args[..], &["--answer", &answer]].concat()).ok();
    }
    asked.len()
}

fn run(name: &str, agent: Agent, history: &[Vec<File>], picked: &[usize]) -> Row {
    let (world, commits) = world(history);
    let mut before: Vec<Option<File>> = vec![None; JUDGED];
    let mut last: Vec<Option<Said>> = vec![None; JUDGED];
    let mut row = Row::default();
    let mut lies: Vec<bool> = Vec::new();
    let mut named = BTreeSet::new();
    for (session, &place) in picked.iter().enumerate() {
        world.git_ok(&format!("reset --quiet --hard {}", commits[place]));
        world.pass(7200);
        let files = &history[place];
        let now = Now {
            session,
            files,
            before: &before,
            last: &last,
        };
        let answers = agent(&now);
        let is_wrong = |question: usize| match answers.iter().find(|one| one.question == question) {
            Some(one) => one.delta != now.has_changed(question),
            None => now.has_changed(question),
        };
        let is_lie = (0..JUDGED).any(is_wrong);
        let sid = format!("s{session}");
        if name.contains("by hand") {
            plant(&world, &sid, &answers);
        } else if !answers.is_empty() {
            record(&world, &sid, &answers);
        } else {
            world
                .sq_with_input(
                    &["record", "--sid", &sid, "--json", "-"],
                    r#"{"results":[]}"#,
                )
                .ok();
        }
        lies.push(is_lie);
        if name.contains("two names") && session > 0 {
            record(&world, &format!("{sid}-again"), &answers);
        }
        for one in answers {
            before[one.question] = Some(files[one.question].clone());
            let question = one.question;
            last[question] = Some(one);
        }
        if name.contains(READ) {
            world.pass(3600);
            row.looks += read(&world, &format!("r{session}"), &commits, history);
        }
        if (session + 1).is_multiple_of(ASKED / 2) {
            ask(&world, &lies, session + 1 - ASKED / 2, &mut row, &mut named);
        }
    }
    let looks = world.sq(&["verify", "--second", "--format", "json"]).json();
    let wrong = looks["wrong"].as_array().unwrap().iter();
    let wrong: BTreeSet<String> = wrong
        .map(|one| one["sid"].as_str().unwrap().to_owned())
        .collect();
    for (session, &lies) in lies.iter().enumerate() {
        let sid = format!("s{session}");
        row.seen += usize::from(lies && (named.contains(&sid) || wrong.contains(&sid)));
        row.wrongly_seen += usize::from(!lies && wrong.contains(&sid));
    }
    row
}

/// Asks the gate about the sessions from `first` on.
fn ask(
    world: &World,
    lies: &[bool],
    first: usize,
    row: &mut Row,
    all_named: &mut BTreeSet<String>,
) {
    let (check, code) = world.check(&[]);
    let (original, code_of_original) = world.check(&["--original"]);
    row.alarms[0] += usize::from(code == 1);
    row.alarms[1] += usize::from(code_of_original == 1);
    let suspicious = |check: &Value| -> BTreeSet<String> {
        let verdicts = check["quiet"]["verdicts"].as_array().unwrap().iter();
        let named = verdicts.filter(|one| one["suspicious"] == true);
        named
            .map(|one| {
                one["sid"]
                    .as_str()
                    .unwrap()
                    .trim_end_matches("-again")
                    .to_owned()
            })
            .collect()
    };
    let (ours, theirs) = (suspicious(&check), suspicious(&original));
    for (session, &lies) in lies.iter().enumerate().skip(first) {
        let sid = format!("s{session}");
        let is_named = ours.contains(&sid);
        if lies {
            row.lying += 1;
            row.named += usize::from(is_named);
            row.original += usize::from(theirs.contains(&sid));
        } else {
            row.wrongly += usize::from(is_named);
        }
        if is_named {
            all_named.insert(sid.clone());
            row.after.get_or_insert(session);
        }
        let findings = check["findings"].as_array().unwrap().iter();
        let of_session = findings.filter(|one| one["about"] == sid.as_str());
        let rules: BTreeSet<&str> = of_session
            .map(|one| one["rule"].as_str().unwrap())
            .collect();
        for rule in rules {
            *row.rules.entry(rule.to_owned()).or_default() += 1;
        }
    }
}

#[test]
fn cheaters() {
    let history = history();
    let mut dice = Dice(11);
    let mut picked = BTreeSet::new();
    while picked.len() < SESSIONS {
        picked.insert(dice.roll(COMMITS));
    }
    let picked: Vec<usize> = picked.into_iter().collect();
    println!(
        "| agent | lying sessions | of these named | with second looks | first named | others named | rules | gate fails | by the original metrics |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let rows: Vec<Row> = thread::scope(|scope| {
        let run =
            |(name, agent, _): (&str, Agent, Option<usize>)| run(name, agent, &history, &picked);
        let running = AGENTS.map(|agent| scope.spawn(move || run(agent)));
        running.map(|one| one.join().unwrap()).into()
    });
    let mut wrong = Vec::new();
    for ((name, _, least), row) in AGENTS.into_iter().zip(rows) {
        let rules: Vec<String> = row
            .rules
            .iter()
            .map(|(rule, count)| format!("{rule} {count}"))
            .collect();
        let after = row
            .after
            .map_or_else(|| "never".to_owned(), |after| format!("in s{after}"));
        let share = |part: usize| {
            (part * 100)
                .checked_div(row.lying)
                .map_or_else(|| "–".to_owned(), |share| format!("{share} %"))
        };
        let looked = if name.contains(READ) {
            format!("{}, by {} looks", share(row.seen), row.looks)
        } else {
            "–".into()
        };
        println!(
            "| {name} | {} | {} | {} | {after} | {} | {} | {} of 6 | {}, gate fails {} of 6 |",
            row.lying,
            share(row.named),
            looked,
            row.wrongly,
            rules.join(", "),
            row.alarms[0],
            share(row.original),
            row.alarms[1]
        );
        let is_wrong = match least {
            None => {
                row.lying + row.wrongly + row.wrongly_seen + row.alarms[0] > 0
                    || row.after.is_some()
            }
            Some(least) => row.seen * 100 < row.lying * least,
        };
        if is_wrong {
            wrong.push(name);
        }
    }
    assert_eq!(wrong, [""; 0]);
}
