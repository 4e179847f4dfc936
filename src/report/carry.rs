//! What `carry` says: what went where and by which rule, then what found no home and what to do about it.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, entries, escape};
use crate::entry::CarryRule;

/// What became of the entries of rewritten commits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Carry {
    /// The commit in whose history homes were looked for.
    pub tip: String,
    /// Nothing was written.
    pub dry_run: bool,
    pub carried: Vec<CarriedRow>,
    /// What no branch has, and has no home.
    pub homeless: Vec<HomelessRow>,
    /// Entries that the tip does not contain and a branch does.
    pub on_branches: usize,
    /// With `--pr`: entries that no branch has and none of its commits matches.
    pub unmatched: usize,
    /// What was not looked at, although nothing is wrong.
    pub notes: Vec<String>,
    /// What can't be known.
    pub unknown: Vec<String>,
}

/// Entries that were copied from one commit to another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CarriedRow {
    pub from: String,
    pub to: String,
    pub rule: CarryRule,
    /// The id of each line; of a line without one, the first 16 digits of its SHA-256.
    pub entries: Vec<String>,
}

/// A commit whose entries have no home.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HomelessRow {
    pub anchor: String,
    pub entries: usize,
    pub why: Why,
    /// The commits that match alike.
    pub candidates: Vec<String>,
}

/// Why there is no home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The commit is not here any more, and nothing that its entries recorded matches.
    Gone,
    /// Nothing matches.
    NoMatch,
    /// Several commits match alike.
    Ambiguous,
}

/// The report for people.
pub fn carry_text(carry: &Carry, style: Style) -> String {
    let mut out = String::new();
    for row in &carry.carried {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{} -> {}  {:<10}  {}",
            style.commit(short(&row.from)),
            style.commit(short(&row.to)),
            row.rule.name(),
            entries(row.entries.len())
        );
    }
    for row in &carry.homeless {
        let _ = writeln!(
            out,
            "{} {}: {}, {}",
            style.error("no home:"),
            style.commit(short(&row.anchor)),
            entries(row.entries),
            why(row)
        );
    }
    if !carry.homeless.is_empty() {
        let help = "`git sq carry --onto REV COMMIT` puts the entries of COMMIT on REV";
        let _ = writeln!(out, "  {}", style.dim(help));
    }
    for unknown in &carry.unknown {
        let _ = writeln!(out, "{} {}", style.warning("unknown:"), escape(unknown));
    }
    for note in &carry.notes {
        let _ = writeln!(out, "{}", style.dim(&escape(note)));
    }
    if carry.on_branches > 0 {
        let (are, their) = if carry.on_branches == 1 {
            ("is on a branch", "its")
        } else {
            ("are on branches", "their")
        };
        let line = format!("{} {are} of {their} own", entries(carry.on_branches));
        let _ = writeln!(out, "{}", style.dim(&line));
    }
    if carry.unmatched > 0 {
        let verb = if carry.unmatched == 1 {
            "matches"
        } else {
            "match"
        };
        let number = entries(carry.unmatched);
        let line = format!("{number} of other branches {verb} none of these commits");
        let _ = writeln!(out, "{}", style.dim(&line));
    }
    let carried = carry.carried.iter().map(|row| row.entries.len()).sum();
    let done = match (carried, carry.dry_run) {
        (0, _) => "Nothing to carry.".to_owned(),
        (_, true) => format!("Would carry {}.", entries(carried)),
        (_, false) => format!("Carried {}.", entries(carried)),
    };
    out + &done + "\n"
}

fn why(row: &HomelessRow) -> String {
    match row.why {
        Why::Gone => "the commit is gone, and nothing that they recorded matches".into(),
        Why::NoMatch => "no commit matches".into(),
        Why::Ambiguous => {
            let candidates: Vec<&str> = row.candidates.iter().map(|id| short(id)).collect();
            format!("these match alike: {}", candidates.join(", "))
        }
    }
}

fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}
