//! Decides if an answer is a delta: the tool does if it can compare, else the session.

use std::{cell::LazyCell, fmt::Display};

use serde_json::Value;

use super::{
    Matched,
    before::{Before, Last},
    given::State,
};
use crate::{
    entry::{Answer, Citation, clip, is_same_recorded, one_line, short_sid, value_text},
    evidence::{Claim, Exposure, Found, Judge, Moved, has_line, is_empty, news, says_nothing},
    finding::Rule,
    git::{DEEPEN, Oid, Pathspecs},
    project::Project,
    question::{Question, is_same_answer},
    timeline::short,
};

const SHOWN: usize = 600;

/// Decides which answers are deltas, and notes their news. Returns the parts without which the answers are refused, and those
/// without which `--sure` is needed.
pub fn settle(
    project: &Project,
    before: &Before,
    judge: &mut Judge,
    answers: &mut [Matched],
) -> (Vec<String>, Vec<String>) {
    let (mut needed, mut doubted) = (Vec::new(), Vec::new());
    for answer in answers.iter_mut().filter(|answer| !answer.probed) {
        let question = answer.question;
        let name = question.name();
        let last = compared(project, before, answer);
        let is_miscited = answer.state == State::Miscited;
        if answer.wrong {
            correct(answer, last, &mut needed);
        } else {
            match (delta(answer, last), last, &answer.answer) {
                (Some(delta), ..) => answer.delta = delta,
                (None, Some(last), Some(now)) => {
                    answer.state = State::Unsettled;
                    needed.push(ask(answer, last, now));
                }
                (None, ..) => {
                    answer.state = State::Unsettled;
                    needed.push(format!(
                        "{name} has no answer: write '{name}=the answer', or --same {name} if nothing changed"
                    ));
                }
            }
        }
        if !is_miscited && let Some(lack) = lacks_evidence(project, before, answer, judge) {
            answer.state = answer.state.max(State::Uncited);
            let is_needed = answer.wrong || question.requires_evidence();
            let lacks = if is_needed { &mut needed } else { &mut doubted };
            lacks.push(lack);
        }
        answer.note = answer.note.take().or_else(|| note(answer, last));
        if !answer.delta && answer.answer.is_none() && answer.note.is_none() {
            let repeated = last.or(before.newest(question));
            answer.repeats = repeated.filter(|last| last.mark.is_none()).and_then(Last::words);
        }
    }
    (needed, doubted)
}

/// Doubts those answers before which the log has others, if a shallow clone lacks the history that says which of them counts.
pub fn cut_off(project: &Project, before: &Before, answers: &[Matched]) -> Vec<String> {
    if !project.repo.is_shallow().unwrap_or(false) {
        return Vec::new();
    }
    let Ok(log) = project.events() else {
        return Vec::new();
    };
    let is_answered = |asked: &Question| log.question_number(&asked.id, asked.version).is_some();
    let cut = answers.iter().filter(|answer| !answer.probed && is_answered(answer.question));
    let cut = cut.filter(|answer| before.newest(answer.question).is_none()).map(|answer| {
        format!(
            "{}: the answer before is not here, since this clone is shallow\n{DEEPEN}",
            answer.question.name()
        )
    });
    cut.collect()
}

/// The earlier answer that a new one is compared with.
pub fn compared<'b>(project: &Project, before: &'b Before, answer: &Matched) -> Option<&'b Last> {
    let question = answer.question;
    if answer.wrong {
        return before.corrected(project, question, answer.answer.as_ref());
    }
    before.last_probed(question).or_else(|| before.last(project, question))
}

