use super::{Output, Style, asides, count, escape, escape_lines, sync::waiting_text};
use crate::setup::Diagnosis;

impl Output for Diagnosis {
    const SCHEMA: &'static str = "sq.doctor/v1";

    fn text(&self, style: Style) -> String {
        let mut out = String::new();
        for finding in &self.fixed {
            out += &format!("{} {}\n", style.good("fixed:"), escape(&finding.message));
        }
        for finding in &self.findings {
            let label = style.severity(finding.severity);
            out += &format!("{label} {}\n", escape_lines(&finding.message, "\n  "));
            for line in finding.help.lines() {
                out += &format!("  {}\n", style.dim(&escape(line)));
            }
        }
        out += &asides(&[], &self.unknown, style);
        for waiting in &self.waiting {
            let text = waiting_text(waiting.entries, &waiting.branches);
            let line = format!("{}: {text}", escape(&waiting.remote));
            out += &format!("{}\n", style.dim(&line));
        }
        for note in &self.notes {
            out += &format!("{}\n", style.dim(&escape(note)));
        }
        let verdict = match (self.findings.len(), self.unknown.is_empty()) {
            (0, true) => style.good("No problems found."),
            (0, false) => style.warning("No problems found, but not everything could be checked."),
            (left, _) => count(left, "problem"),
        };
        out + &verdict + "\n"
    }
}
