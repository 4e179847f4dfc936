use std::time::Duration;

use super::{Error, Measure, Project, lineage::Known};
use crate::{
    entry::{Body, Event, Rederive, SessionEnd},
    evidence::Prober,
    metrics::{ProbeTimes, Stats, exposure, stats},
    session::events,
    store::Row,
    timeline::Timeline,
};

impl Project {
    /// The figures of sessions since a time, in seconds since 1970; runs built-in probes to measure their time.
    pub fn stats(&self, since: Option<i64>) -> Result<Stats, Error> {
        let since = since.map_or(i64::MIN, |since| since.saturating_mul(1000));
        let found = self.drifts()?;
        let runs = self.snapshot(&Measure::default())?.survey.quiet.runs;
        let lineage = &mut Known::new(self, self.log(None)?, None)?;
        let prober = Prober::new(&self.repo, self.tip);
        let times = found
            .timeline
            .questions
            .questions
            .iter()
            .filter(|question| question.status.is_asked())
            .filter_map(|question| {
                let probe = question.probe.as_ref().filter(|probe| probe.is_built_in())?;
                let took = prober.run(self.tip, probe).ok()?.took;
                Some((question.name().to_string(), took))
            });
        let timeline = &found.timeline;
        let ends = events::<SessionEnd>(&timeline.events);
        let ends = ends.iter().filter(|end| end.row.millis >= since);
        Ok(Stats {
            refused: ends.filter_map(|end| end.body.refused).sum(),
            forced: self.forced(timeline, since),
            commands: ProbeTimes::of(&self.command_times(timeline)),
            repository: self.repo.name(),
            exposure_rate: exposure(&found.timeline, lineage, since),
            probes: ProbeTimes::of(&times.collect::<Vec<_>>()),
            ..stats(&found.timeline, &found.drifts, &runs, since)
        })
    }

    /// Number of entries with answers that a session insisted on.
    fn forced(&self, timeline: &Timeline, since: i64) -> usize {
        let rows: Vec<&Row> =
            timeline.newest_first().take_while(|row| row.millis >= since).collect();
        let lines = timeline.events.raw_lines(&self.repo, &rows).flatten();
        let is_forced = |line: &Vec<u8>| match Event::parse(line).map(|event| event.body) {
            Ok(Body::Rederive(Rederive { sure, .. })) => sure,
            _ => false,
        };
        lines.filter(is_forced).count()
    }

    /// The last run of each asked question that has a command.
    fn command_times(&self, timeline: &Timeline) -> Vec<(String, Duration)> {
        let questions = timeline.questions.questions.iter();
        let asked = questions.filter(|one| one.status.is_asked() && one.command().is_some());
        let times = asked.filter_map(|question| {
            let number = timeline.number(question)?;
            let mut rows = timeline.newest_first().filter(|row| {
                timeline.events.answers(row).iter().any(|answer| answer.question == number)
            });
            let line = timeline.events.raw_lines(&self.repo, &[rows.next()?]).next()??;
            let (_, answers) = Event::answers(&line)?;
            let answer = answers.iter().rfind(|answer| *answer.q_id == *question.id)?;
            let ms = answer.evidence.as_ref()?.get("run")?.get("ms")?.as_u64()?;
            Some((question.name().to_string(), Duration::from_millis(ms)))
        });
        times.collect()
    }
}
