//! Runs the built-in probes on the objects of a commit, without a checkout, and executes nothing of the repository.

mod compare;
mod derivation;
mod exist;
mod memo;
mod place;
pub(super) mod text;
mod value;
pub mod version;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    time::{Duration, Instant},
};

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use compare::agree_in;
pub use derivation::{Derivation, apart, change_text, news, part_text, probe_digest, traced_text};
use memo::{InFile, Memo};
pub use place::value_at;

use crate::{
    entry::{CommandRun, one_line, sha256_hex},
    git::{self, ErrorKind, FileAt, Oid, Pathspecs, Repo},
    question::{
        Files, FilesTake, Grep, GrepTake, LogOf, LogTake, Paths, Probe, Question, TextOf, ValueOf,
    },
};

/// Bytes that one probe reads at most.
const MOST: u64 = 64 << 20;

#[derive(Debug, Clone, Serialize)]
pub struct Derived {
    #[serde(flatten)]
    pub found: Found,
    /// The files that were read, by parts, too.
    pub reads: Vec<FileAt>,
    /// For `agree` and `subset`, the result of each of its probes.
    pub parts: Vec<Found>,
    #[serde(skip)]
    pub took: Duration,
    pub run: Option<CommandRun>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Found {
    /// A boolean, a number, a string or a list of these.
    Value(Value),
    /// There is nothing to read, with the reason.
    Gone(String),
}

impl Found {
    /// SHA-256 of the answer as compact JSON; of the empty string if it is gone.
    pub fn digest(&self) -> String {
        match self {
            Self::Value(value) => sha256_hex(value.to_string().as_bytes()),
            Self::Gone(_) => sha256_hex(b""),
        }
    }

    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Gone(_) => None,
        }
    }

    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(one), Self::Value(two)) => one == two,
            (Self::Gone(_), Self::Gone(_)) => true,
            _ => false,
        }
    }
}

pub struct Prober {
    repo: Repo,
    commit: Oid,
    memo: RefCell<Memo>,
}

impl Prober {
    pub fn new(repo: &Repo, commit: Oid) -> Self {
        Self { repo: repo.remembering_versions(), commit, memo: RefCell::default() }
    }

    /// `None` if the question has no built-in probe; fails if a probe would have to read too much.
    pub fn derive(&self, question: &Question) -> Option<git::Result<Derived>> {
        let probe = question.probe.as_ref().filter(|probe| probe.is_built_in());
        probe.map(|probe| self.run(self.commit, probe))
    }

    /// Derives the answer, and compares it with that at the commit of the last answer.
    pub fn compare(
        &self,
        question: &Question,
        last: Option<Oid>,
    ) -> Option<git::Result<Derivation>> {
        let probe = question.probe.as_ref().filter(|probe| probe.is_built_in())?;
        let before = last.map(|last| self.run(last, probe)).transpose();
        Some(before.and_then(|before| {
            Ok(Derivation {
                now: self.run(self.commit, probe)?,
                before: before.map(|before| before.found),
            })
        }))
    }

    /// For each part of a comparison, the matches of a pattern of which only the first one counts.
    pub fn choices(&self, commit: Oid, probe: &Probe) -> git::Result<Vec<Vec<Value>>> {
        let mut run = self.start(commit);
        let choice = |part: &Probe| match part {
            Probe::Text(of) => {
                match run.file(&of.file).and_then(|bytes| text::choice(of, &bytes).or_else(gone)) {
                    Err(Stop::Failed(error)) => Err(error),
                    found => Ok(found.unwrap_or_default()),
                }
            }
            _ => Ok(Vec::new()),
        };
        probe.parts().iter().map(choice).collect()
    }

    /// The answer of a probe in words; of places that differ, that of each.
    pub fn found_text(&self, probe: &Probe, derived: &Derived) -> String {
        if let Found::Gone(why) = &derived.found {
            return format!("missing ({})", one_line(why));
        }
        let (Probe::Agree(probes), Found::Value(Value::Bool(false))) = (probe, &derived.found)
        else {
            return traced_text(None, &derived.found, &derived.parts);
        };
        let places = probes.iter().zip(&derived.parts).map(|(probe, part)| {
            let at = probe.file().map(|file| format!("{}{} ", file, self.line(probe, file)));
            at.unwrap_or_default() + &part_text(part)
        });
        format!("differ: {}", places.collect::<Vec<_>>().join(" | "))
    }

