//! What `init` and its undo did, and what comes next.

use super::escape;
use crate::{quote, setup::Step};

/// The steps for people.
pub fn steps_text(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        let mut label = format!("{}:", step.about);
        for line in &step.lines {
            out += &format!("{label:<7} {}\n", escape(line));
            label.clear();
        }
    }
    out
}

/// What to do after `init`: `store` is a question store that is not committed yet.
pub fn next_steps_text(store: Option<&str>, has_identity: bool) -> String {
    let mut out = "\nNext:\n".to_owned();
    if let Some(path) = store {
        let (shown, word) = (escape(path), escape(&quote::path(path)));
        out += &format!("  edit {shown}: the questions are yours\n");
        out += &format!("  git add {word} && git commit -m 'Ask standing questions'\n");
    }
    if !has_identity {
        out += "  git config --global user.name 'Your Name'   (every note has an author)\n";
        out += "  git config --global user.email you@example.com\n";
    }
    out + "  git sq brief     what to re-derive now\n"
}
