//! An agent's sessions through the real program, one after another, with readers and the gate after each.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Ran, World, event_line};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    history::{Dice, History, JUDGED, PROSE},
    verdicts::Row,
};

/// Readers are other people, and have clones of their own: who shares the answerer's settles nothing.
pub const READERS: usize = 3;

/// After the last session readers go on until nothing is open, or for so many.
const LATER: usize = 30;

/// The history so far: no branch, so that a commit which no branch contains is not held by it.
const LINE: &str = "refs/import/line";

/// What an agent says of one question.
#[derive(Clone, Default)]
pub struct Said {
    pub question: usize,
    pub answer: Value,
    pub cites: Vec<String>,
    /// Its word; the tool compares where there is none.
    pub delta: Option<bool>,
    pub is_correction: bool,
    /// Whether it says `same`, and nothing else.
    pub is_bare: bool,
}

/// What became of a session.
#[derive(Default)]
pub struct Session {
    pub sids: Vec<String>,
    pub commit: String,
    /// The questions that it lied about.
    pub lies: BTreeSet<usize>,
    /// The rules that named it at its end, and whether that or the tip gave it away; and that at any time anything did.
    pub rules: Option<BTreeSet<String>>,
    pub is_given_away: bool,
    pub is_found: bool,
    pub is_honest: bool,
}

pub struct Game<'h> {
    pub world: World,
    pub history: &'h History,
    pub commits: Vec<String>,
    pub session: usize,
    /// Where the history stands.
    pub place: usize,
    /// Where each question was answered last, and how.
    pub before: Vec<Option<(usize, Said)>>,
    /// What the agent chooses by.
    pub dice: Dice,
    /// The seconds that go by between two sessions.
    pub pace: i64,
    pub sessions: Vec<Session>,
    pub readers: Vec<PathBuf>,
    pub refused: usize,
    pub looks: usize,
    pub alarms: usize,
}

impl<'h> Game<'h> {
    pub fn new(history: &'h History) -> Self {
        let world = World::new();
        let first = import(&world, history, 0..1);
        world.git_ok(&format!("reset --quiet --hard {}", first[0]));
        let (from, mut readers) = (world.dir.display().to_string(), Vec::new());
        for reader in 0..READERS {
            let dir = world.root().join(format!("reader{reader}"));
            world.git_ok(&format!("clone --quiet --shared --no-checkout {from} {}", dir.display()));
            world.git_ok_in(&dir, "remote remove origin");
            world.git_ok_in(&dir, &format!("config user.email reader{reader}@example.org"));
            readers.push(dir);
        }
        Self {
            world,
            history,
            commits: first,
            session: 0,
            place: 0,
            before: vec![None; JUDGED],
            dice: Dice(3),
            pace: 7200,
            sessions: Vec::new(),
            readers,
            refused: 0,
            looks: 0,
            alarms: 0,
        }
    }

    /// Plays all sessions.
    pub fn play(mut self, picked: &[usize], agent: fn(&mut Self)) -> Row {
        for (session, &place) in picked.iter().enumerate() {
            (self.session, self.place) = (session, place);
            self.world.pass(self.pace);
            // Commits are made between the sessions.
            let new = import(&self.world, self.history, self.commits.len()..place + 1);
            self.commits.extend(new);
            self.world.git_ok(&format!("reset --quiet --hard {}", self.commits[place]));
            self.sessions.push(Session {
                sids: vec![format!("s{session}")],
                commit: self.commits[place].clone(),
                ..Session::default()
            });
            agent(&mut self);
            self.ask();
            self.read(session);
        }
        for later in 0..LATER {
            self.world.pass(7200);
            if !self.read(picked.len() + later) {
                break;
            }
        }
        self.ask();
        let wrong = self.world.sq(&["verify", "--second", "--format", "json"]).json();
        for answer in wrong["wrong"].as_array().unwrap() {
            self.find(answer["sid"].as_str().unwrap(), answer["commit"].as_str().unwrap());
        }
        self.row()
    }

