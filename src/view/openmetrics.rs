//! Figures as `OpenMetrics` text: gauges without units and times, which the textfile collector of `node_exporter` reads
//! too.

use jiff::Timestamp;

use super::{escape, joined};
use crate::{
    metrics::Standing,
    project::{Figures, QuestionFigures},
};

/// A repository whose figures are exported.
pub struct Exported<'f> {
    pub repository: &'f str,
    pub is_readable: bool,
    /// `None` if it was never set up, or could not be read.
    pub figures: Option<&'f Figures>,
}

/// A gauge: its name, its help, and its values.
type Gauge = (&'static str, &'static str, Values);

/// A value of a label, and the number for it.
type Part = (&'static str, fn(&Figures) -> Option<usize>);

enum Values {
    OfRepository(fn(&Figures) -> Option<f64>),
    /// By the value of a label.
    By(&'static str, [Part; 2]),
    /// By standing: 1 for each question, or the number of questions.
    Standings,
    /// One a question, or the highest.
    Highest(fn(&QuestionFigures) -> Option<f64>),
}

use Values::{By, Highest, OfRepository, Standings};

#[rustfmt::skip]
const GAUGES: [Gauge; 13] = [
    ("unknown_facts", "Facts that could not be determined; then figures that would be 0 are left out.",
        OfRepository(|figures| Some(number(figures.unknown.len())))),
    ("findings", "Findings of git sq check.",
        By("severity", [("error", |figures| Some(figures.errors.len())),
            ("warning", |figures| figures.warnings)])),
    ("sessions", "Sessions that recorded answers.",
        OfRepository(|figures| figures.sessions.map(number))),
    ("answers", "Answers of all sessions.", OfRepository(|figures| figures.answers.map(number))),
    ("deltas", "Answers that differ from the one before.",
        By("origin", [("probe", |figures| figures.deltas_by_probes),
            ("judgement", |figures| figures.deltas_by_judgement)])),
    ("questions", "Active questions, by where they stand.", Standings),
    ("staleness_sessions", "Sessions since a question was last answered; without a question label, the most.",
        Highest(|question| question.staleness.map(number))),
    ("newest_answer_timestamp_seconds", "Time of the newest answer, in seconds since 1970.",
        Highest(|question| seconds(question.answered.as_ref()?))),
    ("session_seconds", "Median time from the first to the last entry of sessions with several entries.",
        OfRepository(|figures| figures.session_seconds.map(number))),
    ("flagged_looks", "Flagged looks whose questions nobody answered again.",
        OfRepository(|figures| figures.flagged.map(number))),
    ("unasked_commits", "Commits that changed watched files since the last answer.",
        OfRepository(|figures| figures.unasked_commits.map(number))),
    ("unpublished_entries", "Entries that wait to be published.",
        OfRepository(|figures| Some(number(figures.unpublished.as_ref()?.entries)))),
    ("oldest_unpublished_timestamp_seconds", "Time of the oldest entry that waits to be published, in seconds since 1970.",
        OfRepository(|figures| seconds(figures.unpublished.as_ref()?.since.as_ref()?))),
];

/// One sample for each repository or, for figures about questions, `by_question`.
pub fn openmetrics(repositories: &[Exported], by_question: bool) -> String {
    let mut out = String::new();
    let readable = repositories.iter().map(|exported| {
        let value = f64::from(u8::from(exported.is_readable));
        sample("readable", exported.repository, &[], value)
    });
    let help = "1 if the repository could be read, else 0.";
    family(&mut out, "readable", help, readable);
    for (name, help, values) in &GAUGES {
        let samples = repositories.iter().filter_map(|exported| {
            let figures = exported.figures?;
            let mut found = values.of(figures, by_question);
            let is_certain = figures.unknown.is_empty();
            found.retain(|(_, value)| is_certain || *value > 0.0);
            let samples = found
                .into_iter()
                .map(|(labels, value)| sample(name, exported.repository, &labels, value));
            Some(samples.collect::<String>())
        });
        family(&mut out, name, help, samples);
    }
    out + "# EOF\n"
}

type Labels<'f> = Vec<(&'static str, &'f str)>;

impl Values {
    fn of<'f>(&self, figures: &'f Figures, by_question: bool) -> Vec<(Labels<'f>, f64)> {
        let questions = figures.questions.iter();
        let named = |question: &'f QuestionFigures| ("question", question.question.as_str());
        match self {
            Self::OfRepository(value) => {
                value(figures).map(|value| (Vec::new(), value)).into_iter().collect()
            }
            Self::By(label, values) => values
                .iter()
                .filter_map(|(word, value)| Some((vec![(*label, *word)], number(value(figures)?))))
                .collect(),
            Self::Standings if by_question => questions
                .map(|question| {
                    let standing = ("standing", question.standing.word());
                    (vec![named(question), standing], 1.0)
                })
                .collect(),
            Self::Standings => Standing::ALL
                .into_iter()
                .map(|standing| {
                    let those = figures.questions.iter();
                    let those = those.filter(|question| question.standing == standing);
                    (vec![("standing", standing.word())], number(those.count()))
                })
                .collect(),
            Self::Highest(value) if by_question => questions
                .filter_map(|question| Some((vec![named(question)], value(question)?)))
                .collect(),
            Self::Highest(value) => questions
                .filter_map(value)
                .reduce(f64::max)
                .map(|value| (Vec::new(), value))
                .into_iter()
                .collect(),
        }
    }
}

/// A family without samples is left out.
fn family(out: &mut String, name: &str, help: &str, samples: impl Iterator<Item = String>) {
    let samples: String = samples.collect();
    if !samples.is_empty() {
        out.push_str(&format!(
            "# HELP git_sq_{name} {help}\n# TYPE git_sq_{name} gauge\n{samples}"
        ));
    }
}

fn sample(name: &str, repository: &str, labels: &[(&str, &str)], value: f64) -> String {
    let repository = ("repository", repository);
    let labels = std::iter::once(&repository)
        .chain(labels)
        .map(|(key, value)| format!("{key}=\"{}\"", quoted(value)));
    format!("git_sq_{name}{{{}}} {value}\n", joined(labels, ","))
}

/// Characters that could steer a terminal are escaped before those that end a label.
fn quoted(text: &str) -> String {
    escape(text).replace('\\', "\\\\").replace('"', "\\\"")
}

fn number(count: impl TryInto<u32>) -> f64 {
    count.try_into().map_or(f64::INFINITY, f64::from)
}

fn seconds(time: &str) -> Option<f64> {
    let time: Timestamp = time.parse().ok()?;
    Some(time.as_duration().as_secs_f64())
}
