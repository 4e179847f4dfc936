//! The keys that the two formats of the store know.

pub const TOP_V1: &[&str] = &["_schema", "_note", "questions"];
pub const TOP_V2: &[&str] = &["_schema", "_note", "questions", "$schema", "settings"];
pub const QUESTION_V1: &[&str] = &["id", "q", "importance", "status", "evidence_hint"];
pub const QUESTION_V2: &[&str] = &[
    "id",
    "q",
    "importance",
    "status",
    "evidence_hint",
    "version",
    "reason",
    "created",
    "shape",
    "watch",
    "trigger",
    "severity",
    "expect",
    "probe",
    "max_staleness",
    "require_evidence",
];
