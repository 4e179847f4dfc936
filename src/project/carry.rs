//! Finds the new homes of entries on rewritten commits, and says what was carried.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use super::{Error, marked::mark, no_commit, ready::TALK, walk_and_read};
use crate::{
    entry::{Event, Text, lines_of},
    git::{DEEPEN, Oid, PULLS_REF, Remote, Repo},
    store::{
        Log, LogTips,
        carry::{Move, Orphaned, Plan, Request, plan},
        unasked,
    },
    timeline::Unknown,
};

/// Pull requests that one push brings at most.
const PULLS: usize = 10;

#[derive(Debug, Default, Serialize)]
pub struct Carry {
    pub tip: String,
    pub dry_run: bool,
    pub carried: Vec<Move>,
    /// Entries on no branch that have no new home; with `--pr`, only those that several commits match.
    pub orphaned: Vec<Orphaned>,
    pub on_branches: usize,
    /// With `--pr`: number of entries on no branch that none of its commits matches.
    pub unmatched: usize,
    pub unknown: Vec<String>,
}

/// The entries to carry, as the command line names them.
#[derive(Default)]
pub struct ToCarry<'a> {
    /// The beginnings of commit ids; empty for all commits.
    pub commits: &'a [String],
    pub onto: Option<&'a str>,
    /// `BASE..MERGE` of a merged pull request.
    pub merged: Option<&'a str>,
    pub dry_run: bool,
    /// Where commits that this clone lacks may still be.
    pub remote: Option<&'a Remote>,
}

/// Plans what to carry, and has it written by `write`, unless this is a dry run or there is nothing to write.
pub fn carry<E: From<Error>>(
    repo: &Repo,
    wanted: &ToCarry,
    write: impl FnOnce(Oid, &[Move]) -> Result<(), E>,
) -> Result<Carry, E> {
    let dry_run = wanted.dry_run;
    let (tip, merged) = match wanted.merged.map(|range| ends(repo, range)).transpose()? {
        Some((Some(base), merge)) => (merge, Some(repo.commits_between(base, merge)?)),
        Some((None, merge)) => {
            return Ok(Carry { tip: merge.to_string(), dry_run, ..Carry::default() });
        }
        None => (repo.head()?.commit.ok_or_else(no_commit)?, None),
    };
    if let (Some(remote), Some(merged)) = (wanted.remote, &merged) {
        bring_pulls(repo, remote, merged);
    }
    let tips = LogTips::read(repo)?;
    let (history, log) = walk_and_read(repo, tip, || Log::read(repo, &tips))?;
    let onto = wanted.onto.map(|rev| repo.commit(rev)).transpose()?;
    let request = Request { commits: named(repo, wanted.commits, &log)?, onto, merged };
    let Plan { moves: mut carried, mut orphaned, on_branches, unclear } =
        plan(repo, &log, &history, &request)?;
    mark(repo, wanted.remote, &mut carried)?;
    if !dry_run && !carried.is_empty() {
        write(tip, &carried)?;
    }
    let mut unmatched = 0;
    if wanted.merged.is_some() {
        // Other pull requests have entries, too.
        let others = orphaned.extract_if(.., |row| row.candidates.is_empty());
        unmatched = others.map(|row| row.entries).sum();
    }
    let mut unknown = Vec::new();
    if unclear > 0 {
        let entries = if unclear == 1 { "entry" } else { "entries" };
        let why = if history.cut_at().is_empty() {
            "the history is incomplete, or objects are missing".to_owned()
        } else {
            format!("the history is cut off here; {DEEPEN}")
        };
        unknown.push(format!("could not find the new commits of {unclear} {entries}: {why}"));
    }
    unknown.extend(unread(repo, &log, &tips));
    let tip = tip.to_string();
    Ok(Carry { tip, dry_run, carried, orphaned, on_branches, unmatched, unknown })
}

