use super::{Output, Style, Table, asides, count, escape, words::length};
use crate::metrics::{ProbeTimes, Stats};

impl Output for Stats {
    const SCHEMA: &'static str = "sq.stats/v1";

    fn text(&self, style: Style) -> String {
        let rows = [
            ("rate", self.rates()),
            ("found", Some(self.found())),
            ("drifts", self.settled()),
            (
                "verdicts",
                self.seconds_to_verdict
                    .map(|time| format!("{} after the drift (median)", seconds(time))),
            ),
            ("questions", self.lifespan.map(lifespan)),
            ("probes", self.probes.as_ref().map(|probes| times(probes, "probe"))),
            ("commands", self.commands.as_ref().map(|commands| times(commands, "command"))),
            ("records", self.records()),
            ("cost", self.cost()),
        ];
        let mut table = Table::labels().indented(2);
        for (name, text) in rows {
            if let Some(text) = text {
                table.row([style.dim(name)], text);
            }
        }
        let questions = count(self.active_questions, "question");
        let title = format!("{}, {questions} asked\n", count(self.sessions, "session"));
        title + &table.text(style) + &asides(&[], &self.unknown, style)
    }
}

impl Stats {
    fn rates(&self) -> Option<String> {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let exposed = self
            .exposure_rate
            .map(percent)
            .map_or_else(String::new, |share| format!("; {share} had a reason to change"));
        Some(percent(self.drift_rate?) + " of a session's answers changed" + &exposed)
    }

    fn found(&self) -> String {
        let (probes, judgement) = (self.drifts_by_probes, self.drifts_by_judgement);
        let drifts = count(probes + judgement, "drift");
        let runs = match (self.quiet_runs, self.quiet_runs_closed) {
            (0, _) => String::new(),
            (runs, closed) => format!("; {}, {closed} closed", count(runs, "broken run")),
        };
        format!("{drifts}: {probes} by probes, {judgement} by judgement{runs}")
    }

    fn settled(&self) -> Option<String> {
        let fates = self.fates.iter().map(|(&word, number)| match self.blocking {
            1.. if word == "open" => format!("{number} open ({} blocking)", self.blocking),
            _ if word == "as expected" => format!("{number} as the question expects"),
            _ if word == "expected" => format!("{number} expected by a person"),
            _ => format!("{number} {word}"),
        });
        let mut fates: Vec<String> = fates.collect();
        fates.extend(
            self.false_alarms
                .map(|share| format!("{:.0} % of the verdicts found no error", share * 100.0)),
        );
        (!fates.is_empty()).then(|| fates.join(", "))
    }

    fn records(&self) -> Option<String> {
        let refused = (self.refused > 0).then(|| format!("{} refused", self.refused));
        let forced = (self.forced > 0).then(|| format!("{} forced with --sure", self.forced));
        let parts: Vec<String> = refused.into_iter().chain(forced).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn cost(&self) -> Option<String> {
        let time = self.seconds.map(|time| {
            let (time, sessions) = (seconds(time), count(self.sessions_timed, "session"));
            format!("{time} from first to last record (median of {sessions})")
        });
        let brief = self.brief.map(|brief| format!("a brief of {brief} characters"));
        let parts: Vec<String> = time.into_iter().chain(brief).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn times(times: &ProbeTimes, what: &str) -> String {
    let ProbeTimes { number, median_ms, slowest_ms, slowest } = times;
    let number = count(*number, what);
    format!("{number}: {median_ms} ms (median), {slowest_ms} ms at most ({})", escape(slowest))
}

fn lifespan(sessions: f64) -> String {
    let plural = if sessions > 1.0 { "s" } else { "" };
    format!("each answered over {sessions} session{plural} (median)")
}

fn seconds(seconds: f64) -> String {
    let whole = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
    length(usize::try_from(whole.as_secs()).unwrap_or(usize::MAX))
}
