//! Rules that would flag an entry, checked before it is written.

use super::{Matched, before::Before, counting::Counting, given::State, word::if_wrong};
use crate::{
    entry::{Answer, one_line},
    evidence::{Claim, Judge},
    finding::Rule,
    project::Project,
    question::QuestionSet,
};

/// The doubts about answers, with remedies. Answers that can't be judged because objects are missing are not doubted.
pub fn doubts(
    project: &Project,
    set: &QuestionSet,
    before: &Before,
    counting: &Counting,
    answers: &[Matched],
    results: &[Answer],
) -> Vec<String> {
    if !set.has_dependencies() {
        return Vec::new();
    }
    let mut judge = Judge::new(&project.repo, project.tip, &set.settings.cite);
    let mut found = Vec::new();
    let both = answers.iter().zip(results);
    let settled =
        both.filter(|(answer, _)| answer.state != State::Unsettled && !answer.is_claimed());
    for (answer, result) in settled {
        let claim = Claim::of(result, project.tip, false);
        let counts = counting.claim(project, before, answer.question);
        let last = before.last(answer.question);
        let other = last.map(|last| Claim::last(last.commit, last.answer.clone(), &last.cites));
        let judged = judge.judge(answer.question, &claim, counts.as_slice(), other.as_slice());
        let name = answer.question.name().to_string();
        let mut doubts = judged.map(|judged| judged.flags).unwrap_or_default();
        // The session was asked for its citation already.
        doubts.retain(|(doubt, _)| *doubt != Rule::NoEvidence || answer.state != State::Uncited);
        for (doubt, why) in doubts {
            let why = last.map_or(why.clone(), |last| last.shown(why));
            let remedy = remedy(doubt, &name);
            found.push(format!("{name}: {}\n{remedy}", one_line(&why)));
        }
    }
    found
}

fn remedy(rule: Rule, name: &str) -> String {
    let cite = format!("--cite {name}=path:3-5");
    let wrong = if_wrong(name);
    match rule {
        Rule::NotShown => "cite the lines that contain it".into(),
        Rule::NothingChanged => format!("{wrong}; if it is the same, --same {name}"),
        _ => format!("add the lines that it rests on now: {cite}; {wrong}"),
    }
}
