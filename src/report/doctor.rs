//! What is wrong with a clone: each finding with the commands that mend it.

use super::{Style, count, escape};
use crate::{finding::Severity, setup::Diagnosis};

/// The diagnosis for people.
pub fn doctor_text(diagnosis: &Diagnosis, style: Style) -> String {
    let mut out = String::new();
    for finding in &diagnosis.fixed {
        out += &format!("{} {}\n", style.good("fixed:"), escape(&finding.message));
    }
    for finding in &diagnosis.findings {
        let label = match finding.severity {
            Severity::Error => style.error("error:"),
            Severity::Warning => style.warning("warning:"),
        };
        out += &format!("{label} {}\n", escape(&finding.message));
        for line in finding.help.lines() {
            out += &format!("  {}\n", style.dim(&escape(line)));
        }
    }
    for unknown in &diagnosis.unknown {
        out += &format!("{} {}\n", style.warning("unknown:"), escape(unknown));
    }
    let verdict = match (diagnosis.findings.len(), diagnosis.unknown.is_empty()) {
        (0, true) => style.good("No problems found."),
        (0, false) => style.warning("No problems found, but not everything could be checked."),
        (left, _) => count(left, "problem"),
    };
    out + &verdict + "\n"
}
