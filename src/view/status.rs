use super::{
    Output, Style, asides, count, entries, escape, escape_lines, joined, state::refused_text,
    sync::waiting_text, words::ago,
};
use crate::{
    entry::short_sid,
    metrics::{SessionInBrief, Source},
    project::{SharedWith, Status},
    session::Speaking,
};

impl SharedWith {
    fn lines(&self) -> impl Iterator<Item = String> {
        let ready = || {
            let (number, remote) = (entries(self.ready), escape(&self.remote));
            format!("{number} not on {remote} yet (\"git sq sync\" publishes)\n")
        };
        let trouble = self.trouble.as_ref();
        let trouble = trouble.map(|why| format!("Not published: {}\n", escape_lines(why, "\n  ")));
        let waiting = || waiting_text(self.waiting, &self.branches) + "\n";
        let first = trouble.or_else(|| (self.ready > 0).then(ready));
        first.into_iter().chain((self.waiting > 0).then(waiting))
    }
}

type Paint = fn(Style, &str) -> String;

impl Output for Status {
    const SCHEMA: &'static str = "sq.status/v1";

    fn text(&self, style: Style) -> String {
        let mut out = format!(
            "On {}: {}, {}\n",
            escape(&self.place),
            count(self.questions, "question"),
            count(self.sessions, "session")
        );
        let is_of_facts = self.standings.0.iter().all(|at_tip| at_tip.source == Source::Files);
        match &self.last {
            None if is_of_facts => {}
            None if self.unknown.is_empty() => {
                out.push_str("No session has recorded anything in this history yet.\n");
            }
            None => out.push_str("No session is known here.\n"),
            Some(last) => out.push_str(&self.last_line(last, style)),
        }
        if let Some(session) = &self.session {
            out.push_str(&self.session_line(session, style));
        }
        let standings = self.standings.counts().filter(|(standing, _)| !standing.is_good());
        for (standing, _) in standings {
            let names = joined(
                self.standings.that_are(standing).map(|at_tip| escape(&at_tip.question)),
                ", ",
            );
            let label = style.standing(standing, &format!("{}:", standing.word()));
            out.push_str(&format!("{label} {names}\n"));
        }
        let flagged = self.flagged.as_ref().map(|looks| count(looks.open, "look"));
        let quiet = || format!("{} in a row report no change", count(self.longest_run, "session"));
        let unanswered = match self.unanswered_run {
            0 => None,
            1 => Some("the last session ended without an answer".to_owned()),
            n => Some(format!("the last {} ended without an answer", count(n, "session"))),
        };
        let drifts = Some(self.drifts.join(", ")).filter(|names| !names.is_empty());
        let errors = joined(self.errors.iter().map(|rule| rule.name()), ", ");
        let errors = Some(errors).filter(|names| !names.is_empty());
        let rows: [(Paint, &str, Option<String>); 5] = [
            (Style::error, "blocking drift:", drifts),
            (Style::error, "flagged:", flagged),
            (Style::error, "quiet run:", self.alarm.then(quiet)),
            (Style::error, "errors:", errors),
            (Style::warning, "unanswered:", unanswered),
        ];
        for (paint, label, text) in rows {
            if let Some(text) = text {
                out.push_str(&format!("{} {text}\n", paint(style, label)));
            }
        }
        out.extend(self.refused.iter().map(|refused| {
            let label = style.warning("refused state:");
            format!("{label} {}\n", escape(&refused_text(refused)))
        }));
        for line in self.shared.iter().flat_map(SharedWith::lines) {
            // Several remotes may lack the same.
            if !out.contains(&line) {
                out += &line;
            }
        }
        out.push_str(&asides(&self.warnings, &self.unknown, style));
        let next = match &self.last {
            None if is_of_facts => "(\"git sq check\" shows details)",
            None => "(\"git sq brief\" shows what to answer, \"git sq record\" records it)",
            Some(_) if self.alarm || self.flagged.is_some() || !self.errors.is_empty() => {
                "(\"git sq check\" shows details, \"git sq brief\" begins a session)"
            }
            Some(_) => "(\"git sq brief\" begins a session, \"git sq check\" checks the log)",
        };
        out + &style.dim(&format!("  {next}")) + "\n"
    }
}

impl Status {
    fn session_line(&self, session: &Speaking, style: Style) -> String {
        let agent = session.agent.as_deref();
        let agent = agent.map(|agent| format!(" by {}", escape(agent)));
        let answered = match session.answered.as_slice() {
            [] => "nothing answered in this history yet".to_owned(),
            names => format!("answered {}", escape(&names.join(", "))),
        };
        format!(
            "Current session: {}{}, began {}; {answered}\n",
            style.name(&escape(short_sid(&session.sid))),
            agent.unwrap_or_default(),
            ago(session.since.as_str(), self.now)
        )
    }

    fn last_line(&self, last: &SessionInBrief, style: Style) -> String {
        let moved = match &self.since {
            Some(since) if since.commits > 0 || !since.files.is_empty() => format!(
                "{} and {} since",
                count(since.commits, "commit"),
                count(since.files.len(), "changed file")
            ),
            _ => "nothing committed since".to_owned(),
        };
        format!(
            "Last session: {} ({}), {}; {moved}\n",
            style.name(&escape(short_sid(&last.sid))),
            ago(&last.ts, self.now),
            count(last.deltas.len(), "delta")
        )
    }
}
