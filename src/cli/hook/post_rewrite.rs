use std::{
    collections::BTreeSet,
    io::{self, Read as _},
};

use clap::Args;

use crate::{cli::Context, git::Oid, store::carry::copy_entries, view::escape};

/// Copy the entries of rewritten commits to the new ones: git's post-rewrite hook
///
/// Reads `old new` lines from standard input, as git gives them. An error does not stop git: it is reported in one
/// line, and `git sq carry` copies the rest later.
#[derive(Args)]
pub struct PostRewriteArgs {
    /// The command that rewrote them: `amend` or `rebase`
    #[arg(value_name = "COMMAND")]
    _command: Option<String>,
}

impl PostRewriteArgs {
    pub fn run(context: &Context) {
        if let Err(why) = copy(context) {
            let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
            context.note(&format!(
                "git sq: not all entries of rewritten commits were copied: {}; `git sq carry` finds them later\n",
                escape(&why)
            ));
        }
    }
}

fn copy(context: &Context) -> Result<(), String> {
    let mut input = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut input)
        .map_err(|error| format!("standard input can't be read: {error}"))?;
    let (rewritten, malformed) = rewritten(&input);
    let repo = context.open().map_err(|error| error.to_string())?;
    copy_entries(&repo, &rewritten).map_err(|error| error.to_string())?;
    if malformed > 0 {
        return Err(format!("lines on standard input that do not name two commits: {malformed}"));
    }
    Ok(())
}

fn rewritten(input: &[u8]) -> (BTreeSet<(Oid, Oid)>, usize) {
    let text = String::from_utf8_lossy(input);
    let mut pairs = BTreeSet::new();
    let mut malformed = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split(' ').map(str::parse);
        if let (Some(Ok(old)), Some(Ok(new))) = (words.next(), words.next()) {
            pairs.insert((old, new));
        } else {
            malformed += 1;
        }
    }
    (pairs, malformed)
}
