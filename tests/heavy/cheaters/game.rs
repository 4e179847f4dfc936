//! An agent's sessions through the real program, one after another, with readers and the gate after each.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use git_sq_test_support::{Ran, World, event_line};
use serde_json::{Value, json};

use super::history::{Dice, History, JUDGED, PROSE};

/// Readers have clones of their own: who shares the answerer's counts half.
const READERS: usize = 3;

/// After the last session readers go on for so many.
const LATER: usize = 6;

/// The rules that flag an answer, or the lack of one.
const RULES: [&str; 5] = [
    "left-out",
    "no-evidence",
    "not-shown",
    "nothing-changed",
    "second-look",
];

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
struct Session {
    sids: Vec<String>,
    commit: String,
    /// The questions that it lied about.
    lies: BTreeSet<usize>,
    /// The rules that named it at its end, and whether that or the tip gave it away; and that at any time anything did.
    rules: BTreeSet<String>,
    is_given_away: bool,
    is_asked: bool,
    is_found: bool,
    is_honest: bool,
}

pub struct Game<'h> {
    pub world: World,
    pub history: &'h History,
    commits: Vec<String>,
    pub session: usize,
    /// Where the history stands.
    pub place: usize,
    /// Where each question was answered last, and how.
    pub before: Vec<Option<(usize, Said)>>,
    /// What the agent chooses by.
    pub dice: Dice,
    /// The seconds that go by between two sessions.
    pub pace: i64,
    sessions: Vec<Session>,
    readers: Vec<PathBuf>,
    refused: usize,
    looks: usize,
    alarms: usize,
}

/// What became of all sessions.
#[derive(Default)]
pub struct Row {
    pub lying: usize,
    pub by_rules: usize,
    /// By rules, or by how the question stands at the tip.
    pub at_tip: usize,
    /// By that, or by readers.
    pub found: usize,
    pub honest: usize,
    pub wrongly: usize,
    pub refused: usize,
    pub looks: usize,
    pub alarms: usize,
    /// How many lying sessions each rule named, and how many it alone.
    pub rules: BTreeMap<String, [usize; 2]>,
}

