use super::Failure;
use crate::question::{Probe, Question, QuestionRef, QuestionSet};

/// The named questions, else all that are asked and have a probe; without `commands`, only built-in probes.
pub fn probed<'s>(
    set: &'s QuestionSet,
    names: &[String],
    commands: bool,
) -> Result<Vec<(&'s Question, &'s Probe)>, Failure> {
    let with_probe = |question: &'s Question| {
        let probe = question.probe.as_ref()?;
        (commands || probe.is_built_in()).then_some((question, probe))
    };
    let wanted = names.iter().map(|name| {
        let reference: QuestionRef = name
            .parse()
            .map_err(|reason: String| Failure::refused(reason, LIST))?;
        let question = set.named(&reference);
        let question = question.map_err(|why| Failure::refused(why, LIST))?;
        with_probe(question).ok_or_else(|| {
            let kind = if commands { "" } else { "built-in " };
            let what = format!("{reference} has no {kind}probe");
            Failure::refused(what, "docs/questions.md lists the kinds of probes")
        })
    });
    let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
    if !wanted.is_empty() {
        return Ok(wanted);
    }
    let all = set.questions.iter().filter(|one| one.status.is_asked());
    Ok(all.filter_map(with_probe).collect())
}

const LIST: &str = "`git sq question list` lists the questions";
