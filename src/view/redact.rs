use serde::Serialize;

use super::{Output, Style, escape};

#[derive(Serialize)]
pub struct Redaction {
    pub entry: String,
    pub mark: String,
    pub commits: Vec<String>,
    /// The ids of entries that repeat or quote an answer of it.
    pub repeated_by: Vec<String>,
}

impl Output for Redaction {
    const SCHEMA: &'static str = "sq.redact/v1";

    fn text(&self, _: Style) -> String {
        let repeated = match self.repeated_by.as_slice() {
            [] => String::new(),
            ids => {
                format!("These repeat or quote it, and are not redacted: {}\n", ids.join(" "))
            }
        };
        format!(
            "Redacted {} on {}. Its text was replaced with: {}\n\
             The text is still in git, here and wherever the log went: if it is a secret, replace the secret.\n{repeated}",
            escape(&self.entry),
            self.commits.iter().map(|commit| &commit[..10]).collect::<Vec<_>>().join(", "),
            escape(&self.mark),
        )
    }
}
