//! Which kinds of entries `git sq log` and `export` show.

use clap::{Args, ValueEnum};

use crate::entry::Kind;

/// The option that names kinds.
#[derive(Args)]
pub struct KindArgs {
    /// The kinds of entries: `--kind all`, or some, as in `--kind state,session`
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
    /// Where a session stopped
    State,
    /// What was cut from a state
    Alert,
    /// How a session ended
    Session,
    /// Tensions that were opened or closed
    Tension,
    /// Entries of rewritten commits that got a new home
    Carry,
    /// These, and kinds that this version does not know
    All,
}

impl KindArgs {
    /// Whether answers are wanted and nothing else.
    pub fn are_answers(&self) -> bool {
        self.kind == [KindName::Rederive]
    }

    /// Whether entries of this kind are wanted.
    pub fn has(&self, kind: Kind) -> bool {
        let name = match kind {
            Kind::Rederive => KindName::Rederive,
            Kind::State => KindName::State,
            Kind::Alert => KindName::Alert,
            Kind::Session => KindName::Session,
            Kind::TensionOpen | Kind::TensionClose => KindName::Tension,
            Kind::Carry => KindName::Carry,
            Kind::Unknown => KindName::All,
        };
        self.kind.contains(&KindName::All) || self.kind.contains(&name)
    }
}