    pub fn sid(&self) -> String {
        format!("s{}", self.session)
    }

    pub fn commit(&self, place: usize) -> &str {
        &self.commits[place]
    }

    /// Where the history stood so many sessions ago.
    pub fn earlier(&self, sessions: usize) -> usize {
        let then = self.session.checked_sub(sessions);
        then.and_then(|then| self.sessions.get(then))
            .and_then(|session| self.commits.iter().position(|commit| *commit == session.commit))
            .unwrap_or(self.place)
    }

    /// Another name under which this session records, and another commit.
    pub fn under(&mut self, sid: &str) {
        self.sessions[self.session].sids.push(sid.into());
    }

    pub fn at(&mut self, commit: &str) {
        self.sessions[self.session].commit = commit.into();
    }

    /// What is true of a question, with what shows it.
    pub fn truth(&self, question: usize) -> Said {
        Said {
            question,
            answer: self.history.truth(self.place, question),
            cites: self.history.cites(self.place, question),
            ..Said::default()
        }
    }

    /// The last answer once more, resting on what the agent chooses.
    pub fn same(&self, question: usize, cites: Vec<String>) -> Said {
        let last = self.before[question].as_ref();
        let answer =
            last.map_or_else(|| self.truth(question).answer, |(_, said)| said.answer.clone());
        Said {
            question,
            answer,
            cites,
            delta: Some(false).filter(|_| last.is_some()),
            ..Said::default()
        }
    }

    /// That nothing changed, and no more.
    pub fn bare(&self, question: usize) -> Said {
        let said = self.same(question, Vec::new());
        if self.session == 0 {
            return self.truth(question);
        }
        Said { is_bare: true, ..said }
    }

    /// Whether another answer is true than where the question was answered last.
    pub fn has_changed(&self, question: usize) -> bool {
        self.before[question].as_ref().is_some_and(|(place, _)| {
            self.history.truth(*place, question) != self.history.truth(self.place, question)
        })
    }

    /// Whether what was said last was false then.
    pub fn was_false(&self, question: usize) -> bool {
        self.before[question]
            .as_ref()
            .is_some_and(|(place, said)| self.history.truth(*place, question) != said.answer)
    }

    fn is_lie(&self, question: usize, said: Option<&Said>) -> bool {
        let has_changed = self.has_changed(question);
        let Some(said) = said else {
            return has_changed;
        };
        let is_false = said.answer != self.history.truth(self.place, question);
        let claims_delta = said.delta == Some(true) || said.is_correction;
        is_false && (has_changed || claims_delta || said.answer != self.last(question))
            || claims_delta && !has_changed && !self.was_false(question) && self.session > 0
    }

    fn last(&self, question: usize) -> Value {
        self.before[question].as_ref().map_or_else(
            || self.history.truth(self.place, question),
            |(_, said)| said.answer.clone(),
        )
    }

    /// Notes what is said, and whether that is true.
    pub fn note(&mut self, answers: &[Said]) {
        for question in 0..JUDGED {
            let said = answers.iter().find(|answer| answer.question == question);
            if self.is_lie(question, said) {
                self.sessions[self.session].lies.insert(question);
            }
        }
        for said in answers {
            self.before[said.question] = Some((self.place, said.clone()));
        }
    }

    /// Records answers whatever the tool doubts.
    pub fn say(&mut self, answers: &[Said]) {
        let sid = self.sid();
        self.record(&sid, answers).ok();
        self.note(answers);
    }

    pub fn record(&self, sid: &str, answers: &[Said]) -> Ran {
        self.hand_in(&self.world.dir, sid, answers, true)
    }

    pub fn hand_in(&self, dir: &Path, sid: &str, answers: &[Said], is_sure: bool) -> Ran {
        let results: Vec<Value> = answers.iter().map(|said| self.result(said)).collect();
        let input = self.world.root().join("input.json");
        std::fs::write(&input, json!({"results": results, "sure": is_sure}).to_string()).unwrap();
        let input = input.display().to_string();
        self.world.sq_in(dir, &["record", "--sid", sid, "--json", &input])
    }