    /// The line of a value, as in `:3`, if one place has it.
    fn line(&self, probe: &Probe, file: &str) -> String {
        let text = self.start(self.commit).file(file).ok();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        text.and_then(|text| Some(text[..value_at(probe, &text)?.start].matches('\n').count()))
            .map_or_else(String::new, |before| format!(":{}", before + 1))
    }

    fn start(&self, commit: Oid) -> Run<'_> {
        Run {
            repo: &self.repo,
            commit,
            memo: &self.memo,
            reads: Vec::new(),
            parts: Vec::new(),
            left: Cell::new(MOST),
        }
    }

    pub fn run(&self, commit: Oid, probe: &Probe) -> git::Result<Derived> {
        let start = Instant::now();
        let mut run = self.start(commit);
        let found = match run.probe(probe) {
            Ok(value) => Found::Value(value),
            Err(Stop::Gone(why)) => Found::Gone(why),
            Err(Stop::Failed(error)) => return Err(error),
        };
        Ok(Derived { found, reads: run.reads, parts: run.parts, took: start.elapsed(), run: None })
    }
}

enum Stop {
    Gone(String),
    Failed(git::Error),
}

impl From<git::Error> for Stop {
    fn from(error: git::Error) -> Self {
        Self::Failed(error)
    }
}

fn gone<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Gone(why.into()))
}

/// What a path leads to; what git sq does not follow is no reason to know nothing.
fn there(found: git::Result<Option<Oid>>, name: &str) -> Result<Oid, Stop> {
    match found {
        Ok(Some(id)) => Ok(id),
        Ok(None) => gone(format!("there is no {name}")),
        Err(error) if error.kind == ErrorKind::Unsupported => gone(error.message),
        Err(error) => Err(error.into()),
    }
}

struct Run<'r> {
    repo: &'r Repo,
    commit: Oid,
    memo: &'r RefCell<Memo>,
    reads: Vec<FileAt>,
    parts: Vec<Found>,
    left: Cell<u64>,
}

