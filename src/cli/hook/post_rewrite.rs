use std::{
    collections::BTreeSet,
    io::{self, BufRead as _},
};

use clap::Args;

use super::input::arriving;
use crate::{
    cli::{Context, writing::write_moves},
    git::{self, Oid, Repo},
    project::{mark, rewritten_since},
    store::{
        append,
        carry::{Move, rewritten as moves},
    },
    view::escape,
};

const COMMAND: &str = "git sq hook post-rewrite";

/// Copy the entries of rewritten commits to the new ones: git's post-rewrite hook
///
/// Reads `old new` lines from standard input, as git gives them; without any, HEAD's reflog tells what was amended,
/// and what was rebased is found as by `git sq carry`. An error does not stop git: it is reported in one line.
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
            rewritten = match self.command.as_deref() {
                Some("amend") => amended(&repo),
                Some("rebase") => rewritten_since(&repo, "ORIG_HEAD"),
                _ => rewritten_since(&repo, "HEAD@{1}"),
            }
            .map_err(|error| error.to_string())?;
        }
        let (mut moves, unread) = moves(&repo, &rewritten).map_err(|error| error.to_string())?;
        // What can't be judged is copied without a mark.
        let marked = mark(&repo, None, &mut moves);
        let copies: Vec<_> = moves.iter().flat_map(Move::copies).collect();
        if moves.iter().any(Move::is_marked) {
            write_moves(context, &repo, None, moves[0].to, &moves, COMMAND)
                .map_err(|failure| failure.document().errors.join("; "))?;
        } else if !copies.is_empty() {
            append(&repo, &copies, &format!("Notes copied by '{COMMAND}'"))
                .map_err(|error| error.to_string())?;
        }
        marked.and(unread).map_err(|error| error.to_string())?;
        if malformed > 0 {
            return Err(format!(
                "lines on standard input that do not name two commits: {malformed}"
            ));
        }
        Ok(())
    }
}

/// The last move of HEAD, which is the amending.
fn amended(repo: &Repo) -> git::Result<BTreeSet<(Oid, Oid)>> {
    let last = repo.ref_moves("HEAD")?.into_iter().next();
    Ok(last.and_then(|step| step.from.zip(step.to)).into_iter().collect())
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