/// Asks for citations, or for a new answer if a cited line changed; claims in place of a probe need none.
fn lacks_evidence(
    project: &Project,
    before: &Before,
    answer: &Matched,
    judge: &mut Judge,
) -> Option<String> {
    let question = answer.question;
    let name = question.name();
    let says_nothing = match (&answer.answer, &answer.note) {
        (Some(answer), _) => is_empty(answer),
        (None, note) => note.as_deref().is_none_or(says_nothing),
    };
    let is_absent = LazyCell::new(|| is_absent(project, question, project.tip));
    let is_cited = !answer.cites.is_empty() || says_nothing && *is_absent;
    let cite = format!("--cite {name}=path:3-5");
    let again = || {
        if *is_absent {
            format!(
                "nothing is left to cite: give an answer that says so (none, no or 0), or cite what took its place\ngit sq record --delta '{name}=the answer'"
            )
        } else {
            format!(
                "give the answer again, and the lines that show it now\ngit sq record '{name}=the answer' --same {name} {cite}"
            )
        }
    };
    if answer.is_claimed() || is_cited && (answer.delta || answer.has_answer()) {
        return None;
    }
    if answer.wrong {
        return Some(format!("a correction of {name} needs the lines that show it: add {cite}"));
    }
    if let Some(own) = replaced_without_evidence(project, before, answer) {
        return Some(format!(
            "{name}: this session has answered {own} at this commit: add the lines that show another answer: {cite}"
        ));
    }
    let counting = before.counting(project, question);
    let last = before.last(project, question);
    let mut changed_since = |last: &Last| {
        let change = judge.outdated(question, &last.claim(), project.tip).ok()??;
        let is_quoted = counting.is_some() && matches!(change, Exposure::Cited(_));
        let what =
            change.since(format!("{} answered at {}", short_sid(&last.sid), short(last.commit)));
        Some(if is_quoted { last.shown(what) } else { what })
    };
    // As in `check`: something changed if it did since each answer that may count.
    let mut possible = before.possible(project, question);
    let has_changed = possible.all(|last| changed_since(last).is_some());
    let changed = last.filter(|_| has_changed).and_then(changed_since);
    if let (None, Some(flag)) = (&changed, before.flagged(question)) {
        return Some(format!("{name}: {flag}: {}", again()));
    }
    match (last, changed) {
        (Some(_), Some(what)) if !answer.delta => {
            let remedy = if answer.has_answer() && !*is_absent {
                format!("add the lines that show the answer now: {cite}")
            } else {
                again()
            };
            Some(format!("{name}: {what}: {remedy}"))
        }
        _ if is_cited || !question.requires_evidence() => None,
        (Some(_), None) if answer.delta && !question.dependencies().is_empty() => Some(format!(
            "{name} requires evidence, and nothing changed that it depends on: {}",
            uncommitted(project, answer, &question.dependencies())
                .unwrap_or_else(|| if_wrong(&name))
        )),
        _ if !answer.delta && !before.is_first(question) => None,
        _ => Some(format!("{name} requires evidence: add the lines that show the answer: {cite}")),
    }
}

/// The session's own answer at HEAD, which only evidence or a delta replaces.
fn replaced_without_evidence(
    project: &Project,
    before: &Before,
    answer: &Matched,
) -> Option<String> {
    let now = answer.answer.as_ref().filter(|_| !answer.delta)?;
    let own = before.newest(answer.question).filter(|own| before.is_replaced(project, own))?;
    let then = own.answer.as_ref().filter(|then| !is_same_recorded(then, now))?;
    let is_judged = answer.question.says_dependencies();
    is_judged.then(|| own.shown(clip(&one_line(&value_text(then)), SHOWN)))
}

