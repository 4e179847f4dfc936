//! `record` and `check` judge alike: what needs `--sure`, and nothing else, is flagged or does not count.

use std::{collections::HashSet, fs, path::PathBuf};

use git_sq_test_support::{Team, each, refs, words};
use proptest::{prelude::*, sample::select};

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"flagged":{"max":20}},"questions":[
{"id":"text","q":"What does it say?","importance":2,"shape":"text","watch":["a"]},
{"id":"proven","q":"What does it say?","importance":3,"shape":"text","watch":["a"]},
{"id":"number","q":"How much is left to do?","importance":2,"shape":"number","watch":["b"],"lines":"TODO"},
{"id":"list","q":"Which words are in it?","importance":2,"shape":"list","watch":["a"]},
{"id":"free","q":"Is it sound?","importance":2,"watch":["a","b"]},
{"id":"expected","q":"Is it done?","importance":2,"watch":["b"],"expect":"yes"}]}"#;

const FIRST: &str = "record --sid first text=one --cite text=a:1 proven=one --cite proven=a:1 number=1
    --cite number=b:1 list=one --cite list=a:1 free=yes --cite free=b:1 expected=no --cite expected=b:1";

/// A question, and answers to it.
type Question = (&'static str, [&'static str; 3]);

const ANSWERS: [Question; 6] = [
    ("text", ["one", "two", "none"]),
    ("proven", ["one", "two", "none"]),
    ("number", ["0", "1", "2"]),
    ("list", ["one", "two,one", "none"]),
    ("free", ["yes", "no", "none"]),
    ("expected", ["yes", "no", "none"]),
];

/// Ways to answer and to cite: `Q` stands for the question, `A` for the answer.
const FORMS: [&str; 5] = ["Q=A", "--same Q Q=A", "--delta Q=A", "--wrong Q=A", "--same Q"];
const CITES: [&str; 5] = ["", "--cite Q=a:1", "--cite Q=a:2", "--cite Q=b:1", "--cite Q=b:2"];

/// Texts of either file; each has two lines, so that both can be cited.
const TEXTS: [&str; 6] =
    ["one\nend\n", "two\none\n", "two\nend\n", "TODO\nend\n", "TODO\nTODO two\n", "\n\n"];

const HISTORY: [&str; 3] =
    ["switch --quiet -C side", "switch --quiet main", "merge --quiet --no-edit -X ours side"];

