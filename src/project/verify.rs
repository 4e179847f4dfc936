use super::{Error, Project, questions::store_blob};
use crate::{
    entry::sha256_hex,
    evidence::{Replay, Replayed, Tell},
    git::{ErrorKind, Oid},
    process::was_interrupted,
    question::Question,
    store::{Answer, Row},
    timeline::Timeline,
};

#[derive(Debug, Default)]
pub struct Wanted {
    /// Seconds since 1970.
    pub since: Option<i64>,
    pub entry: Option<String>,
    /// Selects all answers on commits that this one does not contain.
    pub base: Option<Oid>,
    /// Size and seed of a sample of the rest.
    pub sample: Option<(usize, String)>,
    pub runs: bool,
    /// True if answers of commands are left out, rather than reported as unverified.
    pub no_commands: bool,
}

#[derive(Debug, Default)]
pub struct Verified {
    /// Contradictions first, then unverified answers; the newest first.
    pub results: Vec<Replayed>,
    pub of: usize,
    pub drawn: usize,
    pub unknown: Vec<String>,
}

impl Project {
    /// `None` if the tip does not contain the wanted entry. `tell` is called with the number of finished answers.
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
        let mut picked: Vec<(usize, usize)> = rows
            .iter()
            .enumerate()
            .flat_map(|(number, row)| {
                let answers = (0..).zip(events.answers(row)).filter(|(_, answer)| {
                    let is_wanted =
                        !wanted.no_commands || !self.is_command(&timeline, row, **answer);
                    is_wanted && (answer.probed || answer.cited)
                });
                answers.map(move |(place, _)| (number, place)).collect::<Vec<_>>()
            })
            .collect();
        let of = picked.len();
        let mut drawn = 0;
        if let Some((number, seed)) = &wanted.sample {
            let base = wanted.base.map(|base| self.repo.walk(base)).transpose()?;
            let is_new = |&(number, _): &(usize, usize)| {
                let anchor = events.anchor(rows[number].anchor);
                base.as_ref().is_some_and(|base| base.find(anchor).is_none())
            };
            let new: Vec<_> = picked.extract_if(.., |answer| is_new(answer)).collect();
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
            wanted.runs.then(|| self.commands(announce)),
            &store_at,
            self.store.as_ref().map(|store| store.blob),
        );
        let mut results = Vec::with_capacity(picked.len());
        let entries: Vec<_> = picked.chunk_by(|(number, _), (next, _)| number == next).collect();
        let read: Vec<&Row> = entries.iter().map(|entry| rows[entry[0].0]).collect();
        for (entry, line) in entries.iter().zip(events.raw_lines(&self.repo, &read)) {
            let checked = entry
                .iter()
                .map(|&(number, place)| replay.check(rows[number], place, line.as_deref()));
            results.extend(checked);
            tell(results.len(), picked.len());
            if was_interrupted() {
                return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
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

    /// Returns true if the answered question has a command, according to the question store or, if that lacks it, to the one
    /// that an entry answered.
    fn is_command(&self, timeline: &Timeline, row: &Row, answer: Answer) -> bool {
        let (id, version) = timeline.events.question(answer.question);
        let mut stores = self.store.iter().map(|store| &store.set).chain(timeline.store_of(row));
        let question = stores.find_map(|store| store.find(id, version));
        question.is_some_and(|question| question.command().is_some())
    }
}
