//! Facts as the remarks of a gate.

use super::{
    FactsDocument,
    text::{headline, remedy, since_text},
};
use crate::{
    facts::{Found, patch},
    metrics::Standing,
    project::AskedFact,
    view::{
        Gated, count, escape,
        gate::{Gate, Remark, RemarkKind},
        joined,
    },
};

impl FactsDocument {
    /// An error if it fails the command.
    fn kind(&self, found: &Found) -> RemarkKind {
        match self.asked.iter().find(|asked| Self::is_of(found, asked)) {
            Some(asked) if asked.fails() => RemarkKind::Error,
            Some(asked) if asked.standing == Standing::Fails => RemarkKind::Warning,
            _ => self.kind_found(),
        }
    }

    /// The same for what no question asks: without `--exit-code`, a proposal is only told what it broke.
    fn kind_found(&self) -> RemarkKind {
        match self.base {
            Some(_) if !self.is_gate => RemarkKind::Warning,
            _ => RemarkKind::Error,
        }
    }
}

/// The file and line of a fact that have to change, as far as that is known.
pub fn place_of(found: &Found) -> Option<(String, Option<usize>)> {
    let place = found.places.iter().find(|place| place.is_left_behind).or(found.places.last())?;
    Some((place.file.clone(), place.lines.first().copied()))
}

/// Places that are shown of what a branch broke; a reviewer reads no more.
const SHOWN: usize = 10;

impl Gated for FactsDocument {
    const TITLE: &'static str = "Facts";

    fn gate(&self) -> Gate {
        let read = self.read();
        let shown = self.base.as_ref().map_or(usize::MAX, |_| SHOWN);
        let wrong = self.wrong().take(shown).map(|found| {
            let since = found.state.since().map(|since| since_text(found, since, read));
            let help = since.into_iter().chain(remedy(found, read));
            Remark {
                rule: format!("facts/{}", found.state.name()),
                kind: self.kind(found),
                message: escape(&headline(found)),
                help: joined(help.map(|line| escape(&line)), "\n"),
                about: Some(found.id.clone()),
                place: place_of(found),
            }
        });
        let is_found = |asked: &&AskedFact| {
            let mut wrong = self.wrong();
            wrong.any(|found| Self::is_of(found, asked))
        };
        let failing = self.failing().filter(|asked| !is_found(asked)).map(|asked| Remark {
            rule: "facts/fails".into(),
            kind: RemarkKind::Error,
            message: escape(&format!("{} fails: {}", asked.question, asked.says)),
            help: escape(
                &asked
                    .expected
                    .as_ref()
                    .map_or(String::new(), |expected| format!("expected {expected}")),
            ),
            about: Some(asked.question.clone()),
            place: None,
        });
        let more = self.wrong().count().saturating_sub(shown);
        let more = (more > 0).then(|| Remark {
            rule: "facts/more".into(),
            kind: self.kind_found(),
            message: format!("{} broke", count(more, "more fact")),
            help: escape(&format!("`{}` shows all", read.command())),
            about: None,
            place: None,
        });
        let unknown = self.unknown.iter().map(|why| Remark::unknown(None, why));
        Gate {
            remarks: wrong.chain(more).chain(failing).chain(unknown).collect(),
            questions: self.facts.iter().map(|found| (found.id.clone(), true)).collect(),
            verdict: self.headline(),
        }
    }
    fn patch(&self) -> String {
        patch(self.edits())
    }
}
