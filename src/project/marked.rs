//! What becomes of answers that are carried: others, who lack the commits from which they come, go by the marks.

use std::collections::{BTreeSet, HashSet};

use super::{Error, Project, looks::Pass, ready::TALK, units::Unit};
use crate::{
    evidence::Moved,
    git::{Oid, Remote, Repo},
    metrics::flagged_answers,
    store::carry::Move,
    timeline::Timeline,
};

/// Marks the answers that are flagged at the commits from which they come, and those that depend on what differs at the new
/// ones, if the old ones are here. A remote often keeps those of a branch that it squashed.
pub fn mark(repo: &Repo, remote: Option<&Remote>, moves: &mut [Move]) -> Result<(), Error> {
    let from: BTreeSet<Oid> = moves.iter().map(|one| one.from).collect();
    // Into a shallow clone, git would fetch all that the branch is built on.
    if let Some(remote) = remote.filter(|_| !repo.is_shallow().unwrap_or(true)) {
        for missing in from.iter().filter(|one| !repo.has_object(**one)) {
            // A remote may have removed it.
            let _ = repo.fetch(remote, &remote.name, &[missing.to_string()], TALK);
        }
    }
    let from: Vec<Oid> = from.into_iter().filter(|one| repo.has_object(*one)).collect();
    for tip in &from {
        let is_inside = |other: &Oid| other != tip && repo.is_ancestor(*tip, *other);
        if !from.iter().any(is_inside) {
            Project::open(repo.clone(), Some(&tip.to_string()), false)?.mark(moves)?;
        }
    }
    Ok(())
}

impl Project {
    fn mark(&self, moves: &mut [Move]) -> Result<(), Error> {
        self.judged(|mut pass, rulings, _| {
            let flagged: HashSet<String> =
                flagged_answers(&rulings.all, pass.timeline).into_iter().collect();
            for one in moves {
                let outdated = pass.outdated_at(one.from, one.to);
                let is_in = |mark: &String| {
                    one.lines.iter().any(|(_, id)| mark.ends_with(&format!(" {id}")))
                };
                one.flagged.extend(flagged.iter().filter(|mark| is_in(mark)).cloned());
                one.outdated.extend(
                    outdated.into_iter().filter(|mark| is_in(mark) && !flagged.contains(mark)),
                );
                for marks in [&mut one.flagged, &mut one.outdated] {
                    marks.sort_unstable();
                    marks.dedup();
                }
            }
        })
    }
}

impl Pass<'_> {
    /// Returns true if what an entry leaves out was flagged at the commit from which it was carried.
    pub fn is_marked(&self, unit: Unit) -> bool {
        let name = self.timeline.questions.questions[unit.question].name();
        let entry = self.timeline.events.reference(self.timeline.row(unit.entry));
        self.marks.0.contains(&format!("{name} {entry}"))
    }

    /// Of the answers that move from one commit to another, those that depend on what differs there; what can't be read is no
    /// difference.
    fn outdated_at(&mut self, from: Oid, to: Oid) -> Vec<String> {
        let Timeline { events, looks, questions, .. } = self.timeline;
        let mut marks = Vec::new();
        for look in looks.iter().filter(|look| events.anchor(look.anchor) == from) {
            let replaced = look.replaced.iter().map(|(question, answer, _)| (*question, *answer));
            for (question, answer) in look.answers.iter().copied().chain(replaced) {
                let asked = self.as_committed(answer.entry, question);
                // A probe or a command is held against the files themselves.
                let claim = self.claim(answer, self.units.len()).filter(|_| asked.probe.is_none());
                let Some(mut claim) = claim else {
                    continue;
                };
                let row = self.timeline.row(answer.entry);
                let given = events.head(row).parse().ok();
                if let Some(given) = given.filter(|given| self.project.repo.has_object(*given)) {
                    (claim.at, claim.moved, claim.is_outdated) = (given, Moved::No, false);
                }
                if matches!(self.judge.outdated(asked, &claim, to), Ok(Some(_))) {
                    let name = questions.questions[question].name();
                    marks.push(format!("{name} {}", events.reference(row)));
                }
            }
        }
        marks
    }
}
