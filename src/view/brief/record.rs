//! The command and the form by which the answers are recorded.

use crate::{
    entry::clip,
    project::{Asked, Brief},
    view::joined,
};

/// Characters of the message for an agent that is about to stop at most: a person sees it, too.
const STOP: usize = 400;

const OPTIONS: &str = "--same without an answer means: you looked, and nothing changed that the answer depends on. --wrong 'q1=what is true' \
corrects an answer that was never true. Leave out what you did not look at. More: git sq brief --help-agent";

/// One simple command: coding agents refuse heredocs and files outside the worktree.
pub(super) fn record_command(questions: &[&Asked]) -> String {
    let first = questions.first().map(|question| question.name()).unwrap_or_default();
    let same = questions
        .iter()
        .skip(1)
        .find(|question| question.staleness.is_some() && question.exposed != Some(true))
        .map(|question| format!(" --same {}", question.name()))
        .unwrap_or_default();
    format!("git sq record '{first}=the answer' --cite {first}=path:3-5{same}")
}

/// Empty without questions.
pub(super) fn options(questions: &[&Asked]) -> String {
    if questions.is_empty() {
        return String::new();
    }
    let worded: Vec<String> = questions
        .iter()
        .filter(|question| question.answer.is_none() && question.staleness.is_some())
        .map(|question| question.name())
        .collect();
    let words = worded.first().map(|first| {
        let names = clip(&worded.join(", "), super::LINE);
        format!("To an answer in words ({names}), add --same {first} if it is the last one again, or --delta '{first}=what changed'. ")
    });
    format!("\n{}{OPTIONS}\n", words.unwrap_or_default())
}

impl Brief {
    /// The input of `git sq record --json`, with a `null` for each answer.
    pub fn form(&self) -> String {
        let places = self.needs_answer().into_iter().map(|question| {
            let name = question.name();
            format!(r#"{{"q_id":"{name}","answer":null,"cites":[]}}"#)
        });
        format!("{{\"results\":[\n{}\n]}}\n", joined(places, ",\n"))
    }
}

/// The message for an agent that is about to stop and has not answered these questions.
pub fn stop_text(missing: &[Asked]) -> String {
    let first: Vec<&Asked> = missing.iter().take(1).collect();
    let rest = format!(
        ". Derive each answer anew from the repository, then run, for each: {}. \
         The questions: git sq brief --format markdown. This is asked once.",
        record_command(&first)
    );
    let names = joined(missing.iter().map(Asked::name), ", ");
    let begin = "Still to answer in this session: ";
    let room = STOP.saturating_sub(begin.len() + rest.len());
    format!("{begin}{}{rest}", clip(&names, room))
}
