//! The answer of a probe over time as a small chart of steps.

use serde_json::Value;

use super::{Html, tag};
use crate::evidence::{Change, Found};

const WIDTH: u32 = 640;
const HEIGHT: u32 = 48;
/// Room for half of the line.
const EDGE: u32 = 3;

/// Values that are not numbers get levels in the order in which they came; the more, the less a chart says.
const LEVELS: usize = 12;

/// `None` if there is no change to draw.
pub fn steps(changes: &[Change]) -> Option<Html> {
    let levels = levels(changes)?;
    let known = || levels.iter().flatten().copied();
    let (low, high) = (known().fold(f64::MAX, f64::min), known().fold(f64::MIN, f64::max));
    let (first, last) = (changes.first()?, changes.last()?);
    let span = last.committed.as_second() - first.committed.as_second();
    // The last answer still holds: it gets a tenth of the width.
    let scale = |part: f64, room: u32| (part * f64::from(room)).round();
    let x = |change: &Change| {
        let seconds = change.committed.as_second() - first.committed.as_second();
        #[expect(clippy::cast_precision_loss, reason = "the place of a pixel")]
        let part = seconds.max(0) as f64 / span.max(1) as f64;
        scale(part.min(1.0), WIDTH * 9 / 10)
    };
    let y = |level: f64| {
        let part = if high > low { (high - level) / (high - low) } else { 0.5 };
        f64::from(EDGE) + scale(part, HEIGHT - 2 * EDGE)
    };
    let mut path = String::new();
    let mut is_drawn = false;
    let ends = changes.iter().skip(1).map(x).chain([f64::from(WIDTH)]);
    for ((change, level), end) in changes.iter().zip(&levels).zip(ends) {
        let Some(level) = level else {
            is_drawn = false;
            continue;
        };
        let y = y(*level);
        path += &if is_drawn { format!("V{y}H{end}") } else { format!("M{} {y}H{end}", x(change)) };
        is_drawn = true;
    }
    let line = tag("path")
        .attr("d", path)
        .attr("fill", "none")
        .attr("stroke", "currentColor")
        .attr("stroke-width", 2);
    let day = |change: &Change| change.committed.to_string()[..10].to_owned();
    let label = format!("{} answers from {} to {}", changes.len(), day(first), day(last));
    let chart = tag("svg")
        .attr("role", "img")
        .attr("aria-label", label)
        .attr("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
        .attr("width", WIDTH)
        .attr("height", HEIGHT);
    Some(chart.with(line.with("")))
}

/// The height of each answer; `None` where there was nothing to read.
fn levels(changes: &[Change]) -> Option<Vec<Option<f64>>> {
    let value = |change: &Change| match &change.now {
        Found::Value(value) => Some(value.clone()),
        Found::Gone(_) => None,
    };
    let values: Vec<Option<Value>> = changes.iter().map(value).collect();
    if values.len() < 2 {
        return None;
    }
    if values.iter().flatten().all(|value| value.is_number() || value.is_boolean()) {
        let number = |value: Value| value.as_f64().or(value.as_bool().map(f64::from));
        return Some(values.into_iter().map(|value| number(value?)).collect());
    }
    let mut seen: Vec<Value> = Vec::new();
    let mut levels = Vec::new();
    for value in values {
        levels.push(match value {
            None => None,
            Some(value) => {
                let known = seen.iter().position(|earlier| *earlier == value);
                let level = known.unwrap_or_else(|| {
                    seen.push(value);
                    seen.len() - 1
                });
                Some(f64::from(u32::try_from(level).unwrap_or(u32::MAX)))
            }
        });
    }
    (seen.len() <= LEVELS).then_some(levels)
}
