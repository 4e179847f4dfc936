//! Lines as the tool writes them: a session's answers to twelve questions, about 1.5 KB.

use git_sq::entry::{
    Agent, Answer, Body, Envelope, Event, Head, Kind, Line, Rederive, Ts, VERSION, entry_id,
    sha256_hex,
};
use jiff::Timestamp;

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

/// The names of all questions, separated by commas.
pub fn question_names() -> String {
    let names: Vec<String> = (1..=QUESTIONS).map(|q| format!("q{q}")).collect();
    names.join(",")
}

/// The line that a session leaves on commit `number`; lines with different salts differ.
///
/// Two of three sessions report a change, as agents do, and the first one gives every answer.
pub fn line(number: usize, commit: &str, salt: usize) -> Line {
    let seconds = commit_time(number) + 60;
    let nanoseconds = i32::try_from(salt % 1000).unwrap_or(0) * 1_000_000;
    let time = Timestamp::new(seconds, nanoseconds).expect("a time of this century");
    let ts = Ts::from(time);
    let digest = sha256_hex(format!("{number} {salt}").as_bytes());
    let results = (0..QUESTIONS).map(|question| {
        let delta = number > 0 && !number.is_multiple_of(3) && question == number % QUESTIONS;
        let note = (delta || number == 0).then(|| {
            format!(
                "the parser moved to src/part{:02}, see {}",
                number % 20,
                &digest[..8]
            )
        });
        Answer {
            q_id: format!("q{}", question + 1).into(),
            last_rederived_ts: Some(ts.to_string().into()),
            delta,
            note: note.map(Into::into),
            q_version: None,
            answer: None,
            claim: None,
            evidence: None,
            corrects: None,
        }
    });
    let body = Body::Rederive(Rederive {
        results: results.collect(),
    });
    let envelope = Envelope {
        ts,
        kind: Kind::Rederive,
        id: entry_id(time, u128::from_str_radix(&digest[..20], 16).unwrap_or(0)).into(),
        sid: format!("20260101T000000-{}", &digest[20..28]).into(),
        repo_head_sha: commit.into(),
        v: VERSION,
        tool: "git-sq/0.1.0".into(),
        agent: Some(Agent {
            name: Some("agent".to_owned()),
            model: Some("model-1".to_owned()),
            harness: Some("harness/2.1.330".to_owned()),
        }),
        by: None,
        writer: Some(format!("01J0000000000000000000000{}", number % 5).into()),
        n: None,
        prev: None,
        seen: None,
        store: Some(digest[..40].to_owned().into()),
        head: Some(Head {
            branch: Some("main".into()),
            tree: digest[24..].to_owned().into(),
            dirty: false,
            ..Head::default()
        }),
        origin: None,
    };
    Line::of(&Event::new(envelope, body)).expect("a line that is short enough")
}
