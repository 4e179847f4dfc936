//! A history of files, and what is true of them at each commit.

use std::{collections::BTreeSet, env, process::Command};

use regex::Regex;
use serde_json::{Value, json};

/// Questions that need judgement, each about one file. The last two files have a probe instead.
pub const JUDGED: usize = 6;
const FILES: usize = JUDGED + 2;

/// Of these no lines are said to matter.
const WITHOUT_LINES: [usize; 2] = [2, 5];

/// A text, of which there may be none; and answers in a session's own words.
const FIRST: usize = 3;
pub const PROSE: [usize; 2] = [4, 5];

const COMMITS: usize = 420;

/// Numbers that are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn fresh(&mut self) -> u64 {
        self.roll(1_000_000) as u64
    }
}

/// What stood in a few files, commit by commit, oldest first.
pub struct History {
    pub paths: Vec<String>,
    pub texts: Vec<Vec<String>>,
    /// What the questions are about: names in lines that match.
    pattern: Regex,
}

impl History {
    /// Noise moves all the time, a value of a limit now and then, the set of limits rarely.
    pub fn generated() -> Self {
        let mut dice = Dice(7);
        let mut files: Vec<Vec<String>> = (0..FILES).map(|_| begin(&mut dice)).collect();
        let text = |files: &[Vec<String>]| files.iter().map(|file| file.concat()).collect();
        let mut texts = vec![text(&files)];
        while texts.len() < COMMITS {
            for _ in 0..=dice.roll(3) {
                let chosen = dice.roll(FILES);
                let least = if chosen == FIRST { 0 } else { 2 };
                change(&mut files[chosen], least, &mut dice);
            }
            texts.push(text(&files));
        }
        Self {
            paths: (0..FILES).map(|file| format!("src/part{file}.rs")).collect(),
            texts,
            pattern: Regex::new(r"pub const (LIMIT_\d+)").unwrap(),
        }
    }

    /// The last commits of a real repository in which all of some files are there: `SQ_REAL_REPO` (a git directory),
    /// `SQ_REAL_FILES` (eight paths) and `SQ_REAL_PATTERN` (a name in a line that matters).
    pub fn real() -> Option<Self> {
        let repo = env::var("SQ_REAL_REPO").ok()?;
        let [files, pattern] =
            ["SQ_REAL_FILES", "SQ_REAL_PATTERN"].map(|name| env::var(name).unwrap());
        let paths: Vec<String> = files.split(' ').map(str::to_owned).collect();
        let git = |args: &[&str]| {
            let git = Command::new("git").arg("--git-dir").arg(&repo).args(args).output().unwrap();
            let text = String::from_utf8_lossy(&git.stdout).into_owned();
            git.status.success().then_some(text)
        };
        let log: Vec<&str> = ["log", "--first-parent", "--format=%H", "--"]
            .into_iter()
            .chain(paths.iter().map(String::as_str))
            .collect();
        let commits = git(&log).unwrap();
        let at = |commit: &str| -> Option<Vec<String>> {
            paths.iter().map(|path| git(&["show", &format!("{commit}:{path}")])).collect()
        };
        let mut texts: Vec<Vec<String>> = commits.lines().take(COMMITS).map_while(at).collect();
        texts.reverse();
        let pattern = Regex::new(&pattern).unwrap();
        Some(Self { paths, texts, pattern })
    }

    pub fn store(&self) -> String {
        let questions: Vec<Value> = (0..FILES)
            .map(|file| {
                let (path, pattern) = (&self.paths[file], self.pattern.as_str());
                let mut question = json!({"id": format!("q{file}"), "q": "Which are there?", "importance": 2,
                    "watch": [path], "trigger": "on-change"});
                if !WITHOUT_LINES.contains(&file) {
                    question["lines"] = pattern.into();
                }
                if file == FIRST {
                    question["shape"] = "text".into();
                } else if !PROSE.contains(&file) {
                    question["shape"] = "list".into();
                }
                if file >= JUDGED {
                    question["probe"] = json!({"grep": {"pattern": pattern, "paths": [path], "capture": 1}});
                }
                question
            })
            .collect();
        json!({"_schema": "standing_questions/v2", "questions": questions}).to_string()
    }

