use super::{Style, count, escape};
use crate::{quote, setup::Steps};

/// Behind the labels.
const COLUMN: usize = 8;

pub fn steps_text(steps: &Steps, style: Style) -> String {
    let mut out = String::new();
    for (about, lines) in &steps.list {
        let mut label = format!("{about}:");
        for (place, line) in lines.iter().enumerate() {
            let line = escape(line);
            // What follows the first line is to be copied as it is.
            let text = if place == 0 { style.wrap(&line, COLUMN, COLUMN) } else { line };
            out += &format!("{label:<7} {text}\n");
            label.clear();
        }
    }
    out
}

/// `wrong` is the number of facts that stand in two places and differ; `agents` are here, and not set up; `asks` says whether
/// a question is for sessions; there need be no store.
pub fn next_steps_text(
    to_commit: Option<&str>,
    has_identity: bool,
    wrong: usize,
    agents: &[String],
    asks: Option<bool>,
) -> String {
    let mut out = String::new();
    if !has_identity {
        out += "  git config --global user.name 'Your Name'   (every note has an author)\n";
        out += "  git config --global user.email you@example.com\n";
    }
    if let Some(path) = to_commit {
        out += &format!("  edit and commit {}\n", escape(&quote::path(path)));
    }
    if wrong > 0 {
        let facts = count(wrong, "fact");
        let are = if wrong == 1 { "is" } else { "are" };
        out +=
            &format!("  git sq facts              {facts} of this repository {are} wrong today\n");
    }
    if !agents.is_empty() {
        out += &format!("  git sq agent install {}\n", agents.join(" "));
    }
    out += match asks {
        Some(true) => "  git sq brief              shows the questions to answer\n",
        Some(false) => {
            "  git sq question add ID 'QUESTION?' --watch PATH   asks the sessions of agents\n"
        }
        None => "",
    };
    if out.is_empty() { out } else { format!("\nNext:\n{out}") }
}
