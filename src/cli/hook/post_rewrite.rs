use std::{
    collections::{BTreeSet, HashSet},
    io::{self, BufRead as _},
};

use clap::Args;

use super::input::arriving;
use crate::{
    cli::Context,
    git::{self, Oid, Repo},
    project::walk_and_read,
    store::{
        Log, LogTips,
        carry::{Request, copy_entries, plan},
    },
    view::escape,
};

/// Copy the entries of rewritten commits to the new ones: git's post-rewrite hook
///
/// Reads `old new` lines from standard input, as git gives them. Without any, as under pre-commit, it looks for the new
/// commits as `git sq carry` does. An error does not stop git: it is reported in one line, and `git sq carry` copies the
/// rest later.
#[derive(Args)]
pub struct PostRewriteArgs {
    /// The command that rewrote them: `amend` or `rebase`
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl PostRewriteArgs {
    pub fn run(&self, context: &Context) {
        if let Err(why) = self.copy(context) {
            let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
            context.note(&format!(
                "git sq: not all entries of rewritten commits were copied: {}; `git sq carry` finds them later\n",
                escape(&why)
            ));
        }
    }

    fn copy(&self, context: &Context) -> Result<(), String> {
        let input = arriving(|input| input.split(b'\n'))
            .collect::<io::Result<Vec<_>>>()
            .map_err(|error| format!("standard input can't be read: {error}"))?;
        let repo = context.open().map_err(|error| error.to_string())?;
        let (mut rewritten, malformed) = rewritten(&input);
        if input.is_empty() {
            rewritten = self.found(&repo).map_err(|error| error.to_string())?;
        }
        copy_entries(&repo, &rewritten).map_err(|error| error.to_string())?;
        if malformed > 0 {
            return Err(format!(
                "lines on standard input that do not name two commits: {malformed}"
            ));
        }
        Ok(())
    }

    /// Commits that HEAD left behind, each with the one commit that has its content now.
    fn found(&self, repo: &Repo) -> git::Result<BTreeSet<(Oid, Oid)>> {
        let before =
            if self.command.as_deref() == Some("rebase") { "ORIG_HEAD" } else { "HEAD@{1}" };
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
        Ok(plan.moves.iter().map(|carried| (carried.from, carried.to)).collect())
    }
}

fn rewritten(lines: &[Vec<u8>]) -> (BTreeSet<(Oid, Oid)>, usize) {
    let mut pairs = BTreeSet::new();
    let mut malformed = 0;
    for line in lines.iter().filter(|line| !line.trim_ascii().is_empty()) {
        let line = String::from_utf8_lossy(line);
        let mut words = line.trim_end().split(' ').map(str::parse);
        if let (Some(Ok(old)), Some(Ok(new))) = (words.next(), words.next()) {
            pairs.insert((old, new));
        } else {
            malformed += 1;
        }
    }
    (pairs, malformed)
}
