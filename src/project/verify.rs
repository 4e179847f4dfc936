//! Verifies recorded answers: which ones, and from what.

use super::{Error, Project, questions::store_blob};
use crate::{
    entry::sha256_hex,
    evidence::{Commands, Replay, Replayed, Tell},
    git::{self, ErrorKind, Oid},
    process::was_interrupted,
    question::Question,
    store::{Answer, Events, Row},
};

/// Number of lines that are read at once; many may stand in one note.
const BATCH: usize = 4096;

/// Which recorded answers are derived again.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Seconds since 1970.
    pub since: Option<i64>,
    pub entry: Option<String>,
    /// All that this commit does not contain.
    pub base: Option<Oid>,
    /// So many of the rest, drawn with this seed.
    pub sample: Option<(usize, String)>,
    /// True if approved commands are run.
    pub runs: bool,
    /// True if to leave out what commands answered, instead of saying that nobody can tell.
    pub no_commands: bool,
}

/// What was derived again.
#[derive(Debug, Default)]
pub struct Verified {
    /// What fails first, then what can't be told; the newest first.
    pub results: Vec<Replayed>,
    /// How many answers there are, and how many of the results were drawn.
    pub of: usize,
    pub drawn: usize,
    pub unknown: Vec<String>,
}

impl Project {
    /// Derives again what probes answered in the entries that the tip contains, and looks up what is cited there. None
    /// where it contains no entry of the wanted id. `announce` hears of commands that are about to run, `tell` how many
    /// answers are done.
    pub fn verify(
        &self,
        wanted: &Wanted,
        announce: &dyn Fn(&Question),
        tell: Tell,
    ) -> Result<Option<Verified>, Error> {
        let timeline = self.timeline()?;
        let events = timeline.events.clone();
        let rows = timeline.newest_first().filter(|row| {
            let second = events.ts(row).as_millis().div_euclid(1000);
            let id = wanted.entry.as_deref();
            wanted.since.is_none_or(|since| since <= second)
                && id.is_none_or(|id| events.id(row) == id)
        });
        let rows: Vec<&Row> = rows.collect();
        if wanted.entry.is_some() && rows.is_empty() {
            return Ok(None);
        }
        let answers = rows.iter().enumerate().flat_map(|(number, row)| {
            let answers = events.answers(row).iter().enumerate();
            let evident = answers.filter(|(_, answer)| {
                let is_wanted = !wanted.no_commands || !self.is_command(&events, **answer);
                is_wanted && (answer.probed || answer.cited)
            });
            evident
                .map(move |(place, _)| (number, place))
                .collect::<Vec<_>>()
        });
        let mut picked: Vec<(usize, usize)> = answers.collect();
        let of = picked.len();
        let mut drawn = 0;
        if let Some((number, seed)) = &wanted.sample {
            let base = wanted.base.map(|base| self.repo.walk(base)).transpose()?;
            let is_new = |&(number, _): &(usize, usize)| {
                let anchor = events.anchor(rows[number].anchor);
                base.as_ref()
                    .is_some_and(|base| base.find(anchor).is_none())
            };
            let new: Vec<_> = picked.extract_if(.., |one| is_new(one)).collect();
            picked.sort_by_cached_key(|&(number, place)| {
                let row = rows[number];
                let (id, version) = events.question(events.answers(row)[place].question);
                sha256_hex(format!("{seed}\n{}\n{id}@{version}", events.id(row)).as_bytes())
            });
            picked.truncate(*number);
            drawn = picked.len();
            picked.extend(new);
            picked.sort_unstable();
        }
        let store_at = |commit| store_blob(&self.repo, commit);
        let mut replay = Replay::new(
            &self.repo,
            &timeline,
            wanted.runs.then_some(Commands {
                repo: &self.repo,
                announce,
            }),
            &store_at,
            self.store.as_ref().map(|store| store.blob),
        );
        let mut results = Vec::with_capacity(picked.len());
        let entries: Vec<_> = picked.chunk_by(|one, two| one.0 == two.0).collect();
        for batch in entries.chunks(BATCH) {
            let read: Vec<&Row> = batch.iter().map(|entry| rows[entry[0].0]).collect();
            let lines = events.raw_lines(&self.repo, &read);
            for (entry, line) in batch.iter().zip(&lines) {
                let checked = entry.iter();
                let checked = checked
                    .map(|&(number, place)| replay.check(rows[number], place, line.as_deref()));
                results.extend(checked);
                tell(results.len(), picked.len());
                if was_interrupted() {
                    return Err(git::Error::new(ErrorKind::Interrupted, "interrupted").into());
                }
            }
        }
        results.sort_by_key(|result| result.verdict);
        Ok(Some(Verified {
            results,
            of,
            drawn,
            unknown: timeline.unknown.iter().map(ToString::to_string).collect(),
        }))
    }

    /// Returns true if the question that was answered has a command, as far as the question store knows it.
    fn is_command(&self, events: &Events, answer: Answer) -> bool {
        let (id, version) = events.question(answer.question);
        let store = self.store.as_ref();
        let question = store.and_then(|store| store.set.find(id, version));
        question.is_some_and(|question| question.command().is_some())
    }
}
