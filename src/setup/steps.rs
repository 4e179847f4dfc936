//! The steps of a setup: done, planned, or left to a person.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// `store`, `config`, `hook`, `remote`, `log` or `state`.
    pub about: &'static str,
    pub lines: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Steps {
    pub dry_run: bool,
    pub list: Vec<Step>,
}

impl Steps {
    pub fn new(dry_run: bool) -> Self {
        Self {
            dry_run,
            list: Vec::new(),
        }
    }

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
        let lines = lines.into();
        self.list.push(Step { about, lines });
    }
}