#[derive(Debug, Clone)]
enum Step {
    Answer {
        question: &'static str,
        words: String,
        is_new_session: bool,
    },
    Commit(&'static str, &'static str),
    Git(&'static str),
    /// A person says that one of the answers is right.
    Verdict(prop::sample::Index),
    Share,
    OtherClone,
}

fn answer(asked: Vec<Question>) -> impl Strategy<Value = Step> {
    let parts = (select(asked), 0..3_usize, select(&FORMS[..]), select(&CITES[..]), any::<bool>());
    parts.prop_map(|((question, answers), answer, form, cite, is_new_session)| {
        let words = format!("{form} {cite}").replace('A', answers[answer]).replace('Q', question);
        Step::Answer { question, words, is_new_session }
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::sample::subsequence(&ANSWERS[..], 1..=2).prop_flat_map(|asked| {
        let text = (select(&["a", "b"][..]), select(&TEXTS[..]));
        let step = prop_oneof![
            6 => answer(asked),
            3 => text.prop_map(|(file, text)| Step::Commit(file, text)),
            1 => select(&HISTORY[..]).prop_map(Step::Git),
            1 => any::<prop::sample::Index>().prop_map(Step::Verdict),
            1 => select(vec![Step::Share, Step::OtherClone]),
        ];
        prop::collection::vec(step, 1..20)
    })
}

struct Place {
    team: Team,
    here: PathBuf,
    there: PathBuf,
    session: usize,
    /// Session, commit and question of each answer.
    given: HashSet<(usize, String, &'static str)>,
    corrected: HashSet<&'static str>,
    /// The entry of each answer, with its question.
    entries: Vec<(String, &'static str)>,
}

impl Place {
    fn new() -> Self {
        let team = Team::new();
        let (here, there) = (team.clone.clone(), team.join("other"));
        team.git_ok_in(&there, "config user.email other@example.org");
        for dir in [&here, &there] {
            // What is published beside would change the log between two commands.
            team.git_ok_in(dir, "config sq.pushTimeout 0");
        }
        let (given, corrected, entries) = (HashSet::new(), HashSet::new(), Vec::new());
        let mut place = Self { team, here, there, session: 0, given, corrected, entries };
        for (file, text) in [("standing_questions.json", STORE), ("a", TEXTS[0]), ("b", TEXTS[3])] {
            place.commit(file, text);
        }
        place.team.sq_ok(FIRST);
        for step in [Step::Share, Step::OtherClone, Step::Share] {
            place.take(&step).unwrap();
        }
        place
    }

    /// Runs git, which may refuse.
    fn git(&self, line: &str) {
        if self.team.try_git_in(&self.here, line).code != 0 {
            let _ = self.team.try_git_in(&self.here, "merge --abort");
        }
    }

    fn commit(&self, file: &str, text: &str) {
        fs::write(self.here.join(file), text).unwrap();
        self.git("add --all");
        self.team.commit(&self.here, file);
    }

    fn share(&self) {
        self.git("switch --quiet main");
        self.git("pull --quiet --no-rebase --no-edit -X ours");
        self.git("push --quiet");
        self.team.sq_ok_in(&self.here, "sync");
    }

    /// A person agrees with an answer, if that is here and no other verdict forbids it.
    fn verdict(&self, which: prop::sample::Index) {
        if self.entries.is_empty() {
            return;
        }
        let (entry, question) = which.get(&self.entries);
        let agree = format!("triage {entry} {question} --agree --because 'read it'");
        if self.team.world.person_in(&self.here, &agree).code == 0 {
            self.git("add --all");
            self.git("commit --quiet --allow-empty -m verdict");
        }
    }

    fn take(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Answer { question, words, is_new_session } => {
                self.session += usize::from(*is_new_session);
                return self.answer(question, words);
            }
            Step::Commit(file, text) => self.commit(file, text),
            Step::Git(line) => self.git(line),
            Step::Verdict(which) => self.verdict(*which),
            Step::Share => self.share(),
            Step::OtherClone => std::mem::swap(&mut self.here, &mut self.there),
        }
        Ok(())
    }

    /// Records an answer, with `--sure` if it is refused without, and compares that with what `check` says of it.
    fn answer(&mut self, question: &'static str, answer: &str) -> Result<(), TestCaseError> {
        let head = self.team.git_ok_in(&self.here, "rev-parse HEAD");
        let is_again = !self.given.insert((self.session, head, question));
        let line = format!("record --format json --sid s{} {answer}", self.session);
        let record = |line: &str| self.team.sq(&self.here, &refs(&words(line)));
        let mut recorded = record(&line);
        let refusal = (recorded.code != 0).then(|| recorded.transcript());
        if refusal.is_some() {
            recorded = record(&format!("{line} --sure"));
        }
        if recorded.code != 0 {
            return Ok(());
        }
        self.corrected.extend(answer.contains("--wrong").then_some(question));
        let entry = recorded.json()["id"].as_str().unwrap().to_owned();
        self.entries.push((entry.clone(), question));
        if let Some([flags, doubts]) = self.objections(question, &entry) {
            // After a correction, an answer may leave the dispute open; and without evidence, none replaces a session's own
            // at a commit. Then the one before it counts on.
            let may_stay = refusal.is_none() && (is_again || self.corrected.contains(question));
            let is_clean = flags.is_empty() && (doubts.is_empty() || may_stay);
            let said = format!("{line} {refusal:?} {flags:?} {doubts:?}");
            prop_assert_eq!(is_clean, refusal.is_none(), "{}", said);
        }
        Ok(())
    }

    /// The flags of an answer, and why it does not count; `None` in an open dispute, in which neither side is certain.
    fn objections(&self, question: &str, entry: &str) -> Option<[Vec<String>; 2]> {
        let (check, _) = self.team.world.check_in(&self.here);
        let list = |key: &str| each(&check[key]);
        if list("findings").any(|one| one["rule"] == "disputed" && one["about"] == question) {
            return None;
        }
        let messages = list("findings").map(|one| one["message"].as_str().unwrap().to_owned());
        let flags = messages.filter(|message| message.contains(entry)).collect();
        let stands = list("questions").find(|one| one["question"] == question).unwrap();
        let other = (stands["entry"] != entry).then(|| format!("{} counts", stands["entry"]));
        let changed = stands["changed"].as_str().map(str::to_owned);
        Some([flags, other.into_iter().chain(changed).collect()])
    }
}

proptest! {
    #![proptest_config(crate::slow(6, 200))]

    #[test]
    fn record_and_check_judge_alike(steps in steps()) {
        let mut place = Place::new();
        for step in &steps {
            place.take(step)?;
        }
    }
}
