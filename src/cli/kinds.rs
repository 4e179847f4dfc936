use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser},
};

use crate::entry::Kind;

/// The option that names kinds.
#[derive(Args)]
pub struct KindArgs {
    /// Kinds of entries, separated by commas
    #[arg(
        long,
        value_name = "KIND",
        value_delimiter = ',',
        default_value = "rederive",
        value_parser = PossibleValuesParser::new(KINDS.map(|(name, help, _)| PossibleValue::new(name).help(help)))
    )]
    kind: Vec<String>,
}

#[rustfmt::skip]
const KINDS: [(&str, &str, &[Kind]); 10] = [
    ("rederive", "Answers", &[Kind::Rederive]),
    ("state", "States: where sessions stopped", &[Kind::State]),
    ("alert", "States that were refused because they are too long", &[Kind::Alert]),
    ("session", "Ends of sessions", &[Kind::Session]),
    ("tension", "Tensions opened or closed", &[Kind::TensionOpen, Kind::TensionClose]),
    ("verdict", "Verdicts of people", &[Kind::Verdict]),
    ("second", "Second looks", &[Kind::Second]),
    ("carry", "Entries carried from rewritten commits", &[Kind::Carry]),
    ("redact", "Redactions of entries", &[Kind::Redact]),
    ("all", "All of these, and kinds that this version does not know", &[]),
];

impl KindArgs {
    pub fn are_answers(&self) -> bool {
        self.kind == ["rederive"]
    }

    pub fn has(&self, kind: Kind) -> bool {
        let is_named = |name: &str| self.kind.iter().any(|word| word == name);
        let mut kinds = KINDS.iter();
        kinds.any(|(name, _, kinds)| (kinds.is_empty() || kinds.contains(&kind)) && is_named(name))
    }
}
