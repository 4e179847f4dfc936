use crate::{
    project::Asked,
    report::{count, fence},
};

const HOW: &str = "\
Or fill in this JSON, for git sq record --json - or, from a file, git sq record --file FILE. cites: the lines that the \
answer rests on, as in [\"src/lib.rs:12-20\"]. If nothing changed that an answer depends on, \"delta\":false can replace answer; \
if the last answer was wrong though nothing changed, add \"wrong\":true. Leave out questions that you did not answer. More: git sq brief --help-agent";

const MOST: usize = 1_200;

pub(super) fn record_command(questions: &[&Asked]) -> String {
    let first = questions.first().map(|one| one.name());
    let first = first.unwrap_or_default();
    let is_same = |one: &&&Asked| one.staleness.is_some() && one.exposed != Some(true);
    let same = questions.iter().skip(1).find(is_same);
    let same = same.map(|one| format!(" --same {}", one.name()));
    let same = same.unwrap_or_default();
    format!("git sq record '{first}=the answer' --cite {first}=path:3-5{same}")
}

/// Valid JSON for many answers, which is refused until it is filled in. Empty without questions.
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
    let cites = if question.needs_cite() {
        r#","cites":[]"#
    } else {
        ""
    };
    format!(r#"{{"q_id":"{name}","answer":null{cites}}}"#)
}

/// The message for an agent that is about to stop and has not answered these questions.
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
