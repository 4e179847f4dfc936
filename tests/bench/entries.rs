//! Lines as the tool writes them: a session's answers to twelve questions, about 1.5 KB.

use git_sq::entry::{Line, Ts, entry_id, sha256_hex};
use jiff::Timestamp;
use serde_json::value::RawValue;

/// How many questions are asked.
pub const QUESTIONS: usize = 12;

/// When the history begins, in seconds since 1970: early enough that a million commits end before today.
const BEGINNING: i64 = 1_100_000_000;

/// Seconds from one commit to the next.
const STEP: i64 = 600;

/// The time of a commit, in seconds since 1970.
pub fn commit_time(number: usize) -> i64 {
    BEGINNING + i64::try_from(number).unwrap_or(i64::MAX / STEP) * STEP
}

/// The names of all questions.
pub fn question_names() -> Vec<String> {
    (1..=QUESTIONS).map(|q| format!("q{q}")).collect()
}

/// A line as it stands: a parsed value would put the keys into another order.
pub fn as_written(text: &str) -> Line {
    let line: &RawValue = serde_json::from_str(text).unwrap();
    Line::of(&line).expect("a line that is short enough")
}

/// The line that a session leaves on commit `number`, asked by the question store in a blob; lines with different salts
/// differ.
///
/// Two of three sessions report a change, as agents do, and the first one gives every answer.
pub fn line(number: usize, commit: &str, store: &str, salt: usize) -> Line {
    let seconds = commit_time(number) + 60;
    let nanoseconds = i32::try_from(salt % 1000).unwrap_or(0) * 1_000_000;
    let time = Timestamp::new(seconds, nanoseconds).expect("a time of this century");
    let ts = Ts::from(time);
    let digest = sha256_hex(format!("{number} {salt}").as_bytes());
    let results = question_names().into_iter().enumerate().map(|(place, name)| {
        let delta = number > 0 && !number.is_multiple_of(3) && place == number % QUESTIONS;
        let (part, see) = (number % 20, &digest[..8]);
        let note = format!(r#","note":"the parser moved to src/part{part:02}, see {see}""#);
        let note = if delta || number == 0 { &note } else { "" };
        format!(r#"{{"q_id":"{name}","last_rederived_ts":"{ts}","delta":{delta}{note}}}"#)
    });
    let results: Vec<String> = results.collect();
    let id = entry_id(time, u128::from_str_radix(&digest[..20], 16).unwrap_or(0));
    let (sid, writer, tree) = (&digest[20..28], number % 5, &digest[24..]);
    let agent = r#"{"name":"agent","model":"model-1","harness":"harness/2.1.330"}"#;
    as_written(&format!(
        r#"{{"ts":"{ts}","kind":"rederive","id":"{id}","sid":"20260101T000000-{sid}","repo_head_sha":"{commit}","v":1,"tool":"git-sq/0.1.0","agent":{agent},"writer":"01J0000000000000000000000{writer}","store":"{store}","head":{{"branch":"main","tree":"{tree}","dirty":false}},"results":[{}]}}"#,
        results.join(",")
    ))
}
