//! One small value with all that most commands show, kept until the log, the tip or the questions change.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    Error, Project, cache,
    looks::{self, Pass, Rulings},
    questions::store_commits,
};
use crate::{
    entry::Kind,
    git::{ErrorKind, Oid, Pathspecs},
    metrics::{Disputes, Looks, RuledLook, SecondLooks, Survey, Thread, survey},
    question::{ClosedKind, QuestionSet},
    session::events,
    store::{self, Events, Reading, Removed, Row, share::shared_logs},
    timeline::{Lineage, Look, Timeline, Unknown, Watch},
};

const FILE: &str = "snapshot";

/// The newest looks of so many sessions say since when nobody answered.
const LOOKS: usize = 20;

const ENTRIES: usize = 100;

/// In milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Limits that outrank those of the question store, and what else changes the figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    pub staleness: Option<u32>,
    pub max_run: Option<u32>,
    /// True if to leave out what questions depend on.
    pub original: bool,
}

impl Measure {
    /// The questions with these limits, as they count at a commit of that time.
    pub(super) fn of(&self, mut questions: QuestionSet, committed: Timestamp) -> QuestionSet {
        let settings = &mut questions.settings;
        // A store can't accept what came after it.
        let accepted = settings.quiet.accepted_through;
        settings.quiet.accepted_through = accepted.map(|through| through.min(committed));
        settings.quiet.max_run = self.max_run.unwrap_or(settings.quiet.max_run);
        settings.staleness.max = self.staleness.unwrap_or(settings.staleness.max);
        questions
    }
}

#[derive(Debug, Clone)]
pub struct Snapshot {
    pub survey: Survey,
    /// The newest entries of the tip's history, older ones that the next answers are compared with, and all lines of other
    /// kinds.
    pub events: Arc<Events>,
    /// True if there are more entries than the newest.
    pub has_more: bool,
    /// Why there may be entries that are not known of.
    pub unknown: Vec<String>,
}

/// First all that it follows from, then the moment from which it holds: that of the newest line.
type File = (Vec<u8>, i64, Survey, Events, bool, Vec<String>);

impl Snapshot {
    fn of(timeline: &Timeline, survey: Survey) -> Self {
        let events = &timeline.events;
        let newest = timeline.newest_first().take(ENTRIES);
        let named: Vec<(&str, Oid)> = survey.threads.iter().flat_map(Thread::entries).collect();
        let commits: HashSet<Oid> = named.iter().map(|(_, commit)| *commit).collect();
        let compared = timeline.newest_first().skip(ENTRIES).filter(|row| {
            let commit = events.anchor(row.anchor);
            commits.contains(&commit) && named.contains(&(&events.reference(row), commit))
        });
        let others = events.rows().iter();
        let others = others.filter(|row| !row.is(Kind::Rederive) && row.reading != Reading::Text);
        let excerpt = events.excerpt(newest.chain(compared).chain(others));
        Self {
            survey,
            events: Arc::new(excerpt),
            has_more: timeline.entries.len() > ENTRIES,
            unknown: timeline.unknown_texts(),
        }
    }

    pub fn newest_first(&self) -> impl Iterator<Item = &Row> {
        self.events.rows().iter().rev().filter(|row| row.is(Kind::Rederive)).take(ENTRIES)
    }
}

impl Project {
    /// Adds the active questions that watch no file of the tip, each with its pathspecs and why.
    fn watches_nothing(
        &self,
        questions: &QuestionSet,
        found: &mut Vec<(String, String)>,
    ) -> Result<(), Error> {
        // A probe finds out by itself that a file is not there.
        for question in questions.active().filter(|one| one.probe.is_none()) {
            let specs = question.dependencies();
            // `lint` reports an invalid pathspec.
            if let Ok(mut parsed) = Pathspecs::parse(&specs)
                && !specs.is_empty()
                && !self.repo.has_file_at(self.tip, &mut parsed)?
            {
                let mut why = format!("{}, which matches no file", specs.join(" "));
                for spec in &*specs {
                    if let Some(place) = self.repo.not_followed(self.tip, spec)? {
                        why = format!("{spec}, which {place}");
                    }
                }
                found.push((question.name().to_string(), why));
            }
        }
        Ok(())
    }

