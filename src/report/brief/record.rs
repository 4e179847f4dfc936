//! How answers are recorded: the command, and the json that it takes, with a place for each answer.

use crate::{
    project::Asked,
    report::{count, fence},
};

/// How to fill it in.
const HOW: &str = "\
Or fill in this JSON, for git sq record --json - or, from a file, git sq record --file FILE. delta: true where the answer \
differs from the last one; then note says what changed. Of a first answer, note is the answer. cites: as in \
[\"src/lib.rs:12-20\"]. Leave out what you did not derive. More: git sq brief --help-agent";

/// The most bytes of the places for answers.
const MOST: usize = 1_200;

/// The command that records answers to these questions.
pub(super) fn record_command(questions: &[&Asked]) -> String {
    let mut names = questions.iter().map(|one| one.name());
    let first = names.next().unwrap_or_default();
    let needs_cite = questions.first().is_some_and(|one| one.requires_evidence);
    let cite = if needs_cite {
        format!(" --cite '{first}=path:from-to'")
    } else {
        String::new()
    };
    if questions.iter().any(|one| one.staleness.is_none()) {
        return format!(
            "git sq record --same '{first}=the answer'{cite} (first answers need a note)"
        );
    }
    match names.next() {
        Some(other) => format!("git sq record --same {first}{cite} --delta '{other}=what changed'"),
        None => format!("git sq record --same {first}{cite}, or --delta '{first}=what changed'"),
    }
}

/// How to record many answers at once: json that is valid, and refused until it is filled in. Empty without questions.
pub(super) fn record_form(questions: &[&Asked]) -> String {
    if questions.is_empty() {
        return String::new();
    }
    let mut room = MOST;
    let places = questions.iter().map(|question| place(question));
    let places: Vec<String> = places
        .take_while(|place| {
            let fits = place.len() <= room;
            room = room.saturating_sub(place.len());
            fits
        })
        .collect();
    let left_out = questions.len() - places.len();
    let more =
        (left_out > 0).then(|| format!("\n{left_out} left out, see: git sq question list\n"));
    let json = format!("{{\"results\":[\n{}\n]}}", places.join(",\n"));
    let lines: Vec<String> = json.lines().map(str::to_owned).collect();
    format!("\n{HOW}\n\n{}{}", fence(&lines), more.unwrap_or_default())
}

fn place(question: &Asked) -> String {
    let name = question.name();
    let answer = if question.shaped {
        r#""answer":null"#
    } else {
        r#""delta":null,"note":null"#
    };
    let cites = if question.requires_evidence {
        r#","cites":[]"#
    } else {
        ""
    };
    format!(r#"{{"q_id":"{name}",{answer}{cites}}}"#)
}

/// What an agent hears that is about to stop and has not answered these questions.
pub fn stop_text(missing: &[Asked]) -> String {
    let questions: Vec<&Asked> = missing.iter().collect();
    format!(
        "Not answered in this session: {}. Before you stop, derive each answer anew from the repository \
         (git sq brief --format markdown has the questions), and record it: {}. This is asked once.\n{}",
        count(missing.len(), "standing question"),
        record_command(&questions),
        record_form(&questions)
    )
}
