//! The findings of a gate in the formats of CI systems: remark by remark, with its place in the question store.

mod github;
mod gitlab;
mod junit;
mod sarif;

use clap::ValueEnum;

use super::{
    Check, Output, Style,
    check::verdict,
    escape::{escape, fence, fence_diff},
    joined,
};
use crate::{
    finding::{Finding, Rule, Severity},
    metrics::Standing,
    question::Places,
};

/// Format of what a gate found.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GateFormat {
    Text,
    Json,
    Markdown,
    Github,
    Gitlab,
    Sarif,
    Junit,
}

pub struct Gate {
    pub remarks: Vec<Remark>,
    /// The ids of questions, and whether it is known where each stands.
    pub questions: Vec<(String, bool)>,
    /// The verdict, without text from the log.
    pub verdict: String,
}

pub struct Remark {
    /// The rule, `verify`, `proof/NAME`, or `unknown`.
    pub rule: String,
    pub kind: RemarkKind,
    pub message: String,
    pub help: String,
    /// The question, session or setting.
    pub about: Option<String>,
    /// The path of the question store from the root of the repository, and a line there.
    pub place: Option<(String, Option<usize>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkKind {
    Error,
    /// Fails the gate, because the answer could not be determined.
    Unknown,
    Warning,
}

/// The path of the question store, and the lines of its questions.
pub type Store<'s> = Option<&'s (String, Places)>;

pub trait Gated: Output {
    /// The title of the report for people.
    const TITLE: &'static str = "Standing questions";

    fn gate(&self) -> Gate;

    /// A diff that mends what can be mended without a person.
    fn patch(&self) -> String {
        String::new()
    }
}

impl Gated for Check {
    fn gate(&self) -> Gate {
        let store = self.store.as_ref();
        let findings = self.findings.iter().map(|finding| remark(store, finding));
        let unknown = self.unknown.iter().map(|why| Remark::unknown(store, why));
        let questions = self.staleness.iter().map(|row| {
            let at_tip = self.questions.get(&row.name());
            (row.q_id.clone(), at_tip.is_none_or(|at_tip| at_tip.standing != Standing::Unknown))
        });
        Gate {
            remarks: findings.chain(unknown).collect(),
            questions: questions.collect(),
            verdict: verdict(self, None, Style::default()),
        }
    }
}

fn remark(store: Store, finding: &Finding<Rule>) -> Remark {
    let name = finding.question.as_ref().or(finding.about.as_ref());
    let Finding { message, help, .. } = finding;
    Remark {
        kind: match finding.severity {
            Severity::Error => RemarkKind::Error,
            Severity::Warning => RemarkKind::Warning,
        },
        ..Remark::error(store, finding.rule.name(), name, message, help)
    }
}

impl Gate {
    /// `None` for the formats that every command has.
    pub fn text(&self, format: GateFormat) -> Option<String> {
        let text = match format {
            GateFormat::Text | GateFormat::Json | GateFormat::Markdown => return None,
            GateFormat::Github => github::text,
            GateFormat::Gitlab => gitlab::text,
            GateFormat::Sarif => sarif::text,
            GateFormat::Junit => junit::text,
        };
        Some(text(self))
    }
}

impl Remark {
    /// An error at the place of its question, if there is one, else of the question store.
    pub fn error(
        store: Store,
        rule: &str,
        about: Option<&String>,
        message: &str,
        help: &str,
    ) -> Self {
        let line = about.and_then(|name| store?.1.line(name));
        Self {
            rule: rule.to_owned(),
            kind: RemarkKind::Error,
            message: escape(message),
            help: escape(help),
            about: about.map(|name| escape(name)),
            place: store.map(|(path, _)| (path.clone(), line)),
        }
    }

    pub fn unknown(store: Store, why: &str) -> Self {
        Self { kind: RemarkKind::Unknown, ..Self::error(store, "unknown", None, why, "") }
    }

    fn whole(&self) -> String {
        let parts = [self.message.as_str(), &self.help].into_iter();
        joined(parts.filter(|part| !part.is_empty()), "\n")
    }
}

/// The report for people in Markdown; text of the log is fenced.
pub fn summary<T: Gated>(report: &T) -> String {
    format!("## {}\n\n{}{}\n", T::TITLE, shown(report), fixed_by(&report.patch()))
}

pub(super) fn shown(report: &impl Output) -> String {
    let text = report.text(Style { unicode: true, ..Style::default() });
    fence(text.lines())
}

/// Shows a diff; empty without one.
pub(super) fn fixed_by(patch: &str) -> String {
    match patch {
        "" => String::new(),
        patch => {
            format!("\nThis diff fixes it (`git apply --unidiff-zero`):\n\n{}", fence_diff(patch))
        }
    }
}