/// Fetches the pull requests that merged commits name, as GitHub and Forgejo write it: `Fix it (#12)`. Once its branch is
/// deleted, nothing else has the commits after the last entry.
fn bring_pulls(repo: &Repo, remote: &Remote, merged: &[Oid]) {
    // Into a shallow clone, git would fetch all that the branch is built on.
    if repo.is_shallow().unwrap_or(true) {
        return;
    }
    for subject in merged.iter().take(PULLS).filter_map(|commit| repo.subject(*commit).ok()) {
        let number = subject.strip_suffix(')').and_then(|rest| rest.rsplit_once("(#"));
        if let Some(number) = number.and_then(|(_, number)| number.parse::<u32>().ok()) {
            let refspec = format!("+refs/pull/{number}/head:{PULLS_REF}{number}");
            // The forge may have none, or the number be that of an issue.
            let _ = repo.fetch(remote, &remote.name, &[refspec], TALK);
        }
    }
}

/// The commits that HEAD left behind since it was at `before`, each with the one commit that has its content now.
pub fn rewritten_since(repo: &Repo, before: &str) -> Result<BTreeSet<(Oid, Oid)>, Error> {
    let (Some(tip), Ok(before)) = (repo.head()?.commit, repo.commit(before)) else {
        return Ok(BTreeSet::new());
    };
    let commits: HashSet<Oid> = repo.commits_between(tip, before)?.into_iter().collect();
    if commits.is_empty() {
        return Ok(BTreeSet::new());
    }
    let tips = LogTips::read(repo)?;
    let (history, log) = walk_and_read(repo, tip, || Log::read(repo, &tips))?;
    let plan = plan(repo, &log, &history, &Request { commits, ..Request::default() })?;
    Ok(plan.moves.iter().map(|moved| (moved.from, moved.to)).collect())
}

/// Finds commits by their names, or by the beginnings of their ids; the repository need not have them.
fn named(repo: &Repo, names: &[String], log: &Log) -> Result<HashSet<Oid>, Error> {
    let find = |name: &String| {
        let commit = repo.commit(name).ok();
        let mut noted = log.annotations.iter().map(|note| note.anchor);
        if let Some(commit) = noted.find(|anchor| Some(*anchor) == commit) {
            return Ok(commit);
        }
        let digits = name.to_ascii_lowercase();
        let mut anchors = log
            .annotations
            .iter()
            .map(|note| note.anchor)
            .filter(|anchor| digits.len() >= 4 && anchor.to_string().starts_with(&digits));
        let why = match (anchors.next(), anchors.next()) {
            (Some(anchor), None) => return Ok(anchor),
            (None, _) => format!("no commit {name:?} has entries"),
            _ => format!("short commit id {name:?} is ambiguous"),
        };
        let hint = "nothing was carried; `git notes --ref=sq list` lists the commits; give at least 4 digits";
        Err(Error::refused(why, hint))
    };
    names.iter().map(find).collect()
}

fn unread(repo: &Repo, log: &Log, tips: &LogTips) -> Vec<String> {
    let missing = log.missing.iter().copied().map(Unknown::MissingNote);
    let lines = log.annotations.iter().flat_map(|note| lines_of(&note.text));
    let writers =
        lines.filter_map(|line| Event::parse(line).ok()?.envelope.writer.map(Text::into_owned));
    let writers: Vec<String> = writers.collect();
    let never_fetched = unasked(repo, tips)
        .into_iter()
        .filter(|remote| remote.may_have_more(writers.iter().map(String::as_str)))
        .map(|remote| Unknown::NeverFetched(remote.name));
    missing.chain(never_fetched).map(|unknown| unknown.to_string()).collect()
}

/// The two commits of `BASE..MERGE`; no BASE if it is all zeros, as forges write it for a new branch.
fn ends(repo: &Repo, range: &str) -> Result<(Option<Oid>, Oid), Error> {
    let Some((base, merge)) = range
        .split_once("..")
        .filter(|(base, merge)| !base.is_empty() && !merge.is_empty() && !merge.starts_with('.'))
    else {
        return Err(Error::refused(
            format!("invalid range of commits {range:?}"),
            "give the commit before the merge and the merge itself, as in --pr HEAD~1..HEAD",
        ));
    };
    let is_zero = matches!(base.len(), 40 | 64) && base.bytes().all(|digit| digit == b'0');
    let base = (!is_zero).then(|| repo.commit(base)).transpose()?;
    Ok((base, repo.commit(merge)?))
}
