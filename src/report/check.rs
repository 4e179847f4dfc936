//! The gate's report.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, count, escape};
use crate::{
    finding::Severity,
    metrics::{Finding, Staleness, Verdict},
};

/// What `git sq check` found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Check {
    /// The commit that was asked about.
    pub tip: String,
    pub sessions: usize,
    pub latest_sid: Option<String>,
    pub staleness: Vec<StalenessRow>,
    pub quiet: QuietRows,
    /// Entries that were imported; nobody here vouches for their times.
    pub imported: usize,
    /// Lines of kinds that this figure does not use.
    pub other_kinds: usize,
    /// Entries on commits that the tip does not contain.
    pub elsewhere: usize,
    pub findings: Vec<Finding>,
    /// What can't be known; any of it keeps the check from being clean.
    pub unknown: Vec<String>,
    /// No error and nothing unknown.
    pub ok: bool,
}

/// A question's staleness.
pub type StalenessRow = Staleness;

/// The sessions that reported no change while HEAD moved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QuietRows {
    /// Oldest first. In text they are left out.
    pub verdicts: Vec<Verdict>,
    pub suspicious: usize,
    pub longest_run: usize,
    /// Whether a run is longer than the limit and was not accepted.
    pub alarm: bool,
}

/// The report for people. `place` says what was looked at, as in `main at 15cd9173c8`.
pub fn check_text(check: &Check, place: &str, style: Style) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{} on {place}, {} asked",
        count(check.sessions, "session"),
        count(check.staleness.len(), "question")
    );
    if check.sessions > 0 {
        out.push('\n');
        staleness_table(&mut out, &check.staleness, style);
    }
    let figures = figures(check, style);
    if !figures.is_empty() {
        out.push('\n');
        out += &figures;
    }
    if !(check.findings.is_empty() && check.unknown.is_empty()) {
        out.push('\n');
    }
    for (place, finding) in check.findings.iter().enumerate() {
        let label = match finding.severity {
            Severity::Error => style.error("error:"),
            Severity::Warning => style.warning("warning:"),
        };
        let _ = writeln!(out, "{label} {}", escape(&finding.message));
        // What helps against several findings in a row is said once, after the last.
        let next = check.findings.get(place + 1);
        if next.is_none_or(|next| next.help != finding.help) {
            let _ = writeln!(out, "  {}", style.dim(&finding.help));
        }
    }
    for unknown in &check.unknown {
        let _ = writeln!(out, "{} {}", style.warning("unknown:"), escape(unknown));
    }
    let errors = severity_count(check, Severity::Error);
    let verdict = if errors > 0 {
        style.error(&format!("not clean: {}", count(errors, "error")))
    } else if check.unknown.is_empty() {
        style.good("clean")
    } else {
        style.warning("not known to be clean")
    };
    let _ = writeln!(out, "\n{verdict}");
    out
}

/// What there is to say of the sessions as a whole, a line each.
fn figures(check: &Check, style: Style) -> String {
    let mut out = String::new();
    if check.sessions > 1 {
        let _ = writeln!(
            out,
            "{} of {} without a change although HEAD moved, {} in a row at most",
            check.quiet.suspicious,
            count(check.sessions, "session"),
            check.quiet.longest_run
        );
    }
    for (number, what) in [
        (
            check.imported,
            "imported: nobody here vouches for their times",
        ),
        (check.elsewhere, "on commits that this one does not contain"),
    ] {
        if number > 0 {
            let entries = if number == 1 {
                "entry is"
            } else {
                "entries are"
            };
            let _ = writeln!(out, "{}", style.dim(&format!("{number} {entries} {what}")));
        }
    }
    out
}

fn severity_count(check: &Check, severity: Severity) -> usize {
    let findings = check.findings.iter();
    findings.filter(|f| f.severity == severity).count()
}

fn staleness_table(out: &mut String, rows: &[StalenessRow], style: Style) {
    let width = rows
        .iter()
        .map(|row| row.q_id.len())
        .max()
        .unwrap_or(0)
        .max(8);
    let _ = writeln!(
        out,
        "{}",
        style.dim(&format!(
            "  {:width$}  staleness  last re-derived",
            "question"
        ))
    );
    for row in rows {
        let name = style.name(&format!("{:width$}", row.q_id));
        let last = match (&row.last_sid, &row.last_rederived_ts) {
            (Some(sid), Some(ts)) => {
                let day = ts.get(..10).unwrap_or(ts);
                format!("{} ({})", escape(sid), escape(day))
            }
            _ => "never".to_owned(),
        };
        let flag = if row.flagged {
            style.error(&format!("  over the limit of {}", row.limit))
        } else {
            String::new()
        };
        let _ = writeln!(out, "  {name}  {:>9}  {last}{flag}", row.staleness);
    }
}
