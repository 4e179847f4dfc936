use serde::Serialize;
use serde_json::Value;

use super::{Output, Style, asides, count, escape};
use crate::{
    entry::Ts,
    evidence::{Found, Trace, change_text},
    question::Question,
    timeline::short,
};

/// Columns of the plot at most.
const COLUMNS: usize = 60;

#[derive(Debug, Serialize)]
pub struct Traced {
    pub q_id: String,
    pub q_version: u32,
    /// Oldest first, with the first answer.
    pub changes: Vec<TracedChange>,
    pub touched: usize,
    pub unknown: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct TracedChange {
    pub commit: String,
    pub ts: String,
    /// The name from `.mailmap`.
    pub author: String,
    /// A boolean, a number, a string or a list; null if there was nothing to read.
    pub value: Option<Value>,
    pub gone: Option<String>,
    #[serde(skip)]
    says: String,
}

impl Traced {
    pub fn new(question: &Question, trace: Trace) -> Self {
        let unknown = unknown(&trace);
        let changes = trace.changes.into_iter().map(|change| {
            let says = change_text(change.before.as_ref(), &change.now);
            let (value, gone) = match change.now {
                Found::Value(value) => (Some(value), None),
                Found::Gone(why) => (None, Some(why)),
            };
            TracedChange {
                commit: change.commit.to_string(),
                ts: Ts::from(change.committed).to_string(),
                author: change.author,
                value,
                gone,
                says,
            }
        });
        Self {
            q_id: question.id.clone(),
            q_version: question.version,
            changes: changes.collect(),
            touched: trace.touched,
            unknown: unknown.into_iter().collect(),
        }
    }

    /// Plots numbers, oldest first, as bars between the smallest and the largest one.
    fn plot(&self, style: Style) -> Option<String> {
        let numbers = self.changes.iter();
        let numbers = numbers.filter_map(|change| change.value.as_ref()?.as_f64());
        let numbers: Vec<f64> = numbers.collect();
        let low = numbers.iter().copied().reduce(f64::min)?;
        let high = numbers.iter().copied().reduce(f64::max)?;
        let bars: Vec<char> = if style.unicode {
            "▁▂▃▄▅▆▇█"
        } else {
            "_.-=+*%#"
        }
        .chars()
        .collect();
        let step = numbers.len().div_ceil(COLUMNS);
        let last = numbers.len() - 1;
        let shown = (0..=last).filter(|place| (last - place).is_multiple_of(step));
        let bar = |place: usize| {
            let share = (numbers[place] - low) / (high - low);
            let levels = [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875];
            bars[levels.iter().filter(|&&level| share >= level).count()]
        };
        let bars: String = shown.map(bar).collect();
        (high > low).then(|| format!("{bars} {low} to {high}\n"))
    }
}

fn unknown(trace: &Trace) -> Option<String> {
    let (commit, error, number) = trace.unknown.as_ref()?;
    let others = match number {
        1 => String::new(),
        more => format!(" and {}", count(more - 1, "other commit")),
    };
    Some(format!("the answer at {}{others}: {error}", short(*commit)))
}

impl Output for Traced {
    const SCHEMA: &'static str = "sq.trace/v1";

    fn text(&self, style: Style) -> String {
        let mut text = self.plot(style).unwrap_or_default();
        for change in self.changes.iter().rev() {
            let (commit, day) = (&change.commit[..10], &change.ts[..10]);
            let author = escape(&change.author);
            let head = format!("{} {day} {author}: ", style.commit(commit));
            let others = 10 + 1 + 10 + 1 + author.chars().count() + 2;
            text += &format!("{head}{}\n", style.fit(&escape(&change.says), others));
        }
        text + &asides(&[], &self.unknown, style)
    }
}