    /// Number of commits on the line of first parents that changed watched files since the last answer of any session that
    /// counts or, without one, since the question store was committed; and the days from there to the tip.
    fn unasked_commits(
        &self,
        timeline: &Timeline,
        lineage: &mut dyn Lineage,
        judgements: &[RuledLook],
    ) -> Result<(usize, i64), Error> {
        let active = timeline.questions.active().filter(|question| timeline.is_owed(question));
        let mut paths: Vec<String> =
            active.flat_map(|question| question.dependencies().into_owned()).collect();
        paths.sort_unstable();
        paths.dedup();
        if paths.is_empty() || !timeline.is_judged {
            return Ok((0, 0));
        }
        // Answers that are flagged, or lost where they were carried to, are none.
        let mut answers: Vec<usize> =
            timeline.looks.iter().map(|look| look.answers.len()).collect();
        for one in judgements.iter().filter(|one| one.answer.is_some()) {
            let is_none = !one.ruling.flags.is_empty() || one.ruling.is_lost;
            answers[one.look] = answers[one.look].saturating_sub(usize::from(is_none));
        }
        let looks = timeline.looks.iter().zip(answers).rev().filter(|(_, answers)| *answers > 0);
        let looks: Vec<&Look> = looks.map(|(look, _)| look).take(LOOKS).collect();
        let known: Vec<u32> = looks.iter().map(|look| look.anchor).collect();
        let (counted, since) = if let Some(newest) = looks.first() {
            let counted = lineage.changes_after(&known, &Watch::new(paths.into(), None));
            (counted, timeline.row(newest.last).millis)
        } else {
            let commits = store_commits(&self.repo, self.tip).unwrap_or_default();
            let Some(asked) = commits.first() else {
                return Ok((0, 0));
            };
            let counted = self.repo.merged_since(&[*asked], self.tip, &paths);
            let since = self.repo.commit_time(*asked)?.as_millisecond();
            (counted.map(|commits| commits.len()), since)
        };
        let counted = counted.or_else(|error| match error.kind {
            ErrorKind::TooLarge => Err(error),
            _ => Ok(0),
        });
        let until = self.repo.commit_time(self.tip)?.as_millisecond();
        Ok((counted?, (until - since) / DAY))
    }

    /// The lines that the log had and has no more. Where it can't be read in full, that is said anyway.
    fn removed(&self) -> Result<Removed, Error> {
        let log = self.log(None)?;
        if !log.is_whole() {
            return Ok(Removed::default());
        }
        let gone = self.seen.gone(&self.repo, &self.tips)?;
        let mut commits: Vec<Oid> = gone.iter().map(|(anchor, _)| *anchor).collect();
        commits.dedup();
        let mut withheld = Vec::new();
        let fetched = self.tips.fetched.iter().map(|tip| tip.target);
        // What a sync found has no tracking ref.
        let there: BTreeSet<Oid> = fetched.chain(self.seen.0.iter().copied()).collect();
        for state in there.iter().filter(|_| log.has_redactions()) {
            for own in self.tips.own() {
                withheld.extend(store::withheld(&self.repo, *state, own)?);
            }
        }
        let closed = self.closed()?;
        let mut purged = log.purged(&withheld);
        purged.retain(|one| !closed.has(ClosedKind::Purged, &one.line));
        Ok(Removed { lines: gone.len(), commits, purged })
    }

    pub fn questions_with_limits(&self, measure: &Measure) -> Result<QuestionSet, Error> {
        let mut questions = self.store.as_ref().map(|store| store.set.clone()).unwrap_or_default();
        questions.closed = self.closed()?;
        Ok(measure.of(questions, self.repo.commit_time(self.tip)?))
    }

    /// Judges each look at the tip by the limits of the store.
    pub(super) fn judged<T>(
        &self,
        then: impl FnOnce(Pass, &Rulings, &mut dyn Lineage) -> T,
    ) -> Result<T, Error> {
        let questions = self.questions_with_limits(&Measure::default())?;
        self.join(questions, false, |timeline, lineage| {
            let disputes = Disputes::of(&timeline, &events(&timeline.events));
            let (pass, rulings) = looks::judge(self, &timeline, lineage, &disputes);
            then(pass, &rulings, lineage)
        })
    }

