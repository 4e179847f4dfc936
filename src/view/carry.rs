use serde::Serialize;

use super::{Output, Style, asides, entries};
use crate::{
    entry::{CarryRule, word},
    git::{DEEPEN, Oid},
    store::carry::{Home, Plan},
};

#[derive(Debug, Clone, Serialize)]
pub struct Carry {
    pub tip: String,
    pub dry_run: bool,
    pub carried: Vec<CarriedRow>,
    /// Entries on no branch that have no new home; with `--pr`, only those that several commits match.
    pub orphaned: Vec<OrphanedRow>,
    pub on_branches: usize,
    /// With `--pr`: number of entries on no branch that none of its commits matches.
    pub unmatched: usize,
    pub unknown: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct CarriedRow {
    pub from: String,
    pub to: String,
    pub rule: CarryRule,
    /// The id of each line; for a line without one, the first 16 digits of its SHA-256.
    pub entries: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct OrphanedRow {
    pub commit: String,
    /// The commit is not in this clone: git removed it, or it was never pushed.
    pub missing: bool,
    pub entries: usize,
    /// The commits that match equally well; empty if none matches.
    pub candidates: Vec<String>,
}

impl Carry {
    /// With `is_pr`, only the commits of a pull request were searched.
    pub fn new(tip: Oid, plan: &Plan, is_pr: bool, dry_run: bool) -> Self {
        let carried = plan.moves.iter().map(|one| CarriedRow {
            from: one.from.to_string(),
            to: one.to.to_string(),
            rule: one.rule,
            entries: one.lines.iter().map(|(_, id)| id.clone()).collect(),
        });
        let mut carry = Self {
            tip: tip.to_string(),
            dry_run,
            carried: carried.collect(),
            orphaned: vec![],
            on_branches: plan.on_branches,
            unmatched: 0,
            unknown: vec![],
        };
        let mut unknown = 0;
        for row in &plan.orphaned {
            let candidates = match &row.home {
                Home::Unknown => {
                    unknown += row.lines;
                    continue;
                }
                Home::NoMatch if is_pr => {
                    // Other pull requests have entries, too.
                    carry.unmatched += row.lines;
                    continue;
                }
                Home::Ambiguous(candidates) => candidates.iter().map(Oid::to_string).collect(),
                Home::NoMatch | Home::Found(..) => vec![],
            };
            carry.orphaned.push(OrphanedRow {
                commit: row.commit.to_string(),
                missing: !row.is_here,
                entries: row.lines,
                candidates,
            });
        }
        if unknown > 0 {
            let why = if plan.is_cut {
                format!("the history is cut off here; {DEEPEN}")
            } else {
                "the history is incomplete, or objects are missing".to_owned()
            };
            carry.unknown.push(format!("the new commits of {}: {why}", entries(unknown)));
        }
        carry
    }
}

impl Output for Carry {
    const SCHEMA: &'static str = "sq.carry/v1";

    fn text(&self, style: Style) -> String {
        let mut out = String::new();
        for row in &self.carried {
            out += &format!(
                "{} -> {}  {:<10}  {}\n",
                style.commit(&row.from[..10]),
                style.commit(&row.to[..10]),
                word(&row.rule),
                entries(row.entries.len())
            );
        }
        for row in &self.orphaned {
            let candidates: Vec<&str> = row.candidates.iter().map(|id| &id[..10]).collect();
            let why = match (candidates.is_empty(), row.missing) {
                (false, _) => format!("ambiguous: {}", candidates.join(", ")),
                (true, true) => "no match, and the commit is not in this clone".into(),
                (true, false) => "no match".into(),
            };
            out += &format!(
                "{} {}: {}, {why}\n",
                style.error("orphaned:"),
                style.commit(&row.commit[..10]),
                entries(row.entries),
            );
        }
        if !self.orphaned.is_empty() {
            let help = "`git sq carry --onto REV COMMIT` puts the entries of COMMIT on REV";
            out += &format!("  {}\n", style.dim(help));
        }
        out += &asides(&[], &self.unknown, style);
        for (number, why) in [
            (self.on_branches, "on other branches"),
            (self.unmatched, "of other pull requests, or without a match"),
        ] {
            if number > 0 {
                let line = format!("not carried: {} {why}", entries(number));
                out += &format!("{}\n", style.dim(&line));
            }
        }
        let carried = self.carried.iter().map(|row| row.entries.len()).sum();
        out + &match (carried, self.dry_run) {
            (0, _) => "Nothing to carry.\n".to_owned(),
            (_, true) => format!("Would carry {}.\n", entries(carried)),
            (_, false) => format!("Carried {}.\n", entries(carried)),
        }
    }
}