/// The doubts of rules about answers, with remedies. Answers that can't be judged because objects are missing are not
/// doubted.
pub fn doubts(
    project: &Project,
    before: &Before,
    judge: &mut Judge,
    answers: &[Matched],
    results: &[Answer],
) -> Vec<String> {
    let mut found = Vec::new();
    let both = answers.iter().zip(results);
    let settled = both.filter(|(answer, _)| answer.state < State::Miscited && !answer.is_claimed());
    for (answer, result) in settled {
        let (question, last) = (answer.question, before.last(project, answer.question));
        let mut claim = Claim::of(result, project.tip, Moved::No);
        let corrected = before.corrected(project, question, result.answer.as_ref());
        claim.is_correction &= corrected.is_some_and(|last| !before.is_replaced(project, last));
        claim.corrected_at = corrected.map(|corrected| corrected.commit);
        let agreed = corrected.filter(|last| before.is_agreed(question, last));
        if let Some(last) = agreed.filter(|_| claim.is_correction) {
            let (name, entry) = (question.name(), &last.id);
            found.push(format!(
                "{name}: a person found entry {entry} right\nif the answer changed since then, --delta '{name}=what is true' --cite {name}=path:3-5; if it never was, ask that person"
            ));
        }
        let possible: Vec<Claim> = before.possible(project, question).map(Last::claim).collect();
        let others = before.others(project, question);
        let Ok(ruling) = judge.judge(question, &claim, &possible, &others, None) else {
            continue;
        };
        let is_cited = answer.state != State::Uncited && ruling.flags.is_empty();
        if let Some(flag) = before.flagged(question).filter(|_| is_cited && !ruling.is_shown) {
            let name = question.name();
            found.push(format!(
                "{name}: {flag}, and what is cited does not show this answer\ncite the lines that contain it"
            ));
        }
        if let Some(last) = possible.first().filter(|_| ruling.is_lost) {
            let (name, at) = (question.name(), short(last.at));
            found.push(format!(
                "{name}: another answer counts at {at}, and nothing changed since\n{}",
                uncommitted(project, answer, &question.dependencies())
                    .unwrap_or_else(|| if_wrong(&name))
            ));
        }
        for (rule, why) in ruling.flags {
            // The session was asked for its citation already.
            if rule == Rule::NoEvidence && answer.state == State::Uncited {
                continue;
            }
            // What is not shown is the new answer.
            let last = last.filter(|_| rule != Rule::NotShown);
            let why = last.map_or(why.clone(), |last| last.shown(why));
            let name = question.name();
            let uncommitted =
                uncommitted(project, answer, &question.dependencies()).filter(|_| !answer.wrong);
            let wrong = uncommitted.clone().unwrap_or_else(|| if_wrong(&name));
            let remedy = match (rule, uncommitted) {
                (Rule::NotShown, None) => "cite the lines that contain it".into(),
                (Rule::NotShown, Some(first)) => {
                    format!("{first}, or cite the lines that contain it")
                }
                (Rule::NothingChanged, Some(first)) => first,
                (Rule::NothingChanged, None) if ruling.is_exposed => format!(
                    "if it changed, cite lines that changed, too: --cite {name}=path:3-5; {wrong}"
                ),
                (Rule::NothingChanged, None) => {
                    format!("{wrong}; if it is the same, --same {name}")
                }
                _ if answer.wrong => format!(
                    "cite what stood there already; if the answer changed since then, --delta '{name}=what is true' --cite {name}=path:3-5"
                ),
                _ => format!("add the lines that show it now: --cite {name}=path:3-5; {wrong}"),
            };
            found.push(format!("{name}: {}\n{remedy}", one_line(&why)));
        }
    }
    found
}

/// The advice to commit first, where a watched file, or one that an answer cites, differs from HEAD.
fn uncommitted(project: &Project, answer: &Matched, watch: &[String]) -> Option<String> {
    let mut watched = Pathspecs::parse(watch).ok().filter(|_| !watch.is_empty());
    let path = project.repo.differing(&[".".into()], false).ok()?.into_iter().find(|path| {
        let mut cites = answer.cites.iter();
        watched.as_mut().is_some_and(|watched| watched.match_path(path))
            || cites.any(|cite| matches!(cite, Citation::Lines(lines) if lines.path == *path))
    })?;
    Some(format!(
        "{path} has uncommitted changes, and an answer is about HEAD: commit, then record"
    ))
}

