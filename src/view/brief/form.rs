//! The questions as a text to be edited, as git has commit messages edited.

use super::{
    RULES,
    sections::{LINE, line, moved, question_item},
};
use crate::{
    project::{Asked, Since},
    timeline::short,
    view::Style,
};

const HOW: &str = "\
After the name of a question, write `answer: ` and the answer; `same` where
nothing changed that it depends on; `delta: what changed`; or, where the
last answer was false though nothing changed, `wrong: ` and what is true.
Below it, `cite src/lib.rs:12-20` names the lines that show it. Questions
left blank are not recorded. Lines starting with '#' are ignored; an empty
form records only what probes find.";

/// Tells where to find the last answers, but does not show them.
pub fn answer_form(place: &str, since: Option<&Since>, questions: &[Asked]) -> String {
    let title = format!("Standing questions on {}", line(place, LINE));
    let since = since.map(|since| {
        let files = moved(since);
        let left_out = (since.files.len() + 1).saturating_sub(files.len());
        let more = (left_out > 0).then(|| format!("\n  and {left_out} more"));
        format!("\nWhat changed {}{}", files.join("\n"), more.unwrap_or_default())
    });
    let head = [title.as_str(), RULES, HOW, since.as_deref().unwrap_or_default()];
    let head = head.iter().flat_map(|part| part.lines()).map(comment);
    let places = questions.iter().map(|question| {
        let text: String = about(question).iter().map(|line| comment(line)).collect();
        format!("\n{text}{}\n", question.name())
    });
    head.chain(places).collect()
}

fn comment(text: &str) -> String {
    let style = Style { width: Some(76), ..Style::default() };
    let indent = text.len() - text.trim_start().len();
    style
        .wrap(text, 0, indent)
        .split('\n')
        .map(|line| format!("# {line}").trim_end().to_owned() + "\n")
        .collect()
}

fn about(question: &Asked) -> Vec<String> {
    let mut lines: Vec<String> =
        question_item(question, Style::default()).lines().map(str::to_owned).collect();
    lines.extend(question.answered_at.map(|commit| {
        let (commit, name) = (short(commit), question.name());
        format!("      last answered on {commit}; compare afterwards: `git sq show {name}`")
    }));
    lines
}
