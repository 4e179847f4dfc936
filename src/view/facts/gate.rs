//! Facts as the remarks of a gate.

use super::{
    FactsDocument,
    text::{headline, remedy, since_text},
};
use crate::{
    facts::patch,
    project::AskedFact,
    view::{
        Gated, count, escape,
        gate::{Gate, Remark, RemarkKind},
        joined,
    },
};

/// Places that are shown of what a branch broke; a reviewer reads no more.
const SHOWN: usize = 10;

impl Gated for FactsDocument {
    const TITLE: &'static str = "Facts";

    fn gate(&self) -> Gate {
        let read = self.read();
        let shown = self.base.as_ref().map_or(usize::MAX, |_| SHOWN);
        let wrong = self.wrong().take(shown).map(|found| {
            let place = found.places.iter().find(|place| place.is_left_behind);
            let place = place.or(found.places.last());
            let since = found.state.since().map(|since| since_text(found, since, read));
            let help = since.into_iter().chain(remedy(found, read));
            Remark {
                rule: format!("facts/{}", found.state.name()),
                kind: if self.base.is_some() { RemarkKind::Warning } else { RemarkKind::Error },
                message: escape(&headline(found)),
                help: joined(help.map(|line| escape(&line)), "\n"),
                question: Some(found.id.clone()),
                place: place.map(|place| (place.file.clone(), place.lines.first().copied())),
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
            question: Some(asked.question.clone()),
            place: None,
        });
        let more = self.wrong().count().saturating_sub(shown);
        let more = (more > 0).then(|| Remark {
            rule: "facts/more".into(),
            kind: RemarkKind::Warning,
            message: format!("{} broke", count(more, "more fact")),
            help: escape(&format!("`{}` shows all", read.command())),
            question: None,
            place: None,
        });
        let unknown = self.unknown.iter().map(|why| Remark::unknown(None, why));
        Gate {
            remarks: wrong.chain(more).chain(failing).chain(unknown).collect(),
            questions: self.facts.iter().map(|found| found.id.clone()).collect(),
            verdict: self.headline(),
        }
    }
    fn patch(&self) -> String {
        patch(self.edits())
    }
}