    fn result(&self, said: &Said) -> Value {
        let mut result = json!({"q_id": format!("q{}", said.question)});
        let last = self.before[said.question].as_ref();
        let is_prose = PROSE.contains(&said.question) && !said.is_correction;
        let differs = last.filter(|_| is_prose).map(|(_, last)| last.answer != said.answer);
        if let Some(delta) = said.delta.or(differs) {
            result["delta"] = delta.into();
            if delta {
                result["note"] = "n".into();
            }
        }
        if said.is_correction {
            result["wrong"] = true.into();
        }
        if !said.is_bare {
            result["answer"] = said.answer.clone();
            result["cites"] = said.cites.clone().into();
        }
        result
    }

    /// Records as an honest agent does, which insists on nothing; `handed_in` may say the same in other words.
    pub fn say_honestly(&mut self, dir: &Path, handed_in: &[Said], answers: &[Said]) {
        let sid = self.sid();
        if !handed_in.is_empty() {
            let ran = self.hand_in(dir, &sid, handed_in, false);
            if ran.code != 0 {
                self.refused += 1;
                println!("{sid} is refused: {}", ran.transcript());
                self.record(&sid, answers).ok();
            }
        }
        self.note(answers);
        self.sessions[self.session].is_honest = true;
    }

    /// A line that no `record` would write, with more keys, and more beside each answer.
    pub fn plant(&mut self, answers: &[Said], more: &Value, beside: &Value) {
        let results: Vec<Value> = answers
            .iter()
            .map(|said| {
                let mut result = json!({"q_id": format!("q{}", said.question), "delta": said.delta == Some(true),
                    "note": "n", "answer": said.answer});
                result.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
                result
            })
            .collect();
        let store = self.world.git_ok("rev-parse HEAD:standing_questions.json");
        // The clock of a release build can't be set.
        let is_set = cfg!(debug_assertions);
        let now = if is_set { self.world.now().parse().unwrap() } else { Timestamp::now() };
        let mut body = json!({"ts": format!("{now:.3}"), "sid": self.sid(), "results": results,
            "store": store.trim()});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let line = event_line(&self.world.head(), "rederive", "", &body);
        self.world.git(&["notes", "--ref=sq", "append", "-m", line.trim(), "HEAD"]).ok();
        self.note(answers);
    }
}

/// Commits a part of the history, and returns the ids.
fn import(world: &World, history: &History, places: Range<usize>) -> Vec<String> {
    let stream = stream(history, places.clone(), world.now().parse().unwrap());
    world.git_with_input(&["fast-import", "--quiet"], stream.as_bytes());
    let new = world.git_ok(&format!("rev-list --max-count={} {LINE}", places.len()));
    let mut new: Vec<String> = new.lines().map(str::to_owned).collect();
    new.reverse();
    new
}

/// A part of the history for `git fast-import`.
fn stream(history: &History, places: Range<usize>, now: Timestamp) -> String {
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    let time = now.as_second();
    let mut stream = String::new();
    for number in places.clone() {
        let texts = &history.texts[number];
        stream += &format!(
            "commit {LINE}\ncommitter Ada Example <ada@example.org> {time} +0000\ndata 0\n"
        );
        if number == 0 {
            stream +=
                &format!("M 100644 inline standing_questions.json\n{}", data(&history.store()));
            stream += &format!("M 100644 inline docs/a.md\n{}", data("words\n"));
        } else if number == places.start {
            stream += &format!("from {LINE}^0\n");
        }
        for (path, (file, text)) in history.paths.iter().zip(texts.iter().enumerate()) {
            if number == 0 || history.texts[number - 1][file] != *text {
                stream += &format!("M 100644 inline {path}\n{}", data(text));
            }
        }
    }
    stream
}
