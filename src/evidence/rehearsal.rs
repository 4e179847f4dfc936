//! Counts the past commits at which the dependencies of a question would have made it outdated.

use serde::Serialize;

use super::{Prober, Tell, is_exposed};
use crate::{
    git::{self, Oid, Repo},
    question::Question,
    timeline::Watch,
};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Rehearsal {
    /// Examined commits on the line of first parents; each changes a watched file or one that the probe reads.
    pub commits: usize,
    /// Number of these at which a matching line changed; null if the question has no `lines`.
    pub lines: Option<usize>,
    /// Number of these at which the answer of the probe changed; null if the question has no built-in probe.
    pub probe: Option<usize>,
    /// Commits at which the answer of the probe changed, and no matching line did; newest first.
    pub missed: Vec<String>,
    /// Number of commits that could not be examined, and the reason for the first of them.
    #[serde(skip)]
    pub unknown: Option<(usize, String)>,
}

/// Examines the newest commits, at most `most`; fails if history is cut off.
pub fn rehearse(
    repo: &Repo,
    tip: Oid,
    question: &Question,
    most: usize,
    tell: Tell,
) -> git::Result<Rehearsal> {
    let mut commits = repo.changing(tip, &question.dependencies(), false)?;
    commits.drain(..commits.len().saturating_sub(most));
    let probe = question.probe.as_ref().filter(|probe| probe.is_built_in());
    let mut rehearsal = Rehearsal {
        commits: commits.len(),
        lines: question.lines.as_ref().map(|_| 0),
        probe: probe.map(|_| 0),
        ..Rehearsal::default()
    };
    let watch = Watch::of(question);
    let prober = Prober::new(repo, tip);
    for (done, &commit) in commits.iter().rev().enumerate() {
        tell(done, commits.len());
        let look = || -> git::Result<Option<[bool; 2]>> {
            let Some(parent) = repo.first_parent(commit)? else {
                return Ok(None);
            };
            let matters = is_exposed(repo, &repo.changes(parent, commit)?, &watch)?;
            let answer = |at| probe.map(|probe| prober.run(at, probe)).transpose();
            let is_changed = match (answer(parent)?, answer(commit)?) {
                (Some(before), Some(now)) => !before.found.is_same(&now.found),
                _ => false,
            };
            Ok(Some([matters, is_changed]))
        };
        match look() {
            // A root commit adds everything, and changes nothing.
            Ok(None) => rehearsal.commits -= 1,
            Ok(Some([matters, is_changed])) => {
                let count = |figure: &mut Option<usize>, is: bool| {
                    *figure = figure.map(|number| number + usize::from(is));
                };
                count(&mut rehearsal.lines, matters);
                count(&mut rehearsal.probe, is_changed);
                if is_changed && !matters {
                    rehearsal.missed.push(commit.to_string());
                }
            }
            Err(error) => {
                rehearsal.unknown.get_or_insert((0, error.to_string())).0 += 1;
            }
        }
    }
    Ok(rehearsal)
}