    /// The true answer to a question.
    pub fn truth(&self, place: usize, question: usize) -> Value {
        let text = &self.texts[place][question];
        let names = self.pattern.captures_iter(text).map(|found| found[1].to_owned());
        if question == FIRST {
            return names.into_iter().next().unwrap_or_default().into();
        }
        let names: BTreeSet<String> = names.collect();
        if PROSE.contains(&question) {
            return prose(&names).into();
        }
        names.into_iter().collect()
    }

    /// Where what the answer rests on stands, neighbours together.
    pub fn cites(&self, place: usize, question: usize) -> Vec<String> {
        let places: Vec<usize> = (1..)
            .zip(self.texts[place][question].lines())
            .filter(|(_, line)| self.pattern.is_match(line))
            .map(|(place, _)| place)
            .collect();
        let places = if question == FIRST { &places[..places.len().min(1)] } else { &places };
        let blocks = places.chunk_by(|place, next| place + 1 == *next);
        let path = &self.paths[question];
        blocks.map(|block| format!("{path}:{}-{}", block[0], block[block.len() - 1])).collect()
    }

    /// An answer as far as it can be said of a place without being caught: what of it still stands there.
    pub fn still_standing(&self, answer: &Value, place: usize, question: usize) -> Value {
        let truth = self.truth(place, question);
        match (answer, &truth) {
            (Value::Array(items), Value::Array(names)) => {
                items.iter().filter(|item| names.contains(item)).cloned().collect()
            }
            (Value::String(old), _) if question == FIRST => {
                let still = self.texts[place][question].contains(old.as_str());
                if still && !old.is_empty() { answer.clone() } else { truth }
            }
            _ => answer.clone(),
        }
    }

    /// An answer that was never true.
    pub fn invented(&self, place: usize, question: usize, number: usize) -> Value {
        let truth = self.truth(place, question);
        match truth {
            Value::Array(mut items) if !items.is_empty() => {
                items.remove(number % items.len());
                items.into()
            }
            Value::String(text) if question != FIRST => format!("{text}, and {number}").into(),
            _ => {
                let mut names = self.pattern.captures_iter(&self.texts[place][question]);
                names
                    .nth(1)
                    .map_or_else(|| format!("LIMIT_{number}"), |found| found[1].to_owned())
                    .into()
            }
        }
    }
}

fn prose(names: &BTreeSet<String>) -> String {
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("there are {}: {}", all.len(), all.join(", "))
}

fn noise(dice: &mut Dice) -> String {
    format!("    step({});\n", dice.fresh())
}

fn limit(name: u64, value: u64) -> String {
    format!("pub const LIMIT_{name}: u32 = {value};\n")
}

fn is_limit(line: &str) -> bool {
    line.starts_with("pub const")
}

fn begin(dice: &mut Dice) -> Vec<String> {
    let mut file: Vec<String> = (0..70).map(|_| noise(dice)).collect();
    file[0] = "//! A part.\n".into();
    for place in [20, 21, 22, 50, 51] {
        file[place] = limit(dice.fresh(), dice.fresh());
    }
    file
}

/// Changes a line of a file which keeps more than so many limits.
fn change(file: &mut Vec<String>, least: usize, dice: &mut Dice) {
    let limits: Vec<usize> = (0..file.len()).filter(|&place| is_limit(&file[place])).collect();
    let chosen = (!limits.is_empty()).then(|| limits[dice.roll(limits.len())]);
    let place = 1 + dice.roll(file.len() - 1);
    // Of a file that may have none, they come and go more often.
    let (inserts, removes) = if least == 0 { (6, 14) } else { (8, 11) };
    match dice.roll(100) {
        0..4 => {
            if let Some(chosen) = chosen {
                let name = file[chosen].split(':').next().unwrap().to_owned();
                file[chosen] = format!("{name}: u32 = {};\n", dice.fresh());
            }
        }
        roll if (4..inserts).contains(&roll) => {
            file.insert(chosen.unwrap_or(place), limit(dice.fresh(), dice.fresh()));
        }
        roll if (inserts..removes).contains(&roll) && limits.len() > least => {
            file.remove(chosen.unwrap_or(place));
        }
        14..40 => file.insert(place, noise(dice)),
        40..65 if !is_limit(&file[place]) && file.len() > 50 => {
            file.remove(place);
        }
        _ if !is_limit(&file[place]) => file[place] = noise(dice),
        _ => {}
    }
}