impl<'h> Game<'h> {
    pub fn new(history: &'h History) -> Self {
        let world = World::new();
        world.git_with_input(&["fast-import", "--quiet"], stream(history).as_bytes());
        let commits = world.git_ok("rev-list --reverse main");
        let commits = commits.lines().map(str::to_owned).collect();
        world.git_ok("reset --quiet --hard");
        let (from, mut readers) = (world.dir.display().to_string(), Vec::new());
        for reader in 0..READERS {
            let dir = world.root().join(format!("reader{reader}"));
            world.git_ok(&format!(
                "clone --quiet --shared --no-checkout {from} {}",
                dir.display()
            ));
            world.git_ok_in(&dir, "remote remove origin");
            readers.push(dir);
        }
        Self {
            world,
            history,
            commits,
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
            self.world
                .git_ok(&format!("reset --quiet --hard {}", self.commits[place]));
            self.world.pass(self.pace);
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
            self.read(picked.len() + later);
        }
        self.ask();
        let wrong = self
            .world
            .sq(&["verify", "--second", "--format", "json"])
            .json();
        for one in wrong["wrong"].as_array().unwrap() {
            self.find(
                one["sid"].as_str().unwrap(),
                one["commit"].as_str().unwrap(),
            );
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
        let then = then.and_then(|then| self.sessions.get(then));
        let place = |session: &Session| self.commits.iter().position(|one| *one == session.commit);
        then.and_then(place).unwrap_or(self.place)
    }

    /// That this session does not lie.
    pub fn is_honest(&mut self) {
        self.sessions[self.session].is_honest = true;
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
        let answer = last.map_or_else(
            || self.truth(question).answer,
            |(_, said)| said.answer.clone(),
        );
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
        Said {
            is_bare: true,
            ..said
        }
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
        let last = self.before[question].as_ref();
        last.map_or_else(
            || self.history.truth(self.place, question),
            |(_, said)| said.answer.clone(),
        )
    }

    /// Notes what is said, and whether that is true.
    pub fn note(&mut self, answers: &[Said]) {
        for question in 0..JUDGED {
            let said = answers.iter().find(|one| one.question == question);
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
        std::fs::write(
            &input,
            json!({"results": results, "sure": is_sure}).to_string(),
        )
        .unwrap();
        let input = input.display().to_string();
        self.world
            .sq_in(dir, &["record", "--sid", sid, "--json", &input])
    }

    fn result(&self, said: &Said) -> Value {
        let mut result = json!({"q_id": format!("q{}", said.question)});
        let last = self.before[said.question].as_ref();
        let is_prose = PROSE.contains(&said.question) && !said.is_correction;
        let differs = last
            .filter(|_| is_prose)
            .map(|(_, last)| last.answer != said.answer);
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

    /// Records as an honest agent does, which insists on nothing; `may_be_asked` again once.
    pub fn say_honestly(&mut self, answers: &[Said], first: Option<&[Said]>) {
        let sid = self.sid();
        let dir = self.world.dir.clone();
        let first = first.map(|first| self.hand_in(&dir, &sid, first, false));
        if first.is_none_or(|ran| ran.code != 0) && !answers.is_empty() {
            let ran = self.hand_in(&dir, &sid, answers, false);
            if ran.code != 0 {
                self.refused += 1;
                println!("refused {sid}: {}", ran.transcript());
                self.record(&sid, answers).ok();
            }
        }
        self.note(answers);
        self.is_honest();
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
        let mut body = json!({"ts": self.world.now().replace('Z', ".000Z"), "sid": self.sid(), "results": results,
            "store": store.trim()});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let line = event_line(&self.world.head(), "rederive", "", &body);
        self.world
            .git(&["notes", "--ref=sq", "append", "-m", line.trim(), "HEAD"])
            .ok();
        self.note(answers);
    }

    /// Does something in another clone that has all that this one has, and brings the log back.
    pub fn elsewhere<T>(&self, dir: &Path, act: impl FnOnce(&Path) -> T) -> T {
        let log = self
            .world
            .try_git("rev-parse --verify --quiet refs/notes/sq");
        self.world.git_ok_in(
            dir,
            &format!("update-ref refs/heads/main {}", self.world.head().trim()),
        );
        if log.code == 0 {
            self.world.git_ok_in(
                dir,
                &format!("update-ref refs/notes/sq {}", log.stdout.trim()),
            );
        }
        let done = act(dir);
        let is_there = self
            .world
            .git_in(dir, &["rev-parse", "--verify", "--quiet", "refs/notes/sq"]);
        if is_there.code == 0 {
            let from = dir.display();
            self.world
                .git_ok(&format!("fetch --quiet {from} refs/notes/sq:refs/notes/sq"));
        }
        done
    }

    /// An honest reader, who derives what the brief asks for again, at its commit.
    fn read(&mut self, number: usize) {
        self.world.pass(600);
        let dir = self.readers[number % READERS].clone();
        let sid = format!("r{number}");
        self.looks += self.elsewhere(&dir, |dir| self.read_in(dir, &sid));
    }

    /// Looks at what the brief asks for; gives how much that was.
    fn read_in(&self, dir: &Path, sid: &str) -> usize {
        let mut brief = self.world.sq_command(&["brief", "--format", "json"]);
        let brief = brief.current_dir(dir).env("SQ_SESSION", sid);
        let brief: Ran = brief.output().unwrap().into();
        let asked = brief.json()["second"].as_array().unwrap().clone();
        for one in &asked {
            let text = |key: &str| one[key].as_str().unwrap();
            let mut commits = self.commits.iter();
            let place = commits.position(|commit| commit == text("commit"));
            let question: usize = text("question")[1..].parse().unwrap();
            let truth = self.history.truth(place.unwrap(), question);
            let answer = format!("q{question}={}", words(&truth));
            let args = ["record", "--sid", sid, "--second", text("entry"), &answer];
            let differs = format!("q{question}=it differs");
            // Answers in a session's own words can't be compared: the program shows both and asks.
            if self.world.sq_in(dir, &args).code != 0 {
                let args = [&args[..], &["--delta", &differs]].concat();
                self.world.sq_in(dir, &args).ok();
            }
        }
        asked.len()
    }

    /// Two sessions of the answerer's own clone say that all that it said is right.
    pub fn agree(&self) {
        let open = self
            .world
            .sq(&["verify", "--second", "--format", "json"])
            .json();
        let sid = self.sid();
        for one in open["open"].as_array().unwrap() {
            let question: usize = one["q_id"].as_str().unwrap()[1..].parse().unwrap();
            let (_, said) = self.before[question].as_ref().unwrap();
            let answer = format!("q{question}={}", words(&said.answer));
            let entry = one["entry"].as_str().unwrap();
            for reader in ["one", "two"].iter().filter(|_| one["sid"] == sid.as_str()) {
                let reader = format!("{reader}{sid}");
                let args = ["record", "--sid", &reader, "--second", entry, &answer];
                self.world.sq(&args).ok();
            }
        }
    }

    /// Marks what was found out about an entry's session.
    fn find(&mut self, sid: &str, commit: &str) -> Option<&mut Session> {
        let mut sessions = self.sessions.iter_mut();
        let session = sessions
            .find(|one| one.sids.iter().any(|own| own == sid) && one.commit.starts_with(commit))?;
        session.is_found = true;
        Some(session)
    }

    /// Asks the gate.
    fn ask(&mut self) {
        let (check, code) = self.world.check(&[]);
        assert_eq!(check["unknown"], json!([]));
        self.alarms += usize::from(code == 1);
        let now = self.session;
        let mut named = BTreeSet::new();
        for finding in check["findings"].as_array().unwrap() {
            let text = |key: &str| finding[key].as_str().unwrap_or_default();
            let mut words = text("message").split([' ', ',', ':']);
            let commit = words.find(|word| *word == "at").and_then(|_| words.next());
            if let Some(commit) = commit.filter(|_| RULES.contains(&text("rule"))) {
                self.find(text("about"), commit);
                let session = &self.sessions[now];
                let is_own = session.sids.iter().any(|own| own == text("about"));
                if is_own && session.commit.starts_with(commit) {
                    named.insert(text("rule").to_owned());
                }
            }
        }
        let states = check["questions"].as_array().unwrap();
        let is_lost = |question: &usize| {
            let name = format!("q{question}");
            let state = states.iter().find(|one| one["question"] == name.as_str());
            ["outdated", "disputed", "never"].contains(&state.unwrap()["state"].as_str().unwrap())
        };
        let session = &mut self.sessions[now];
        if !std::mem::replace(&mut session.is_asked, true) {
            session.is_given_away = !named.is_empty() || session.lies.iter().any(is_lost);
            session.rules = named;
        }
    }

    fn row(self) -> Row {
        let mut row = Row {
            refused: self.refused,
            looks: self.looks,
            alarms: self.alarms,
            ..Row::default()
        };
        for session in &self.sessions {
            if session.is_honest {
                assert!(session.lies.is_empty(), "{:?}", session.sids);
                row.honest += 1;
                row.wrongly += usize::from(session.is_found);
            }
            if session.lies.is_empty() {
                continue;
            }
            row.lying += 1;
            row.by_rules += usize::from(!session.rules.is_empty());
            row.at_tip += usize::from(session.is_given_away);
            row.found += usize::from(session.is_given_away || session.is_found);
            for rule in &session.rules {
                let of = row.rules.entry(rule.clone()).or_default();
                of[0] += 1;
                of[1] += usize::from(session.rules.len() == 1);
            }
        }
        row
    }
}

/// An answer as it is written on a command line.
fn words(answer: &Value) -> String {
    let text = |one: &Value| one.as_str().unwrap().to_owned();
    match answer.as_array() {
        Some(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        None => text(answer),
    }
}

/// The history for `git fast-import`.
fn stream(history: &History) -> String {
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    let mut stream = String::new();
    for (number, texts) in history.texts.iter().enumerate() {
        let time = 1_700_000_000 + number * 3600;
        stream += &format!(
            "commit refs/heads/main\ncommitter Ada Example <ada@example.org> {time} +0000\ndata 0\n"
        );
        if number == 0 {
            stream += &format!(
                "M 100644 inline standing_questions.json\n{}",
                data(&history.store())
            );
            stream += &format!("M 100644 inline docs/a.md\n{}", data("words\n"));
        }
        for (path, (file, text)) in history.paths.iter().zip(texts.iter().enumerate()) {
            if number == 0 || history.texts[number - 1][file] != *text {
                stream += &format!("M 100644 inline {path}\n{}", data(text));
            }
        }
    }
    stream
}