impl Run<'_> {
    fn probe(&mut self, probe: &Probe) -> Result<Value, Stop> {
        match probe {
            Probe::Grep(grep) => self.grep(grep),
            Probe::Files(Files { paths, take }) => {
                let files = self.files(paths)?;
                Ok(match take {
                    FilesTake::List => files.into_iter().map(|file| file.path).collect(),
                    FilesTake::Count => files.len().into(),
                    FilesTake::Exists => (!files.is_empty()).into(),
                })
            }
            Probe::Lines(Paths { paths }) => {
                let mut lines = 0;
                for file in self.some_files(paths)? {
                    let count = |text: &[u8]| InFile::count(text::lines(text).count());
                    lines += self.in_file("", file, count)?.count;
                }
                Ok(lines.into())
            }
            Probe::Tree(path) => {
                Ok(there(self.repo.object_at(self.commit, path), path)?.to_string().into())
            }
            Probe::Value(of) => version::read(of.kind, of.precision, self.value(of)?).or_else(gone),
            Probe::Text(of) => version::read(of.kind, of.precision, self.text(of)?).or_else(gone),
            Probe::Log(log) => self.log(log),
            Probe::Agree(probes) => self.agree(probes),
            Probe::Subset(probes) => self.subset(probes),
            Probe::Exist(exist) => self.exist(exist),
            Probe::Run(_) => gone("commands are not run here"),
        }
    }

    /// As it stands there.
    fn value(&mut self, of: &ValueOf) -> Result<Value, Stop> {
        let bytes = self.file(&of.file)?;
        value::of(of, &bytes).or_else(gone)
    }

    /// As it stands there.
    fn text(&mut self, of: &TextOf) -> Result<Value, Stop> {
        let bytes = self.file(&of.file)?;
        text::of(of, &bytes).or_else(gone)
    }

    fn grep(&mut self, grep: &Grep) -> Result<Value, Stop> {
        let regex = grep.matcher().or_else(gone)?;
        let key = serde_json::to_string(grep).unwrap_or_default();
        let mut taken: Vec<Value> = Vec::new();
        let mut count = 0;
        for file in self.some_files(&grep.paths)? {
            let found = self.in_file(&key, file, |text| in_text(grep, &regex, text))?;
            taken.extend(found.taken);
            count += found.count;
            match grep.take {
                GrepTake::First if !taken.is_empty() => return Ok(taken.swap_remove(0)),
                GrepTake::Exists if count > 0 => return Ok(true.into()),
                _ => {}
            }
        }
        match grep.take {
            GrepTake::Lines => Ok(taken.into()),
            GrepTake::Count => Ok(count.into()),
            GrepTake::Exists => Ok(false.into()),
            GrepTake::First => gone("no line matches"),
        }
    }

    fn log(&self, log: &LogOf) -> Result<Value, Stop> {
        // Rejects pathspecs with attributes, like the other probes.
        Pathspecs::parse(&log.paths)?;
        let most = (log.take == LogTake::Last).then_some(1);
        let found = self.repo.touching(self.commit, &log.paths, most)?;
        let Some(newest) = found.first() else {
            return gone(format!("no commit touches {}", log.paths.join(" ")));
        };
        Ok(match log.take {
            LogTake::Last => newest.to_string().into(),
            LogTake::Count => found.len().into(),
            LogTake::Authors => found
                .iter()
                .map(|id| self.repo.author(*id))
                .map(|author| author.map(|author| author.name))
                .collect::<git::Result<BTreeSet<String>>>()?
                .into_iter()
                .collect(),
        })
    }

    fn files(&self, paths: &[String]) -> Result<Vec<FileAt>, Stop> {
        Ok(self.repo.files_at(self.commit, &mut Pathspecs::parse(paths)?)?)
    }

    fn some_files(&self, paths: &[String]) -> Result<Vec<FileAt>, Stop> {
        let files = self.files(paths)?;
        if files.is_empty() {
            return gone(format!("no file matches {}", paths.join(" ")));
        }
        let blobs: Vec<Oid> = files.iter().map(|file| file.blob).collect();
        self.repo.bring(&blobs);
        Ok(files)
    }

    /// Cached by `key` and blob. Bytes after a NUL are searched, too.
    fn in_file(
        &mut self,
        key: &str,
        file: FileAt,
        find: impl FnOnce(&[u8]) -> InFile,
    ) -> Result<InFile, Stop> {
        let blob = file.blob;
        if let Some((size, found)) = self.memo.borrow().get(key, blob) {
            self.account(&file, size)?;
            self.reads.push(file);
            return Ok(found);
        }
        let bytes = self.read(file)?;
        let size = bytes.len() as u64;
        let found = find(&text::in_utf8(bytes));
        self.memo.borrow_mut().keep(key, blob, size, &found);
        Ok(found)
    }

    fn file(&mut self, path: &str) -> Result<Vec<u8>, Stop> {
        let blob = there(self.repo.blob_at(self.commit, path), &format!("file {path}"))?;
        self.read(FileAt { path: path.to_owned(), blob, executable: false }).map(text::in_utf8)
    }

    fn read(&mut self, file: FileAt) -> Result<Vec<u8>, Stop> {
        let size = self.repo.blob_size(file.blob)?;
        self.account(&file, size)?;
        let bytes = self.repo.blob(file.blob)?;
        self.reads.push(file);
        Ok(bytes)
    }

    fn account(&self, file: &FileAt, size: u64) -> Result<(), Stop> {
        let left = self.left.get().checked_sub(size).ok_or_else(|| {
            let limit = MOST >> 20;
            git::Error::new(
                ErrorKind::TooLarge,
                format!("{} and what was read before it have more than {limit} MiB", file.path),
            )
            .help("name fewer files in the probe")
        })?;
        self.left.set(left);
        Ok(())
    }
}

fn in_text(grep: &Grep, regex: &Regex, text: &[u8]) -> InFile {
    let lines = text::lines(text);
    match grep.take {
        GrepTake::Lines | GrepTake::First => {
            let taken = lines.flat_map(|line| text::taken(regex, line, grep.capture));
            let most = match grep.take {
                GrepTake::First => 1,
                _ => usize::MAX,
            };
            InFile { taken: taken.take(most).collect(), count: 0 }
        }
        GrepTake::Count => InFile::count(lines.filter(|line| regex.is_match(line)).count()),
        GrepTake::Exists => {
            let mut lines = lines;
            InFile::count(usize::from(lines.any(|line| regex.is_match(line))))
        }
    }
}
