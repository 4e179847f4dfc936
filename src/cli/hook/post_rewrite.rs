//! `git sq hook post-rewrite`: copies the entries of commits that git rewrote.

use std::{
    collections::BTreeSet,
    io::{self, Read as _},
};

use clap::Args;

use crate::{
    cli::Context,
    entry::Line,
    git::{self, Oid, Repo},
    report::escape,
    store::{LogTips, append},
};

/// Copy the entries of rewritten commits to the new ones: git's post-rewrite hook
///
/// Reads `old new` lines from standard input, as git gives them. Nothing that goes wrong here stands in the way of what
/// git does: it is said in one line, and `git sq carry` finds what was not copied.
#[derive(Args)]
pub struct PostRewriteArgs {
    /// What rewrote them: `amend` or `rebase`
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

/// Copies what there is; the error says why not all of it.
fn copy(context: &Context) -> Result<(), String> {
    let mut input = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut input);
    read.map_err(|error| format!("standard input can't be read: {error}"))?;
    let repo = context.open().map_err(|error| error.to_string())?;
    let tips = LogTips::read(&repo).map_err(|error| error.to_string())?;
    if tips.commits().next().is_none() {
        return Ok(());
    }
    let (rewritten, strange) = rewritten(&input);
    let copies = Copies::of(&repo, &tips, &rewritten).map_err(|error| error.to_string())?;
    if !copies.lines.is_empty() {
        append(
            &repo,
            &copies.lines,
            "Notes copied by 'git sq hook post-rewrite'",
        )
        .map_err(|error| error.to_string())?;
    }
    // What could be read is copied by now.
    match (copies.missing, strange) {
        (Some(error), _) => Err(error.to_string()),
        (None, 0) => Ok(()),
        (None, _) => Err(format!(
            "lines on standard input that do not name two commits: {strange}"
        )),
    }
}

/// The pairs of old and new commits, and how many lines are none.
fn rewritten(input: &[u8]) -> (BTreeSet<(Oid, Oid)>, usize) {
    let text = String::from_utf8_lossy(input);
    let mut pairs = BTreeSet::new();
    let mut strange = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split(' ').map(str::parse);
        match (words.next(), words.next()) {
            (Some(Ok(old)), Some(Ok(new))) => drop(pairs.insert((old, new))),
            _ => strange += 1,
        }
    }
    (pairs, strange)
}

/// Every line of each old commit, for its new one.
#[derive(Default)]
struct Copies {
    lines: Vec<(Oid, Line)>,
    /// Why a note could not be read, where one couldn't.
    missing: Option<git::Error>,
}

impl Copies {
    fn of(repo: &Repo, tips: &LogTips, rewritten: &BTreeSet<(Oid, Oid)>) -> git::Result<Self> {
        let mut copies = Self::default();
        for commit in tips.commits() {
            let mut reader = repo.notes_reader(commit)?;
            for (old, new) in rewritten {
                for blob in reader.get(*old)? {
                    match repo.blob(blob) {
                        Ok(text) => copies.add(*new, &text),
                        Err(error) => copies.missing = Some(error),
                    }
                }
            }
        }
        Ok(copies)
    }

    fn add(&mut self, new: Oid, text: &[u8]) {
        let lines = text.split(|&byte| byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        self.lines.extend(lines.map(|line| (new, Line::raw(line))));
    }
}
