use std::collections::HashSet;

use clap::Args;

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs, complete,
    writing::{Speaker, Writing},
};
use crate::{
    git::{Oid, Repo},
    project::{self, walk_and_read},
    session,
    store::{
        Log, LogTips,
        carry::{Move, Plan, Request, plan},
        share::publish_later,
        unasked,
    },
    timeline::Unknown,
    view::Carry,
};

/// Copy entries of rewritten commits to the commits that replaced them
///
/// For use after a squash merge, a rebase merge or the loss of a branch. Looks at entries on commits that HEAD does not
/// contain. Their new home is the one commit with the recorded tree or patch-id, or the one that a later entry of their
/// branch was carried to. The originals stay, and a `carry` entry records where the copies came from and why. Entries of
/// a branch that still exists are not carried until it is deleted, unless COMMIT names them or --pr is given. Exits with
/// 1 if orphaned entries (those on no branch) have no new home (with --pr: if several commits match), and with 3 if
/// something could not be determined.
#[derive(Args, Default)]
pub struct CarryArgs {
    /// Carry only the entries on these commits, even if a branch contains them; the commits need not exist any more
    #[arg(value_name = "COMMIT")]
    commits: Vec<String>,
    /// Show what would be carried without writing anything
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Attach orphaned entries without a match to this commit; with COMMIT, exactly the entries on those
    #[arg(long, value_name = "REV")]
    onto: Option<String>,
    /// Consider only the commits of a merged pull request, and carry only entries that were made on a branch, even if it
    /// still exists. If BASE is all zeros, as for a new branch, nothing is carried
    #[arg(long, value_name = "BASE..MERGE", conflicts_with = "onto")]
    pr: Option<String>,
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, the current session, or a new one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl CarryArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = &context.open()?;
        let carry = self.carry(context, repo)?;
        if !carry.carried.is_empty() && !self.dry_run {
            publish_later(repo);
        }
        context.show(repo, &carry, self.print.format)?;
        Ok(Outcome::of(!carry.orphaned.is_empty(), &carry.unknown))
    }

    /// The arguments for a merged pull request, `BASE..MERGE`.
    pub fn merged(range: String) -> Self {
        Self { pr: Some(range), ..Self::default() }
    }

    pub fn carry(&self, context: &Context, repo: &Repo) -> Result<Carry, Failure> {
        let (tip, merged) = match self.pr.as_deref().map(|range| ends(repo, range)).transpose()? {
            Some((Some(base), merge)) => (merge, Some(repo.commits_between(base, merge)?)),
            Some((None, merge)) => {
                return Ok(Carry::new(merge, &Plan::default(), true, self.dry_run));
            }
            None => (repo.head()?.commit.ok_or_else(project::no_commit)?, None),
        };
        let whole =
            self.sid.as_deref().map(|sid| session::whole_name(repo, sid, None)).transpose()?;
        let tips = LogTips::read(repo)?;
        let (history, log) = walk_and_read(repo, tip, || Log::read(repo, &tips))?;
        let onto = self.onto.as_deref().map(|rev| repo.commit(rev));
        let request = Request { commits: self.commits(&log)?, onto: onto.transpose()?, merged };
        let plan = plan(repo, &log, &history, &request)?;
        if !self.dry_run && !plan.moves.is_empty() {
            let speaker = Speaker::of(context, repo, whole)?;
            write(repo, &speaker, tip, &plan.moves)?;
        }
        let mut carry = Carry::new(tip, &plan, self.pr.is_some(), self.dry_run);
        carry.unknown.extend(unread(repo, &log, &tips));
        Ok(carry)
    }

    /// Finds commits by the beginnings of their ids; the repository need not have them.
    fn commits(&self, log: &Log) -> Result<HashSet<Oid>, Failure> {
        self.commits.iter().map(|name| annotated(log, name)).collect()
    }
}

fn annotated(log: &Log, name: &str) -> Result<Oid, Failure> {
    let digits = name.to_ascii_lowercase();
    let is_named = |anchor: &Oid| digits.len() >= 4 && anchor.to_string().starts_with(&digits);
    let mut anchors = log.annotations.iter().map(|note| note.anchor).filter(is_named);
    let why = match (anchors.next(), anchors.next()) {
        (Some(anchor), None) => return Ok(anchor),
        (None, _) => format!("no commit {name:?} with entries"),
        _ => format!("short commit id {name:?} is ambiguous"),
    };
    Err(Failure::refused(
        why,
        "nothing was carried; `git notes --ref=sq list` lists the commits; give at least 4 digits",
    ))
}

fn write(repo: &Repo, speaker: &Speaker, tip: Oid, moves: &[Move]) -> Result<(), Failure> {
    let mut writing = Writing::begin(repo, speaker)?;
    let envelope = writing.envelope(tip)?;
    for planned in moves {
        writing.copy(planned.copies().map(|copy| (planned.to, copy)));
        for (envelope, body) in planned.entries(&envelope) {
            let advice = "shorten SQ_AGENT, SQ_MODEL or SQ_HARNESS";
            writing.add(planned.to, envelope, body, advice)?;
        }
    }
    writing.append("git sq carry")
}

fn unread(repo: &Repo, log: &Log, tips: &LogTips) -> Vec<String> {
    let missing = log.missing.iter().copied().map(Unknown::MissingNote);
    let never_fetched = unasked(repo, tips)
        .into_iter()
        .filter(|remote| remote.shares_log || log.annotations.is_empty())
        .map(|remote| Unknown::NeverFetched(remote.name));
    missing.chain(never_fetched).map(|unknown| unknown.to_string()).collect()
}

/// The two commits of `BASE..MERGE`; no BASE if it is all zeros, as forges write it for a new branch.
fn ends(repo: &Repo, range: &str) -> Result<(Option<Oid>, Oid), Failure> {
    let Some((base, merge)) = range
        .split_once("..")
        .filter(|(base, merge)| !base.is_empty() && !merge.is_empty() && !merge.starts_with('.'))
    else {
        return Err(Failure::refused(
            format!("invalid range of commits {range:?}"),
            "give the commit before the merge and the merge itself, as in --pr HEAD~1..HEAD",
        ));
    };
    let is_zero = matches!(base.len(), 40 | 64) && base.bytes().all(|digit| digit == b'0');
    let base = (!is_zero).then(|| repo.commit(base)).transpose()?;
    Ok((base, repo.commit(merge)?))
}
