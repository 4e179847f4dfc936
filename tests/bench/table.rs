//! The results as markdown.

use std::{fmt::Write as _, time::Duration};

use crate::contest::Outcome;

/// One line of the table of bars.
pub struct Row {
    pub work: String,
    pub ours: String,
    pub against: String,
    pub gits: String,
    pub ratio: Option<f64>,
    /// The ratio that is still good enough.
    pub bar: f64,
    /// What else has to hold.
    pub holds: bool,
}

impl Row {
    /// A comparison of times.
    pub fn of_times(work: impl Into<String>, against: &str, outcome: Outcome, bar: f64) -> Self {
        Self {
            work: work.into(),
            ours: time(outcome.ours),
            against: against.into(),
            gits: time(outcome.gits),
            ratio: Some(outcome.ratio()),
            bar,
            holds: true,
        }
    }

    fn verdict(&self) -> &'static str {
        match self.ratio {
            None => "skipped",
            Some(ratio) if self.holds && ratio <= self.bar => "ok",
            Some(_) => "MISSED",
        }
    }
}

/// The table of bars.
pub fn bars(rows: &[Row]) -> String {
    let mut text = String::from(
        "| work | ours | against | git's | ratio | at most | |\n| --- | ---: | --- | ---: | ---: | ---: | --- |\n",
    );
    for row in rows {
        let ratio = row.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        let verdict = row.verdict();
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {ratio} | {} | {verdict} |",
            row.work, row.ours, row.against, row.gits, row.bar
        );
    }
    text
}

/// How one cost grows: an outcome for each number of notes.
pub struct Growth {
    pub work: &'static str,
    pub outcomes: Vec<Outcome>,
}

/// The table of growth; every cell is our time and, in brackets, its multiple of git's.
pub fn growth(notes: &[usize], rows: &[Growth]) -> String {
    let mut text = String::from("| cost at so many notes |");
    for notes in notes {
        let _ = write!(text, " {} |", count(*notes));
    }
    text.push_str("\n| --- |");
    text.push_str(&" ---: |".repeat(notes.len()));
    text.push('\n');
    for row in rows {
        let _ = write!(text, "| {} |", row.work);
        for outcome in &row.outcomes {
            let _ = write!(text, " {} ({:.2}) |", time(outcome.ours), outcome.ratio());
        }
        text.push('\n');
    }
    text
}

/// A time in milliseconds, with as many digits as mean something.
pub fn time(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    if milliseconds < 100.0 {
        format!("{milliseconds:.1} ms")
    } else {
        format!("{milliseconds:.0} ms")
    }
}

/// A number with its thousands set apart.
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
