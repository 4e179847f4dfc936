use serde::Serialize;
use serde_json::Value;

use super::{Output, Style, asides, count, escape};
use crate::{
    entry::{Ts, value_text},
    evidence::{Trace, traced_text},
    question::{Probe, Question},
    timeline::short,
};

const COLUMNS: usize = 60;

#[derive(Debug, Serialize)]
pub struct Traced {
    /// Null if the probe was given on the command line.
    pub q_id: Option<String>,
    pub q_version: Option<u32>,
    /// For `agree` and `subset`, what each part gives now, and the commit that made it so.
    pub parts: Vec<TracedPart>,
    /// Oldest first, with the first answer.
    pub changes: Vec<TracedChange>,
    pub touched: usize,
    pub unknown: Vec<String>,
    #[serde(skip)]
    keep: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct TracedPart {
    pub place: String,
    pub value: Option<Value>,
    pub gone: Option<String>,
    pub commit: String,
    pub ts: String,
    pub author: String,
}

#[derive(Debug, Serialize)]
pub struct TracedChange {
    pub commit: String,
    pub ts: String,
    pub author: String,
    /// True if the commit is a merge, whose author need not be that of the change.
    pub is_merge: bool,
    /// A boolean, a number, a string or a list; null if there was nothing to read.
    pub value: Option<Value>,
    pub gone: Option<String>,
    /// For `agree` and `subset`, what each part gives; null if it had nothing to read.
    pub parts: Vec<Option<Value>>,
    pub moved: Vec<String>,
    #[serde(skip)]
    says: String,
}

impl Traced {
    pub fn new(question: Option<&Question>, probe: &Probe, trace: Trace) -> Self {
        let unknown = unknown(&trace);
        let places: Vec<String> = probe.parts().iter().map(Probe::place).collect();
        let parts = places.iter().cloned().zip(trace.parts);
        let parts = parts.map(|(place, part)| {
            let (value, gone) = part.now.split();
            TracedPart {
                place,
                value,
                gone,
                commit: part.commit.to_string(),
                ts: Ts::from(part.committed).to_string(),
                author: part.author,
            }
        });
        let changes = trace.changes.into_iter().map(|change| {
            let says = traced_text(change.before.as_ref(), &change.now, &change.parts);
            let (value, gone) = change.now.split();
            TracedChange {
                commit: change.commit.to_string(),
                ts: Ts::from(change.committed).to_string(),
                author: change.author,
                is_merge: change.is_merge,
                value,
                gone,
                parts: change
                    .parts
                    .into_iter()
                    .map(|part| part.split().0)
                    .collect(),
                moved: change
                    .moved
                    .iter()
                    .map(|&part| places[part].clone())
                    .collect(),
                says,
            }
        });
        Self {
            q_id: question.map(|question| question.id.clone()),
            q_version: question.map(|question| question.version),
            changes: changes.collect(),
            parts: parts.collect(),
            touched: trace.touched,
            unknown: unknown.into_iter().collect(),
            keep: Vec::new(),
        }
    }

    pub fn is_gone(&self) -> bool {
        self.changes.last().is_some_and(|last| last.gone.is_some())
    }

    /// Adds how to keep a probe of no question, which these options give.
    pub fn keep(&mut self, options: &str, has_store: bool) {
        if !has_store {
            self.keep.push("git sq init --empty".into());
        }
        let options = escape(options);
        self.keep
            .push(format!("git sq question add NAME 'QUESTION?' {options}"));
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
        let width = |part: &TracedPart| escape(&part.place).chars().count();
        let width = self.parts.iter().map(width).max().unwrap_or(0);
        for part in &self.parts {
            let (commit, day) = (&part.commit[..10], &part.ts[..10]);
            let value = part.value.as_ref().map(value_text);
            let value = value.unwrap_or_else(|| "gone".into());
            let who = format!(
                "since {} {day} {}",
                style.commit(commit),
                escape(&part.author)
            );
            let place = format!("{:width$}", escape(&part.place));
            let head = format!("{} {}", style.place(&place), style.bold(&escape(&value)));
            text += &format!("{head} {who}\n");
        }
        if !self.parts.is_empty() {
            text.push('\n');
        }
        for change in self.changes.iter().rev() {
            let (commit, day) = (&change.commit[..10], &change.ts[..10]);
            let merge = if change.is_merge { " (merge)" } else { "" };
            let author = escape(&change.author) + merge;
            let column = 10 + 1 + 10 + 1 + author.chars().count() + 2;
            let moved = match change.moved.join(", ") {
                moved if moved.is_empty() => String::new(),
                moved => format!(" ({moved} changed)"),
            };
            let says = style.wrap(&escape(&(change.says.clone() + &moved)), column, 4);
            text += &format!("{} {day} {author}: {says}\n", style.commit(commit));
        }
        if !self.keep.is_empty() {
            let keep = self.keep.join("\n  ");
            text += &format!("\nTo ask it in every session:\n  {keep}\n");
        }
        text + &asides(&[], &self.unknown, style)
    }
}