/// The corrections that cite a file which differs from HEAD.
pub fn uncommitted_corrections(project: &Project, answers: &[Matched]) -> Vec<String> {
    let doubts =
        answers.iter().filter(|answer| answer.wrong && answer.state < State::Miscited).filter_map(
            |one| Some(format!("{}: {}", one.question.name(), uncommitted(project, one, &[])?)),
        );
    doubts.collect()
}

fn if_wrong(name: impl Display) -> String {
    format!("if the last answer was wrong, --wrong '{name}=what is true' --cite {name}=path:3-5")
}

fn correct(answer: &mut Matched, newest: Option<&Last>, needed: &mut Vec<String>) {
    let name = answer.question.name();
    answer.delta = true;
    let Some(last) = newest else {
        answer.state = State::Unsettled;
        needed.push(format!("{name} has no earlier answer to correct: write '{name}=the answer'"));
        return;
    };
    answer.corrects = Some(last.id.clone());
    let shape = answer.question.shape.as_ref();
    let is_same = |now| last.words().is_some_and(|then| is_same_answer(shape, &then, now));
    let why = match &answer.answer {
        None => format!("a correction says what is true: --wrong '{name}=what is true'"),
        Some(_) if answer.said == Some(false) => {
            format!("the answer to {name} is either the same, or the last one was wrong")
        }
        Some(now) if is_same(now) => format!(
            "{name}: {} said the same on {}: record it with --same {name}, and with the lines that show it",
            short_sid(&last.sid),
            short(last.commit)
        ),
        Some(_) => return,
    };
    answer.state = State::Unsettled;
    needed.push(why);
}

/// Returns true if no line is left that an answer could cite.
pub fn is_absent(project: &Project, question: &Question, at: Oid) -> bool {
    let has_line = || has_line(&project.repo, question, at);
    !question.dependencies().is_empty() && has_line().is_ok_and(|has_line| !has_line)
}

fn note(answer: &Matched, last: Option<&Last>) -> Option<String> {
    let found = |answer: Value| {
        let is_none = answer == "";
        Found::Value(if is_none { "none".into() } else { answer })
    };
    let now = found(answer.answer.clone()?);
    let then = last.filter(|last| last.mark.is_none()).and_then(Last::words).map(found);
    let is_new = answer.delta || last.is_none();
    is_new.then(|| news(then.as_ref(), &now, &[])).flatten()
}

/// Returns true if an answer differs from the last one; `None` if only the session can decide, and has not.
fn delta(answer: &Matched, last: Option<&Last>) -> Option<bool> {
    let shape = answer.question.shape.as_ref();
    let Some(now) = &answer.answer else {
        return answer.said;
    };
    // An imported `same` need not name an answer.
    let Some(last) = last.filter(|last| last.words().is_some() || last.mark.is_some()) else {
        return answer.said.filter(|_| shape.is_none()).or(Some(false));
    };
    // A note in place of an answer may be in any words.
    let then = last.words();
    let can_compare = last.answer.is_some() && shape.is_some() || answer.is_claimed();
    let same = then.map(|then| is_same_answer(shape, &then, now));
    match (same, answer.said) {
        (Some(same), _) if can_compare => Some(!same),
        (Some(true), None) => Some(false),
        (_, said) => said,
    }
}

/// Asks for `same` or `delta`, with both answers side by side.
fn ask(answer: &Matched, last: &Last, now: &Value) -> String {
    let name = answer.question.name();
    let old = last.words().as_ref().map(value_text);
    let old = last.shown(old.unwrap_or_else(|| format!("(see `git sq show {name}`)")));
    let lines = [
        format!("is the answer to {name} the same as the last one?"),
        format!(
            "old ({} on {}): {}",
            short_sid(&last.sid),
            short(last.commit),
            clip(&one_line(&old), SHOWN)
        ),
        format!("new: {}", clip(&value_text(now), SHOWN)),
        format!(
            "say which it is: add --same {name}, or --delta '{name}=what changed' (json: \"delta\"); if the last answer was wrong, give yours with --wrong"
        ),
    ];
    lines.map(|line| one_line(&line)).join("\n")
}
