//! The report of `carry`: which entries were copied, by which rule, and which found no home.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, asides, entries, escape};
use crate::entry::CarryRule;

/// What became of the entries of rewritten commits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Carry {
    /// The commit whose history was searched.
    pub tip: String,
    /// Nothing was written.
    pub dry_run: bool,
    pub carried: Vec<CarriedRow>,
    /// Entries of commits that no branch has and that match no commit.
    pub homeless: Vec<HomelessRow>,
    /// Entries that the tip does not contain and a branch does.
    pub on_branches: usize,
    /// With `--pr`: entries that no branch has and none of its commits matches.
    pub unmatched: usize,
    /// What was skipped, although nothing is wrong.
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

/// A commit whose entries could not be carried.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HomelessRow {
    pub anchor: String,
    pub entries: usize,
    pub why: Why,
    /// The commits that match equally well.
    pub candidates: Vec<String>,
}

/// Why entries could not be carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The commit is gone, and nothing that its entries recorded matches.
    Gone,
    /// Nothing matches.
    NoMatch,
    /// Several commits match equally well.
    Ambiguous,
}

/// The report for people.
pub fn carry_text(carry: &Carry, style: Style) -> String {
    let carried = carry.carried.iter().map(|row| {
        format!(
            "{} -> {}  {:<10}  {}\n",
            style.commit(short(&row.from)),
            style.commit(short(&row.to)),
            row.rule.name(),
            entries(row.entries.len())
        )
    });
    let homeless = carry.homeless.iter().map(|row| {
        format!(
            "{} {}: {}, {}\n",
            style.error("no home:"),
            style.commit(short(&row.anchor)),
            entries(row.entries),
            why(row)
        )
    });
    let help = (!carry.homeless.is_empty()).then(|| {
        let help = "`git sq carry --onto REV COMMIT` puts the entries of COMMIT on REV";
        format!("  {}\n", style.dim(help))
    });
    let total = carry.carried.iter().map(|row| row.entries.len()).sum();
    let done = match (total, carry.dry_run) {
        (0, _) => "Nothing to carry.\n".to_owned(),
        (_, true) => format!("Would carry {}.\n", entries(total)),
        (_, false) => format!("Carried {}.\n", entries(total)),
    };
    carried
        .chain(homeless)
        .chain(help)
        .chain([asides(&[], &carry.unknown, style)])
        .chain(remarks(carry).map(|line| style.dim(&line) + "\n"))
        .chain([done])
        .collect()
}

/// Less important lines, not styled.
fn remarks(carry: &Carry) -> impl Iterator<Item = String> {
    let on_branches = match carry.on_branches {
        0 => None,
        1 => Some("1 entry is on a branch of its own".to_owned()),
        number => Some(format!("{number} entries are on branches of their own")),
    };
    let unmatched = match carry.unmatched {
        0 => None,
        1 => Some("1 entry of other branches matches none of these commits".to_owned()),
        number => Some(format!(
            "{number} entries of other branches match none of these commits"
        )),
    };
    let notes = carry.notes.iter().map(|note| escape(note));
    notes.chain(on_branches).chain(unmatched)
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
