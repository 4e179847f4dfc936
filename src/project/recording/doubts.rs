//! What rules would say of an entry, asked before it is written.

use super::{Matched, before::Before};
use crate::{
    entry::{Answer, one_line},
    evidence::{Claim, Doubt, Judge},
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
    for (answer, result) in answers.iter().zip(results) {
        let claim = Claim::of(result, project.tip, false);
        let other = before.last_by_others(answer.question);
        let last = other.map(|last| Claim::last(last.commit, last.answer.clone(), &last.cites));
        let judged = judge.judge(answer.question, &claim, last.as_slice(), &[]);
        let name = answer.question.name().to_string();
        for (doubt, why) in judged.map(|judged| judged.doubts).unwrap_or_default() {
            let why = other.map_or(why.clone(), |last| last.shown(why));
            let remedy = remedy(doubt, &name);
            found.extend(remedy.map(|remedy| format!("{name}: {}\n{remedy}", one_line(&why))));
        }
    }
    found
}

/// What to do about a doubt; None where the tool's own word is recorded.
fn remedy(doubt: Doubt, name: &str) -> Option<String> {
    let delta =
        || format!("look again: if it is the same, --same {name}; if not, cite what is new");
    Some(match doubt {
        Doubt::LeftOut => return None,
        Doubt::NoEvidence => {
            format!("cite what it rests on now, as in --cite '{name}=src/lib.rs:12-20'")
        }
        Doubt::NotShown => "cite the lines in which it stands".into(),
        Doubt::NothingChanged => delta(),
    })
}
