//! GitLab's code quality report: a JSON array of issues, each with a place and a fingerprint.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Gate, RemarkKind};
use crate::entry::sha256_hex;

/// GitLab requires a place: without a question store it is the root.
pub fn text(gate: &Gate) -> String {
    let mut times: HashMap<String, usize> = HashMap::new();
    let issues = gate.remarks.iter().map(|remark| {
        let severity = match remark.kind {
            RemarkKind::Error => "major",
            RemarkKind::Unknown => "critical",
            RemarkKind::Warning => "minor",
        };
        let (path, line) = remark.place.clone().unwrap_or((".".into(), None));
        let mut name = format!("{}\n{}", remark.rule, remark.message);
        // GitLab shows one issue a fingerprint.
        let time = times.entry(name.clone()).or_default();
        *time += 1;
        if *time > 1 {
            name += &format!("\n{time}");
        }
        json!({
            "description": remark.whole(),
            "check_name": remark.rule,
            "fingerprint": sha256_hex(name.as_bytes()),
            "severity": severity,
            "location": { "path": path, "lines": { "begin": line.unwrap_or(1) } },
        })
    });
    format!("{:#}\n", Value::Array(issues.collect()))
}
