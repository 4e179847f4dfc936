//! What rules would say of an entry, asked before it is written.

use super::{Matched, before::Before, given::State, word::if_wrong};
use crate::{
    entry::{Answer, one_line},
    evidence::{Claim, Doubt, Judge, Source},
    project::Project,
    question::QuestionSet,
};

/// The doubts about answers, each with what to do. What can't be judged because objects are missing is not doubted.
pub fn doubts(
    project: &Project,
    set: &QuestionSet,
    before: &Before,
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
        let claim = Claim::of(result, project.tip, Source::Here);
        let last = before.last(answer.question);
        let last = last.map(|last| Claim::last(last.commit, last.answer.clone(), &last.cites));
        let judged = judge.judge(answer.question, &claim, last.as_slice());
        let name = answer.question.name().to_string();
        let mut doubts = judged.map(|judged| judged.doubts).unwrap_or_default();
        doubts.retain(|(doubt, _)| match doubt {
            Doubt::NoEvidence => answer.state != State::Uncited,
            Doubt::DeltaWithoutChange | Doubt::DeltaOutsideWatch | Doubt::SameEvidence => {
                !answer.wrong
            }
            _ => true,
        });
        for (doubt, why) in doubts {
            let remedy = remedy(doubt, &name);
            found.extend(remedy.map(|remedy| format!("{name}: {}\n{remedy}", one_line(&why))));
        }
    }
    found
}

/// What to do about a doubt; None where the tool's own word is recorded.
fn remedy(doubt: Doubt, name: &str) -> Option<String> {
    let cite = format!("--cite {name}=path:3-5");
    let wrong = if_wrong(name);
    Some(match doubt {
        Doubt::ClaimContradictsProbe | Doubt::AnswerVsDelta | Doubt::LeftOut => return None,
        Doubt::NoEvidence | Doubt::CitationFails => {
            format!("add the lines that it rests on now: {cite}; {wrong}")
        }
        Doubt::OffWatch | Doubt::OffTarget => {
            "cite lines that matter; where the question is wrong, tell a person".into()
        }
        Doubt::TooWide => "cite the lines that decide".into(),
        Doubt::NotInQuote => "cite the lines in which it stands".into(),
        Doubt::DeltaWithoutChange | Doubt::DeltaOutsideWatch | Doubt::SameEvidence => {
            format!("{wrong}; if it is the same, --same {name}")
        }
    })
}
