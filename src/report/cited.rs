use crate::evidence::{CitedFate, CitedRow};

/// `src/lib.rs:3-5 holds, now at line 7`; not escaped.
pub fn cited_words(row: &CitedRow) -> String {
    let cite = &row.cite;
    match (row.fate, row.line) {
        (Some(CitedFate::Holds), Some(line)) if !begins_at(cite, line) => {
            format!("{cite} holds, now at line {line}")
        }
        (Some(CitedFate::Holds), _) => format!("{cite} holds"),
        (Some(CitedFate::Changed), _) => format!("{cite} changed since"),
        (Some(CitedFate::Gone), _) => format!("{cite} gone"),
        (Some(CitedFate::Unknown), _) => format!("{cite} unknown"),
        (None, _) => cite.clone(),
    }
}

fn begins_at(cite: &str, line: u32) -> bool {
    let lines = cite.rsplit(':').next().unwrap_or_default();
    lines.split('-').next() == Some(line.to_string().as_str())
}
