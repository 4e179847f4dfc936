//! Where a probe of one file finds its value.

use std::ops::Range;

use serde_json::Value;

use super::value;
use crate::question::{Probe, TextPart, TextTake, ValueTake};

/// The bytes of a text that a probe reads as its only value; `None` if there are several, or it can't be told.
pub fn value_at(probe: &Probe, text: &str) -> Option<Range<usize>> {
    match probe {
        Probe::Text(of) => {
            let TextPart::Match(regex) = of.part().ok()? else {
                return None;
            };
            let mut found = regex.captures_iter(text.as_bytes());
            let first = found.next()?;
            let is_one = of.take == TextTake::First || found.next().is_none();
            first.get(1).or(first.get(0)).filter(|_| is_one).map(|found| found.range())
        }
        Probe::Value(of) if of.take == ValueTake::Value => {
            let value = match value::of(of, text.as_bytes()).ok()? {
                Value::String(text) => text,
                value @ Value::Number(_) => value.to_string(),
                _ => return None,
            };
            let key = of.pointer.rsplit('/').next()?.replace("~1", "/").replace("~0", "~");
            let mut start = 0;
            let lines = text.split_inclusive('\n').filter_map(|line| {
                let at = start;
                start += line.len();
                let after = line.find(&key)? + key.len();
                let from = at + after + line[after..].find(&value)?;
                Some(from..from + value.len())
            });
            let mut places = lines.collect::<Vec<_>>().into_iter();
            places.next().filter(|_| places.next().is_none())
        }
        _ => None,
    }
}
