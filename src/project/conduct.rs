//! What the last sessions said, judged; what was judged before is remembered.

use std::collections::BTreeMap;

use super::{Project, cache};
use crate::{
    entry::{Body, Event, sha256_hex},
    evidence::{Claim, Judge, Judged, Source},
    git::Pathspecs,
    question::Question,
    store::Row,
    timeline::{Claimed, SessionAnswer, Timeline, Unknown},
};

/// The name of the file that remembers what was judged, by what that follows from.
const FILE: &str = "conduct";

/// What the rules make of each of the timeline's claims, and why that can't be told of some.
pub fn judge(project: &Project, timeline: &Timeline) -> (Vec<Judged>, Vec<Unknown>) {
    let mut unknown = invalid(&timeline.questions.questions);
    let kept = project.keeps.then(|| cache::load(&project.repo, FILE));
    let kept: BTreeMap<String, Judged> = kept.flatten().unwrap_or_default();
    let keys: Vec<String> = timeline
        .claims
        .iter()
        .map(|claim| key(timeline, claim))
        .collect();
    let is_new = |place: &usize| !kept.contains_key(&keys[*place]);
    let new: Vec<usize> = (0..keys.len()).filter(is_new).collect();
    let texts = read(project, timeline, &new);
    let mut judge = Judge::new(
        &project.repo,
        project.tip,
        &timeline.questions.settings.cite,
    );
    let mut untold: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut found: BTreeMap<String, Judged> = BTreeMap::new();
    for (claim, key) in timeline.claims.iter().zip(&keys) {
        if found.contains_key(key) {
            continue;
        }
        let question = &timeline.questions.questions[claim.question];
        let judged = match kept.get(key) {
            Some(known) => Ok(known.clone()),
            None => judge_one(&mut judge, timeline, claim, &texts),
        };
        match judged {
            Ok(judged) => {
                found.insert(key.clone(), judged);
            }
            Err(_) => untold
                .entry(claim.session)
                .or_default()
                .push(question.name().to_string()),
        }
    }
    if project.keeps && found.keys().any(|key| !kept.contains_key(key)) {
        cache::save(&project.repo, FILE, &found);
    }
    let judged = timeline.claims.iter().zip(&keys).map(|(claim, key)| {
        let mut judged = found.get(key).cloned().unwrap_or_default();
        let mut lines = claim.answer.iter().chain(&claim.before);
        let mark = lines.find_map(|one| timeline.events.redaction(timeline.row(one.entry)));
        // It may quote the line.
        if let Some(mark) = mark {
            judged
                .doubts
                .iter_mut()
                .for_each(|(_, why)| *why = mark.to_owned());
        }
        judged
    });
    let judged = judged.collect();
    unknown.extend(untold.into_iter().map(|(session, names)| {
        let sid = timeline.sid(&timeline.sessions[session]).to_owned();
        Unknown::Exposure(sid, names)
    }));
    (judged, unknown)
}

/// Pathspecs that are none.
fn invalid(questions: &[Question]) -> Vec<Unknown> {
    let invalid = questions.iter().filter_map(|question| {
        let error = Pathspecs::parse(&question.dependencies()).err()?;
        let name = question.name().to_string();
        Some(Unknown::Watch(name, error.message))
    });
    invalid.collect()
}

/// All that a judgement follows from: objects by their names, lines by their digests.
fn key(timeline: &Timeline, claim: &Claimed) -> String {
    let question = &timeline.questions.questions[claim.question];
    let line = |answer: &SessionAnswer| {
        let row = timeline.row(answer.entry);
        (timeline.events.anchor(row.anchor), row.digest, answer.place)
    };
    let of = (
        (
            &question.watch,
            &question.lines,
            &question.probe,
            &question.shape,
        ),
        &timeline.questions.settings.cite,
        timeline.events.anchor(claim.anchor),
        claim.answer.as_ref().map(line),
        claim.before.iter().map(line).collect::<Vec<_>>(),
    );
    sha256_hex(format!("{of:?}").as_bytes())[..32].to_owned()
}

/// What is said by some claims and before them, from the notes.
fn read(
    project: &Project,
    timeline: &Timeline,
    places: &[usize],
) -> BTreeMap<SessionAnswer, Claim> {
    let claims = places.iter().map(|&place| &timeline.claims[place]);
    let wanted = claims.flat_map(|claim| claim.answer.iter().chain(&claim.before));
    let mut wanted: Vec<SessionAnswer> = wanted.copied().collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut entries: Vec<u32> = wanted.iter().map(|answer| answer.entry).collect();
    entries.dedup();
    let rows: Vec<&Row> = entries.iter().map(|&entry| timeline.row(entry)).collect();
    let lines = timeline.events.raw_lines(&project.repo, &rows);
    let mut texts = BTreeMap::new();
    for ((&entry, row), line) in entries.iter().zip(rows).zip(lines) {
        let event = line.as_deref().and_then(|line| Event::parse(line).ok());
        let Some(Event {
            body: Body::Rederive(rederive),
            ..
        }) = event
        else {
            continue;
        };
        let commit = timeline.events.anchor(row.anchor);
        let source = match timeline.events.is_at_head(row) {
            _ if row.is_imported() => Source::Imported,
            true => Source::Here,
            false => Source::Copied,
        };
        for (place, answer) in (0..).zip(&rederive.results) {
            let claim = Claim::of(answer, commit, source);
            texts.insert(SessionAnswer { entry, place }, claim);
        }
    }
    texts
}

fn judge_one(
    judge: &mut Judge,
    timeline: &Timeline,
    claim: &Claimed,
    texts: &BTreeMap<SessionAnswer, Claim>,
) -> crate::git::Result<Judged> {
    let question = &timeline.questions.questions[claim.question];
    let before = claim.before.iter().filter_map(|answer| texts.get(answer));
    let before: Vec<Claim> = before.cloned().collect();
    match claim.answer.map(|answer| texts.get(&answer)) {
        Some(Some(answer)) => judge.judge(question, answer, &before),
        // Its note is missing by now, which is told elsewhere.
        Some(None) => Ok(Judged::default()),
        None => judge.left_out(question, timeline.events.anchor(claim.anchor), &before),
    }
}