    /// The figures, and what is newest in the log: from the last run where nothing changed since.
    pub fn snapshot(&self, measure: &Measure) -> Result<Snapshot, Error> {
        let mailmap = self.mailmap();
        let questions = self.questions_with_limits(measure)?;
        let shared = shared_logs(&self.repo, &self.tips.fetched)?;
        let shared: Vec<Oid> = shared.iter().map(|tip| tip.target).collect();
        let source = postcard::to_stdvec(&(
            (self.tip, self.tips.commits().collect::<Vec<_>>()),
            (&self.tips.unreadable, self.unasked(), &self.seen, &shared),
            self.store.as_ref().map(|store| store.blob),
            (
                self.base.as_ref().map(|base| (base.commit, base.began)),
                &questions.closed,
                self.default_of_head()?,
            ),
            (measure, mailmap.digest(), self.without_log.is_some(), self.other_refs()?),
        ));
        let source = source.unwrap_or_default();
        let kept: Option<File> = self.keeps.then(|| cache::load(&self.repo, FILE)).flatten();
        let moment = self.latest();
        if let Some((of, newest, survey, events, has_more, unknown)) = kept
            && of == source
            && newest <= moment
        {
            return Ok(Snapshot {
                survey,
                events: Arc::new(events.with_names(mailmap)),
                has_more,
                unknown,
            });
        }
        let original = measure.original;
        let judge = |timeline: Timeline, lineage: &mut dyn Lineage| {
            let (judgements, disputes) = if original {
                (Rulings::default(), Disputes::default())
            } else {
                let log = &timeline.events;
                let disputes = Disputes::of(&timeline, &events(log));
                let (_, judgements) = looks::judge(self, &timeline, lineage, &disputes);
                (judgements, disputes)
            };
            let mut watches_nothing = Vec::new();
            // Git has no limit: it would not end where this program did.
            let unasked = self
                .watches_nothing(&timeline.questions, &mut watches_nothing)
                .and_then(|()| self.unasked_commits(&timeline, lineage, &judgements.all));
            let judged = (&judgements.doubted, &disputes);
            let drifts = self.blocking(&timeline, lineage, judged);
            (timeline, judgements, disputes, watches_nothing, unasked, drifts)
        };
        let (timeline, judgements, disputes, watches_nothing, unasked, drifts) =
            self.join(questions, original, judge)?;
        let mut is_whole = self.is_whole();
        let looks = Looks::of(&timeline, &judgements.all);
        let (mut left_behind, mut unknown) = (Vec::new(), judgements.unknown);
        let mut read = Survey {
            second: SecondLooks::of(
                &timeline,
                &judgements.all,
                &disputes,
                &looks.alike,
                &judgements.at_tip,
            ),
            standings: judgements.at_tip,
            threads: judgements.threads,
            watches_nothing,
            ..Survey::default()
        };
        match unasked {
            Ok(unasked) => read.unasked = unasked,
            Err(error) if error.kind == ErrorKind::TooLarge => {
                unknown.push(Unknown::Unread(error.to_string()));
            }
            Err(error) => return Err(error),
        }
        match self.removed() {
            Ok(removed) => read.removed = removed,
            Err(error) => unknown.push(Unknown::Removed(error.to_string())),
        }
        if !original {
            let (left, is_settled) = self.left_behind(&timeline, &shared)?;
            left_behind = left;
            is_whole &= is_settled;
            read.drifts = drifts;
        }
        is_whole &= unknown.is_empty();
        let survey = survey(&timeline, looks, &left_behind, &unknown, read);
        let mut snapshot = Snapshot::of(&timeline, survey);
        for verdict in &mut snapshot.survey.quiet.verdicts {
            let subject = verdict.commit.parse().ok().map(|id| self.repo.subject(id));
            verdict.subject = subject.and_then(Result::ok);
        }
        if self.keeps && is_whole {
            let Snapshot { survey, events, has_more, unknown } = &snapshot;
            let newest = self.log(None)?.newest();
            if newest <= moment {
                let file = (source, newest, survey, &**events, has_more, unknown);
                cache::save(&self.repo, FILE, &file);
            }
        }
        Ok(snapshot)
    }
}
