//! The thresholds that a team sets for itself in the tracked store.

use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use serde::de::DeserializeOwned;

use super::{
    Problem,
    json::{Node, Value},
    reader::Reader,
};

/// How stale a question may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StalenessSettings {
    /// Sessions.
    pub max: u32,
}

/// How many sessions in a row may report no change while HEAD moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietSettings {
    /// Sessions.
    pub max_run: u32,
    /// Runs that ended before it no longer fail the gate.
    pub accepted_through: Option<Timestamp>,
}

/// The ledger of open questions.
#[derive(Debug, Clone, PartialEq)]
pub struct TensionSettings {
    /// How many may be open at once.
    pub cap: u32,
    /// Curiosity, 0 to 1, under which a tension expires.
    pub floor: f64,
    pub ttl: SignedDuration,
    /// Intrusiveness, 0 to 1, from which on the person is asked now.
    pub gate: f64,
    /// How many a session may open.
    pub per_session: u32,
}

impl Eq for TensionSettings {}

/// All settings of a store; what the file leaves out has its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub staleness: StalenessSettings,
    pub quiet: QuietSettings,
    pub tension: TensionSettings,
    /// How far a clock may be off.
    pub clock_tolerance: SignedDuration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            staleness: StalenessSettings { max: 5 },
            quiet: QuietSettings {
                max_run: 2,
                accepted_through: None,
            },
            tension: TensionSettings {
                cap: 50,
                floor: 0.3,
                ttl: SignedDuration::from_hours(14 * 24),
                gate: 0.6,
                per_session: 10,
            },
            clock_tolerance: SignedDuration::from_mins(5),
        }
    }
}

impl Reader<'_> {
    /// Settings may be nested (`"staleness": {"max": 5}`) or dotted (`"staleness.max": 5`).
    pub fn settings(&mut self, node: &Node) -> Settings {
        let mut settings = Settings::default();
        self.settings_in("", node, &mut settings, &mut Vec::new());
        settings
    }

    fn settings_in(
        &mut self,
        prefix: &str,
        node: &Node,
        settings: &mut Settings,
        seen: &mut Vec<String>,
    ) {
        let Value::Object(members) = &node.value else {
            self.problem(node, "this has to be an object of settings");
            return;
        };
        for member in members.iter().filter(|m| !m.key.starts_with("x-")) {
            let name = format!("{prefix}{}", member.key);
            if matches!(name.as_str(), "staleness" | "quiet" | "tension" | "clock") {
                self.settings_in(&format!("{name}."), &member.node, settings, seen);
                continue;
            }
            if seen.contains(&name) {
                let message = format!("the setting {name} stands here twice");
                self.problems
                    .push(Problem::new(member.key_span.clone(), message));
                continue;
            }
            seen.push(name.clone());
            let node = &member.node;
            match name.as_str() {
                "staleness.max" => self.set(node, &mut settings.staleness.max),
                "quiet.max_run" => self.set(node, &mut settings.quiet.max_run),
                "quiet.accepted_through" => {
                    let text: Option<String> = self.typed(node);
                    settings.quiet.accepted_through = text.and_then(|text| {
                        let time = text.parse().ok();
                        if time.is_none() {
                            self.problem(node, "this is not a time, as in \"2026-11-21T12:00:00Z\"");
                        }
                        time
                    });
                }
                "tension.cap" => self.set(node, &mut settings.tension.cap),
                "tension.floor" => self.share(node, &mut settings.tension.floor),
                "tension.gate" => self.share(node, &mut settings.tension.gate),
                "tension.per_session" => self.set(node, &mut settings.tension.per_session),
                "tension.ttl" => self.length(node, &mut settings.tension.ttl),
                "clock.tolerance" => self.length(node, &mut settings.clock_tolerance),
                _ => self.problems.push(
                    Problem::new(member.key_span.clone(), format!("there is no setting {name}"))
                        .help("settings: staleness.max, quiet.max_run, quiet.accepted_through, tension.cap, tension.floor, tension.ttl, tension.gate, tension.per_session, clock.tolerance"),
                ),
            }
        }
    }

    fn set<T: DeserializeOwned>(&mut self, node: &Node, slot: &mut T) {
        if let Some(value) = self.typed(node) {
            *slot = value;
        }
    }

    fn share(&mut self, node: &Node, slot: &mut f64) {
        match self.typed::<f64>(node) {
            Some(value) if (0.0..=1.0).contains(&value) => *slot = value,
            Some(_) => self.problem(node, "this has to be between 0 and 1"),
            None => {}
        }
    }

    fn length(&mut self, node: &Node, slot: &mut SignedDuration) {
        let Some(text) = self.typed::<String>(node) else {
            return;
        };
        match duration(&text) {
            Some(length) => *slot = length,
            None => self.problem(
                node,
                "this is not a length of time, as in \"14d\" or \"5m\"",
            ),
        }
    }
}

/// A length of time as in `14d`, `5m`, `1h 30m`; a day has 24 hours.
pub fn duration(text: &str) -> Option<SignedDuration> {
    let span: Span = text.parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    (!length.is_negative()).then_some(length)
}
