//! The steps of a setup: done, planned, or left to a person.

#[derive(Debug, Default)]
pub struct Steps {
    pub dry_run: bool,
    /// What each is about (`store`, `config`, `hook`, `remote`, `log` or `state`), and its lines.
    pub list: Vec<(&'static str, Vec<String>)>,
}

impl Steps {
    /// A change that is made, or would be: `planted` or `would plant`.
    pub(super) fn change(&mut self, about: &'static str, [done, verb]: [&str; 2], what: &str) {
        let line = if self.dry_run {
            format!("would {verb} {what}")
        } else {
            format!("{done} {what}")
        };
        self.note(about, [line]);
    }

    pub(super) fn note(&mut self, about: &'static str, lines: impl Into<Vec<String>>) {
        self.list.push((about, lines.into()));
    }
}
