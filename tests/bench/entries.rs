//! Lines as the tool writes them: a session's answers to questions that watch a folder each, with the lines that they cite.

use git_sq::{
    entry::{Line, Ts, entry_id, sha256_hex},
    git::Repo,
};
use jiff::Timestamp;
use serde_json::{json, value::RawValue};

use crate::history::{PARTS, changed_last, contains, has_changed, path, text};

/// The usual number of questions.
pub const QUESTIONS: usize = 12;

/// When the history begins, in seconds since 1970: early enough that a million commits end before today.
const BEGINNING: i64 = 1_100_000_000;

/// Seconds from one commit to the next.
const STEP: i64 = 600;

/// How sessions answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conduct {
    /// Each answer that may have changed comes with the lines that it rests on; two of three sessions report a change.
    Honest,
    /// Every answer is a bare `same`.
    Lying,
}

/// The time of a commit, in seconds since 1970.
pub fn commit_time(number: usize) -> i64 {
    BEGINNING + i64::try_from(number).unwrap_or(i64::MAX / STEP) * STEP
}

/// The names of so many questions.
pub fn question_names(questions: usize) -> Vec<String> {
    (1..=questions).map(|question| format!("q{question}")).collect()
}

/// The part of the files that a question watches.
fn part(question: usize) -> usize {
    question % PARTS
}

/// A store with so many questions, each of which watches a folder.
pub fn question_store(questions: usize) -> String {
    let ask = |(place, name): (usize, String)| {
        let (text, watch) = (format!("What about {name}?"), format!("src/part{:02}", part(place)));
        json!({"id": name, "q": text, "importance": 3, "watch": [watch]})
    };
    let questions: Vec<_> = question_names(questions).into_iter().enumerate().map(ask).collect();
    format!("{:#}\n", json!({"_schema": "standing_questions/v2", "questions": questions}))
}

/// A line as it stands: a parsed value would put the keys into another order.
pub fn as_written(text: &str) -> Line {
    let line: &RawValue = serde_json::from_str(text).unwrap();
    Line::of(&line).expect("a line that is short enough")
}

/// The sessions of one log.
pub struct Log<'r> {
    /// Hashes the cited files.
    pub repo: &'r Repo,
    /// The blob of the question store.
    pub store: &'r str,
    pub questions: usize,
    pub conduct: Conduct,
    /// Number of commits from one session to the next.
    pub step: usize,
}

impl Log<'_> {
    /// The line that a session leaves on commit `number`; lines with different salts differ.
    pub fn line(&self, number: usize, commit: &str, salt: usize) -> Line {
        let seconds = commit_time(number) + 60;
        let nanoseconds = i32::try_from(salt % 1000).unwrap_or(0) * 1_000_000;
        let time = Timestamp::new(seconds, nanoseconds).expect("a time of this century");
        let ts = Ts::from(time);
        let digest = sha256_hex(format!("{number} {salt}").as_bytes());
        // The session knows the newest answers that its commit contains.
        let mut before = (1..=number / self.step).map(|back| number - back * self.step);
        let before = before.find(|before| contains(number, *before));
        let mut reports = before.is_some() && !number.is_multiple_of(3);
        let answer = |(place, name): (usize, String)| {
            let part = part(place);
            let may_differ = before.is_none_or(|before| has_changed(part, before, number));
            let begin = format!(r#"{{"q_id":"{name}","last_rederived_ts":"{ts}""#);
            if self.conduct == Conduct::Lying && before.is_some() || !may_differ {
                return format!(r#"{begin},"delta":false}}"#);
            }
            let delta = std::mem::take(&mut reports);
            let note = if delta { r#""note":"the parser moved","# } else { "" };
            let (words, cite) = (&digest[..8], self.cite(part, number));
            let answer = format!(r#""answer":"the parser stands as in {words}""#);
            format!(r#"{begin},"delta":{delta},{note}{answer},"evidence":{{"cites":[{cite}]}}}}"#)
        };
        let results = question_names(self.questions).into_iter().enumerate().map(answer);
        let results: Vec<String> = results.collect();
        let id = entry_id(time, u128::from_str_radix(&digest[..20], 16).unwrap_or(0));
        let (sid, writer, tree) = (&digest[20..28], number / self.step % 5, &digest[24..]);
        let agent = r#"{"name":"agent","model":"model-1","harness":"harness/2.1.330"}"#;
        let store = self.store;
        as_written(&format!(
            r#"{{"ts":"{ts}","kind":"rederive","id":"{id}","sid":"20260101T000000-{sid}","repo_head_sha":"{commit}","v":1,"tool":"git-sq/0.1.0","agent":{agent},"writer":"01J0000000000000000000000{writer}","store":"{store}","head":{{"branch":"main","tree":"{tree}","dirty":false}},"results":[{}]}}"#,
            results.join(",")
        ))
    }

    /// The first line of the file of a part that changed last: it names that change.
    fn cite(&self, part: usize, number: usize) -> String {
        let (file, change) = changed_last(part, number);
        let blob = self.repo.blob_id(text(file, change).as_bytes()).unwrap();
        format!(r#"{{"path":"{}","lines":[1,1],"blob":"{blob}"}}"#, path(file))
    }
}
