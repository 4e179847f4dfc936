//! The shape of the question store's file, for its JSON Schema; reading it with places is `parse`'s work.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Expect, Importance, Probe, Severity, Shape, Status, StoreSchema, Trigger};

/// A store of standing questions: human-owned, tracked, derived anew by each session.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("patternProperties" = {"^x-": true}))]
pub struct StoreDocument {
    #[serde(rename = "_schema")]
    schema: StoreSchema,
    /// A reminder for whoever reads the file raw.
    #[serde(rename = "_note")]
    note: Option<String>,
    #[serde(rename = "$schema")]
    json_schema: Option<String>,
    settings: Option<SettingsDocument>,
    #[schemars(length(min = 1))]
    questions: Vec<QuestionDocument>,
}

/// One version of a question. Its text is never edited in place: a new version is added, the old one stays.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("patternProperties" = {"^x-": true}))]
pub struct QuestionDocument {
    #[schemars(regex(pattern = "^[a-z][a-z0-9_-]*$"))]
    id: String,
    /// The question; it names or implies where the truth lives.
    #[schemars(length(min = 1))]
    q: String,
    /// 3: every session; 2: most sessions; 1: when relevant or stale.
    importance: Importance,
    status: Option<Status>,
    /// Where to begin looking; a hint, not a contract.
    evidence_hint: Option<String>,
    #[schemars(range(min = 1))]
    version: Option<u32>,
    /// Why this version or this status.
    reason: Option<String>,
    /// A date or a time.
    created: Option<String>,
    shape: Option<Shape>,
    /// Git pathspecs whose change can change the answer.
    watch: Option<Vec<String>>,
    trigger: Option<Trigger>,
    severity: Option<Severity>,
    expect: Option<Expect>,
    probe: Option<Probe>,
    /// Sessions; instead of the setting staleness.max.
    max_staleness: Option<u32>,
    require_evidence: Option<bool>,
}

/// Thresholds; each may also be written with a dotted key, as in `"staleness.max": 5`.
#[derive(Serialize, JsonSchema)]
#[schemars(
    deny_unknown_fields,
    extend("patternProperties" = {"^x-": true, "^(staleness|quiet|tension|clock)\\.": true})
)]
pub struct SettingsDocument {
    staleness: Option<StalenessDocument>,
    quiet: Option<QuietDocument>,
    tension: Option<TensionDocument>,
    clock: Option<ClockDocument>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("patternProperties" = {"^x-": true}))]
struct StalenessDocument {
    /// Sessions after which a question that was not re-derived is flagged; 5 unless told.
    max: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("patternProperties" = {"^x-": true}))]
struct QuietDocument {
    /// How many quiet sessions in a row are no alarm; 2 unless told.
    max_run: Option<u32>,
    /// Runs that ended before this time no longer fail the gate.
    accepted_through: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("patternProperties" = {"^x-": true}))]
struct TensionDocument {
    cap: Option<u32>,
    #[schemars(range(min = 0.0, max = 1.0))]
    floor: Option<f64>,
    ttl: Option<String>,
    #[schemars(range(min = 0.0, max = 1.0))]
    gate: Option<f64>,
    per_session: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("patternProperties" = {"^x-": true}))]
struct ClockDocument {
    tolerance: Option<String>,
}
