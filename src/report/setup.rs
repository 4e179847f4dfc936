use super::escape;
use crate::{quote, setup::Step};

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

#[derive(Debug)]
pub struct NextSteps {
    pub to_commit: Option<String>,
    /// True if git knows a name for the author of notes.
    pub has_identity: bool,
    pub offers_display: bool,
}

pub fn next_steps_text(next: &NextSteps) -> String {
    let mut out = "\nNext:\n".to_owned();
    if let Some(path) = &next.to_commit {
        let (shown, word) = (escape(path), escape(&quote::path(path)));
        out += &format!("  edit {shown}: replace these questions with your own\n");
        out += &format!("  git add {word}\n  git commit -m 'Ask standing questions'\n");
    }
    if !next.has_identity {
        out += "  git config --global user.name 'Your Name'   (every note has an author)\n";
        out += "  git config --global user.email you@example.com\n";
    }
    out += "  git sq brief     shows the questions to answer\n\n";
    if next.offers_display {
        out += "`git log --notes=sq` shows the log; after `git sq init --display`, so does\nplain `git log`.\n";
    }
    out + "`git log --all` and graphical viewers also list the commits of notes refs;\n`git log --exclude='refs/notes/*' --all` leaves them out.\n"
}
