use serde::Serialize;

use super::{Output, Style, asides, count};
use crate::{evidence::Rehearsal, question::Question};

#[derive(Debug, Serialize)]
pub struct QuestionTest {
    pub q_id: String,
    pub q_version: u32,
    #[serde(flatten)]
    rehearsal: Rehearsal,
    pub advice: Vec<String>,
    /// Why the figures may be too low.
    pub unknown: Vec<String>,
}

impl QuestionTest {
    pub fn new(question: &Question, rehearsal: Rehearsal) -> Self {
        let unknown = rehearsal
            .unknown
            .as_ref()
            .map(|(number, why)| format!("{} could not be read: {why}", count(*number, "commit")));
        Self {
            q_id: question.id.clone(),
            q_version: question.version,
            advice: advice(&rehearsal),
            unknown: unknown.into_iter().collect(),
            rehearsal,
        }
    }
}

fn advice(found: &Rehearsal) -> Vec<String> {
    let mut advice = Vec::new();
    let Rehearsal { commits, lines, probe, missed, unknown } = found;
    if *commits == 0 {
        advice.push("no commit changes what it depends on: are the pathspecs right?".into());
        return advice;
    }
    if let Some(commit) = missed.first() {
        let number = count(missed.len(), "time");
        advice.push(format!(
            "`lines` missed a change in the probe's answer, {number}, last at {}: widen the pattern",
            &commit[..10]
        ));
    }
    let is_whole = unknown.is_none();
    if *lines == Some(0) && is_whole {
        advice.push("`lines` never fired: does it match any line of these files?".into());
    }
    if *probe == Some(0) && is_whole {
        advice.push("the probe's answer never changed, although its files did: if it guards something, a test of the project may do that better".into());
    }
    if lines.is_none() && probe.is_none() && *commits > 10 {
        advice.push(
            "add `lines` with a pattern for the lines that matter: now any change of these files counts".into(),
        );
    }
    advice
}

impl Output for QuestionTest {
    const SCHEMA: &'static str = "sq.question.test/v1";

    fn text(&self, style: Style) -> String {
        let Rehearsal { commits, lines, probe, .. } = &self.rehearsal;
        let percent = |number: usize| match *commits {
            0 => String::new(),
            all => format!(" ({} %)", number * 100 / all),
        };
        let mut text = format!("{} changed a file it depends on\n", count(*commits, "commit"));
        for (number, what) in
            [(lines, "changed a line that matters"), (probe, "changed the probe's answer")]
        {
            if let Some(number) = number {
                text += &format!("{}{} {what}\n", count(*number, "commit"), percent(*number));
            }
        }
        text + &asides(&self.advice, &self.unknown, style)
    }
}
