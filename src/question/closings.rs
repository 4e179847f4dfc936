//! The file of what people closed.

use std::collections::BTreeSet;

use serde_json::error::Category;

use super::{Closed, Closing, Problem, StoreError};

const OBJECT: &str = "expected a JSON object";

const HELP: &str = "each line is what `git sq check --accept` wrote: fix it or delete it";

/// Reads the lines of the file; `name` is where they came from. Lines may be in any order, and twice: git may have merged
/// them.
pub fn parse_closings(name: &str, bytes: &[u8]) -> Result<Vec<Closing>, StoreError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    let (mut found, mut problems, mut start) = (Vec::new(), Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        match serde_json::from_str(line) {
            // A list of the same values is another format.
            Ok(closing) if line.trim_start().starts_with('{') => found.push(closing),
            _ if line.trim().is_empty() => {}
            Ok(_) => problems.push(Problem::new(start..end, OBJECT).help(HELP)),
            Err(error) => {
                // Its own words may repeat the line, which need not be ours.
                let why = match error.classify() {
                    Category::Data => {
                        "expected `closes` with `kind`, `id` and perhaps `says`, `by`, `date` and perhaps `because`"
                    }
                    _ => OBJECT,
                };
                problems.push(Problem::new(start..end, why).help(HELP));
            }
        }
        start += line.len();
    }
    if problems.is_empty() {
        return Ok(found);
    }
    problems.truncate(1);
    Err(StoreError { name: name.to_owned(), text: text.into_owned(), is_tracked: true, problems })
}

/// The text of the file with more closings: sorted, each once. `None` if it has them all.
pub fn add_closings(known: Vec<Closing>, new: Vec<Closing>) -> Option<String> {
    let closed: BTreeSet<Closed> = known.iter().map(|closing| closing.closes.clone()).collect();
    let mut new: Vec<Closing> =
        new.into_iter().filter(|new| !closed.contains(&new.closes)).collect();
    if new.is_empty() {
        return None;
    }
    new.extend(known);
    new.sort_by(|one, two| one.closes.cmp(&two.closes));
    new.dedup_by(|one, two| one.closes == two.closes);
    let lines = new.iter().filter_map(|closing| serde_json::to_string(closing).ok());
    Some(lines.map(|line| line + "\n").collect())
}
