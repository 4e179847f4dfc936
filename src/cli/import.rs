//! `git sq import`: imports an original `rederive_log.jsonl`.

use std::{collections::HashSet, fs, path::PathBuf};

use clap::{Args, ValueHint};

use super::{CommandResult, Context, Failure, Outcome, TOOL};
use crate::{
    entry::{Event, Imported, Line, NotImported, Ts, import_line, lines_of, sha256_hex},
    git::{History, Oid},
    report::{count, entries, escape},
    session,
    store::{Log, LogTips, append},
};

/// Import an original `rederive_log.jsonl` into the log
///
/// Each line becomes a note on the commit that it names or, if HEAD does not contain that commit, on the newest ancestor
/// of HEAD that is not newer than the line. Importing a file again adds nothing.
#[derive(Args)]
pub struct ImportArgs {
    /// The file to import
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Skip invalid lines instead of refusing the whole file
    #[arg(long)]
    skip_bad: bool,
    /// Show what would be imported without writing anything
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// How many bad lines are named.
const NAMED: usize = 20;

/// A file's lines, sorted out.
#[derive(Default)]
struct Lines {
    good: Vec<Imported>,
    other_kinds: usize,
    bad: Vec<String>,
}

impl ImportArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let Some(tip) = repo.head()?.commit else {
            return Err(Failure::refused(
                "HEAD has no commit yet",
                "entries are attached to commits: make the first one",
            ));
        };
        let path = escape(&self.file.display().to_string());
        let bytes = fs::read(&self.file).map_err(|error| {
            Failure::refused(
                format!("could not read {path}: {error}"),
                "give the path of an original rederive_log.jsonl",
            )
        })?;
        let lines = sort_out(&bytes, &Ts::from(context.now));
        if !lines.bad.is_empty() && !self.skip_bad {
            return Err(refuse(&path, &lines.bad));
        }
        let tips = LogTips::read(&repo)?;
        let known = known_ids(&Log::read(&repo, &tips)?);
        let all = lines.good.len();
        let fresh = lines.good.into_iter();
        let fresh = fresh.filter(|line| !known.contains(&line.id));
        let (additions, elsewhere) = attach(fresh, &repo.walk(tip)?);
        if !self.dry_run && !additions.is_empty() {
            append(&repo, &additions, "Notes added by 'git sq import'")?;
            // What can't be swept up now is left to the next sweep.
            let _ = session::sweep(&repo, context.now, false);
        }
        let verb = if self.dry_run {
            "Would import"
        } else {
            "Imported"
        };
        let figures = [
            (all - additions.len(), "already in the log"),
            (
                elsewhere,
                "name commits not in this history; attached to the newest earlier commit",
            ),
            (lines.other_kinds, "of other kinds, skipped"),
            (lines.bad.len(), "invalid, skipped"),
        ];
        let figures = figures.iter().filter(|(number, _)| *number > 0);
        let figures: String = figures
            .map(|(number, what)| format!("  {number} {what}\n"))
            .collect();
        let done = format!("{verb} {} of {path}.\n", entries(additions.len()));
        context.print(&(done + &figures));
        Ok(Outcome::Clean)
    }
}

fn sort_out(bytes: &[u8], at: &Ts) -> Lines {
    let file = sha256_hex(bytes);
    let mut lines = Lines::default();
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let imported = match str::from_utf8(line) {
            Ok(text) => import_line(text, number, &file, at, TOOL),
            Err(_) => Err(NotImported::Invalid("invalid UTF-8".into())),
        };
        match imported {
            Ok(imported) => lines.good.push(imported),
            Err(NotImported::OtherKind(_)) => lines.other_kinds += 1,
            Err(NotImported::Invalid(why)) => lines.bad.push(format!("line {number}: {why}")),
        }
    }
    lines
}

fn refuse(path: &str, bad: &[String]) -> Failure {
    let mut reasons: Vec<String> = bad
        .iter()
        .take(NAMED)
        .map(|why| format!("{path}: {why}"))
        .collect();
    if bad.len() > NAMED {
        reasons.push(format!(
            "{path}: and {} more",
            count(bad.len() - NAMED, "invalid line")
        ));
    }
    Failure::Refused {
        reasons,
        help: Some("nothing was imported; fix these lines, or skip them with --skip-bad".into()),
    }
}

fn known_ids(log: &Log) -> HashSet<String> {
    let texts = log.annotations.iter().map(|annotation| &annotation.text);
    let events = texts
        .flat_map(|text| lines_of(text))
        .filter_map(|line| Event::parse(line).ok());
    events.map(|event| event.envelope.id.into_owned()).collect()
}

/// The commit of each line, and how many lines name none of this history.
fn attach(lines: impl Iterator<Item = Imported>, history: &History) -> (Vec<(Oid, Line)>, usize) {
    let mut ids: Vec<Oid> = history.nodes().map(|node| history.id(node)).collect();
    ids.sort_unstable();
    let mut elsewhere = 0;
    let additions = lines.map(|line| {
        let named = named_commit(&ids, &line.head);
        elsewhere += usize::from(named.is_none());
        let anchor = named.unwrap_or_else(|| newest_before(history, &line.ts));
        (anchor, line.line)
    });
    (additions.collect(), elsewhere)
}

/// The one of the sorted `ids` that begins with `head`; None where several do.
fn named_commit(ids: &[Oid], head: &str) -> Option<Oid> {
    let first = ids.partition_point(|id| id.to_string().as_str() < head);
    let mut named = ids[first..]
        .iter()
        .take_while(|id| id.to_string().starts_with(head));
    match (named.next(), named.next()) {
        (Some(&id), None) => Some(id),
        _ => None,
    }
}

/// The newest commit that is not younger than a time, else the oldest of all.
fn newest_before(history: &History, ts: &Ts) -> Oid {
    let time = ts.timestamp().as_second();
    let by_time = |node: &crate::git::Node| (history.time(*node), history.id(*node));
    let before = history.nodes().filter(|&node| history.time(node) <= time);
    let node = before
        .max_by_key(by_time)
        .or_else(|| history.nodes().min_by_key(by_time));
    node.map_or_else(
        || unreachable!("a tip contains itself"),
        |node| history.id(node),
    )
}
