use clap::{Args, ValueEnum};

use crate::entry::Kind;

/// The option that names kinds.
#[derive(Args)]
pub struct KindArgs {
    /// Kinds of entries, separated by commas
    #[arg(
        long,
        value_name = "KIND",
        value_delimiter = ',',
        default_value = "rederive"
    )]
    kind: Vec<KindName>,
}

/// A kind, or all.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindName {
    /// Answers
    Rederive,
    /// States: where sessions stopped
    State,
    /// States that were refused because they are too long
    Alert,
    /// Ends of sessions
    Session,
    /// Tensions that were opened or closed
    Tension,
    /// Verdicts of people
    Verdict,
    /// Entries that were carried from rewritten commits
    Carry,
    /// Redactions of entries
    Redact,
    /// All of these, and kinds that this version does not know
    All,
}

impl KindArgs {
    pub fn are_answers(&self) -> bool {
        self.kind == [KindName::Rederive]
    }

    pub fn has(&self, kind: Kind) -> bool {
        let name = match kind {
            Kind::Rederive => KindName::Rederive,
            Kind::State => KindName::State,
            Kind::Alert => KindName::Alert,
            Kind::Session => KindName::Session,
            Kind::TensionOpen | Kind::TensionClose => KindName::Tension,
            Kind::Verdict | Kind::Second => KindName::Verdict,
            Kind::Carry => KindName::Carry,
            Kind::Redact => KindName::Redact,
            Kind::Unknown => KindName::All,
        };
        self.kind.contains(&KindName::All) || self.kind.contains(&name)
    }
}
