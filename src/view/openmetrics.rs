//! Figures as `OpenMetrics` text: gauges without units and times, which the textfile collector of `node_exporter` reads
//! too.

use jiff::Timestamp;

use super::{escape, joined};
use crate::{
    metrics::State,
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
    /// One a question, or the sum.
    Sum(fn(&QuestionFigures) -> bool),
    /// One a question, or the highest.
    Highest(fn(&QuestionFigures) -> Option<f64>),
}

use Values::{By, Highest, OfRepository, Sum};

#[rustfmt::skip]
const GAUGES: [Gauge; 18] = [
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
    ("questions", "Active questions.", Sum(|_| true)),
    ("stale_questions", "Questions that were not answered for too many sessions.",
        Sum(|question| question.stale == Some(true))),
    ("outdated_questions", "Questions whose answer depends on something that changed since.",
        Sum(|question| question.state == Some(State::Outdated))),
    ("disputed_questions", "Questions about which two sessions disagree.",
        Sum(|question| question.state == Some(State::Disputed))),
    ("failing_questions", "Questions whose answer is not the expected one.",
        Sum(|question| question.state == Some(State::Failing))),
    ("never_answered_questions", "Questions without an answer that counts.",
        Sum(|question| question.state == Some(State::Never))),
    ("staleness_sessions", "Sessions since a question was last answered; without a question label, the most.",
        Highest(|question| question.staleness.map(number))),
    ("newest_answer_timestamp_seconds", "Time of the newest answer, in seconds since 1970.",
        Highest(|question| seconds(question.answered.as_ref()?))),
    ("session_seconds", "Median time from the first to the last entry of sessions with several entries.",
        OfRepository(|figures| figures.session_seconds.map(number))),
    ("flagged_looks", "Flagged ones of the last 20 looks.",
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
        sample("readable", exported.repository, None, value)
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
                .map(|(label, value)| sample(name, exported.repository, label, value));
            Some(samples.collect::<String>())
        });
        family(&mut out, name, help, samples);
    }
    out + "# EOF\n"
}

type Label<'f> = Option<(&'static str, &'f str)>;

impl Values {
    fn of<'f>(&self, figures: &'f Figures, by_question: bool) -> Vec<(Label<'f>, f64)> {
        let questions = figures.questions.iter();
        let each = |value: &dyn Fn(&QuestionFigures) -> Option<f64>| {
            questions
                .clone()
                .filter_map(|question| {
                    let label = Some(("question", question.question.as_str()));
                    Some((label, value(question)?))
                })
                .collect()
        };
        match self {
            Self::OfRepository(value) => {
                value(figures).map(|value| (None, value)).into_iter().collect()
            }
            Self::By(label, values) => values
                .iter()
                .filter_map(|(word, value)| Some((Some((*label, *word)), number(value(figures)?))))
                .collect(),
            Self::Sum(is_so) if by_question => {
                each(&|question| Some(f64::from(u8::from(is_so(question)))))
            }
            Self::Sum(is_so) => {
                vec![(None, number(questions.filter(|question| is_so(question)).count()))]
            }
            Self::Highest(value) if by_question => each(value),
            Self::Highest(value) => questions
                .filter_map(value)
                .reduce(f64::max)
                .map(|value| (None, value))
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

fn sample(name: &str, repository: &str, label: Label, value: f64) -> String {
    let labels = [Some(("repository", repository)), label]
        .into_iter()
        .flatten()
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
