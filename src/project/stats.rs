use super::{Error, Measure, Project, lineage::Known};
use crate::{
    evidence::Prober,
    metrics::{ProbeTimes, Stats, exposure, stats},
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
        Ok(Stats {
            repository: self.repo.name(),
            exposure_rate: exposure(&found.timeline, lineage, since),
            probes: ProbeTimes::of(&times.collect::<Vec<_>>()),
            ..stats(&found.timeline, &found.drifts, &runs, since)
        })
    }
}
