use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use clap::{Args, ValueHint};

use super::{CommandResult, Context, Failure, Outcome};
use crate::{
    entry::{Event, Imported, ImportedFile, Line, Ts, import_file, leak_in, lines_of, sha256_hex},
    git::{History, Oid},
    project::no_commit,
    store::{Log, LogTips, append},
    view::{Style, asides, count, entries, escape},
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

const NAMED: usize = 20;

const SHORTEST: usize = 7;

impl ImportArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let tip = repo.head()?.commit.ok_or_else(no_commit)?;
        let path = escape(&self.file.display().to_string());
        let (bytes, mut lines) = read_original(&self.file, context, self.skip_bad)?;
        let tips = LogTips::read(&repo)?;
        let known = known_files(&Log::read(&repo, &tips)?);
        let all = lines.lines.len();
        // Lines that were added to a file since it was imported follow the known ones.
        if let Some(file) = lines.lines.iter().find_map(|line| known.get(&line.id)) {
            lines = import_file(&bytes, file, &Ts::from(context.now));
        }
        let fresh: Vec<Imported> =
            lines.lines.into_iter().filter(|line| !known.contains_key(&line.id)).collect();
        let stripped = fresh.iter().filter(|line| line.is_stripped).count();
        let leaks = leaks(&fresh);
        let (additions, elsewhere) = attach(fresh.into_iter(), &repo.walk(tip)?);
        if !self.dry_run && !additions.is_empty() {
            append(&repo, &additions, "Notes added by 'git sq import'")?;
        }
        let verb = if self.dry_run { "Would import" } else { "Imported" };
        let counts = [
            (all - additions.len(), "already in the log"),
            (elsewhere, "name commits not in this history; attached to the newest earlier commit"),
            (lines.other_kinds, "of other kinds, skipped"),
            (lines.bad.len(), "invalid, skipped"),
            (stripped, "with reserved keys, which were left out"),
        ];
        let figures: String = counts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("  {number} {what}\n"))
            .collect();
        let done = format!("{verb} {} of {path}.\n", entries(additions.len()));
        context.print(&(done + &figures));
        context.note(&asides(&leaks, &[], Style::default()));
        Ok(Outcome::Clean)
    }
}

fn read_original(
    file: &Path,
    context: &Context,
    skip_bad: bool,
) -> Result<(Vec<u8>, ImportedFile), Failure> {
    let path = escape(&file.display().to_string());
    let bytes = fs::read(file).map_err(|error| {
        Failure::refused(
            format!("could not read {path}: {error}"),
            "give the path of an original rederive_log.jsonl",
        )
    })?;
    let lines = import_file(&bytes, &sha256_hex(&bytes), &Ts::from(context.now));
    if lines.bad.is_empty() || skip_bad {
        return Ok((bytes, lines));
    }
    let mut reasons: Vec<String> =
        lines.bad.iter().take(NAMED).map(|why| format!("{path}: {why}")).collect();
    if let more @ 1.. = lines.bad.len() - reasons.len() {
        let more = count(more, "invalid line");
        reasons.push(format!("{path}: and {more} more"));
    }
    let help = "fix these lines; `git sq import --skip-bad` leaves them out";
    Err(Failure::refused_for(reasons, help))
}

/// Names possible secrets; imported lines are never refused for them, because they are history.
fn leaks(lines: &[Imported]) -> Vec<String> {
    lines
        .iter()
        .filter_map(|line| {
            let (id, leak) = (&line.id, leak_in(line.line.as_bytes())?);
            Some(format!("{leak}; `git sq redact {id}` hides it"))
        })
        .take(NAMED)
        .collect()
}

fn known_files(log: &Log) -> HashMap<String, String> {
    log.annotations
        .iter()
        .map(|annotation| &annotation.text)
        .flat_map(|text| lines_of(text))
        .filter_map(|line| Some(Event::parse(line).ok()?.envelope))
        .map(|envelope| {
            let file = envelope.origin.map(|origin| origin.file.into_owned());
            (envelope.id.into_owned(), file.unwrap_or_default())
        })
        .collect()
}

/// The commit of each line, and the number of lines that name a commit outside this history.
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

/// The only one of the sorted `ids` that begins with `head`; `None` if there are several, or `head` is too short.
fn named_commit(ids: &[Oid], head: &str) -> Option<Oid> {
    if head.len() < SHORTEST {
        return None;
    }
    let first = ids.partition_point(|id| id.to_string().as_str() < head);
    let mut named = ids[first..].iter().take_while(|id| id.to_string().starts_with(head));
    match (named.next(), named.next()) {
        (Some(&id), None) => Some(id),
        _ => None,
    }
}

fn newest_before(history: &History, ts: &Ts) -> Oid {
    let time = ts.timestamp().as_second();
    let by_time = |node: &crate::git::Node| (history.time(*node), history.id(*node));
    let node = history
        .nodes()
        .filter(|&node| history.time(node) <= time)
        .max_by_key(by_time)
        .or_else(|| history.nodes().min_by_key(by_time));
    node.map_or_else(|| unreachable!("a tip contains itself"), |node| history.id(node))
}
