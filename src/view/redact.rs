use serde::Serialize;

use super::{Output, Style, escape};

#[derive(Serialize)]
pub struct Redaction {
    pub entry: String,
    pub mark: String,
    pub commits: Vec<String>,
    /// The ids of entries that repeat or quote an answer of it.
    pub repeated_by: Vec<String>,
    /// The ids of other entries in which a probe found the same again.
    pub found_again: Vec<String>,
}

impl Output for Redaction {
    const SCHEMA: &'static str = "sq.redact/v1";

    fn text(&self, _: Style) -> String {
        let repeated = [
            ("These repeat or quote it, and are not redacted", &self.repeated_by),
            ("In these a probe found the same, which may be what has to go", &self.found_again),
        ];
        let repeated: String = repeated
            .into_iter()
            .filter(|(_, ids)| !ids.is_empty())
            .map(|(what, ids)| format!("{what}: {}\n", ids.join(" ")))
            .collect();
        format!(
            "Redacted {} on {}. Its text was replaced with: {}\n\
             The text is still in git, here and wherever the log went: if it is a secret, replace the secret.\n{repeated}",
            escape(&self.entry),
            self.commits.iter().map(|commit| &commit[..10]).collect::<Vec<_>>().join(", "),
            escape(&self.mark),
        )
    }
}
