//! The figures of a repository that are watched over time: its metrics, and its row in `git sq fleet`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Error, Measure, Project};
use crate::{
    entry::Event,
    finding::{Finding, Rule, Severity},
    git::Repo,
    metrics::Standing,
    store::share::standing,
};

/// The figures of one repository; null instead of 0 if something in it could not be determined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    #[serde(rename = "vcs.ref.head.revision")]
    pub tip: String,
    pub sessions: Option<usize>,
    /// The answers of all sessions; a session's last answer to a version of a question counts.
    pub answers: Option<usize>,
    pub deltas_by_probes: Option<usize>,
    pub deltas_by_judgement: Option<usize>,
    /// Median time from the first to the last entry of sessions with several entries.
    pub session_seconds: Option<u64>,
    /// The active questions.
    pub questions: Vec<QuestionFigures>,
    /// The flagged ones of the last 20 looks that a rule could have flagged.
    pub flagged: Option<usize>,
    /// Number of commits that changed watched files since the last answer; null if anything is unknown.
    pub unasked_commits: Option<usize>,
    /// The errors of `git sq check`.
    pub errors: Vec<Finding<Rule>>,
    pub warnings: Option<usize>,
    /// The part of the log that a remote lacks; null if no remote shares the log.
    pub unpublished: Option<Unpublished>,
    pub unknown: Vec<String>,
}

impl Figures {
    /// Returns true if the answer to any question is not the expected one.
    pub fn fails(&self) -> bool {
        self.questions.iter().any(|question| question.standing == Standing::Fails)
    }

    /// Time of the newest answer to an active question.
    pub fn newest_answer(&self) -> Option<&String> {
        self.questions.iter().filter_map(|question| question.answered.as_ref()).max()
    }
}

/// One active question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionFigures {
    /// The question, with its version unless that is 1.
    pub question: String,
    pub standing: Standing,
    /// Number of sessions since the last answer; null for a fact, too.
    pub staleness: Option<usize>,
    /// Time of the last answer.
    pub answered: Option<String>,
}

/// Entries that wait to be published.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unpublished {
    pub entries: usize,
    /// Time of the oldest one.
    pub since: Option<String>,
}

impl Project {
    pub fn figures(&self) -> Result<Figures, Error> {
        let measure = Measure::default();
        let facts = self.facts(self.snapshot(&measure)?.survey, &measure)?;
        let mut errors = facts.findings();
        let found = errors.len();
        errors.retain(|finding| finding.severity == Severity::Error);
        let survey = facts.survey;
        let is_certain = survey.unknown.is_empty();
        let known = |number: usize| Some(number).filter(|number| is_certain || *number > 0);
        let questions = survey.standings.judged().map(|at_tip| {
            let row = survey.row(&at_tip.question);
            let is_known = at_tip.standing != Standing::Unknown;
            QuestionFigures {
                standing: at_tip.standing,
                staleness: row.filter(|_| is_known).map(|row| row.staleness),
                answered: row.and_then(|row| row.last_rederived_ts.clone()),
                question: at_tip.question.clone(),
            }
        });
        let questions: Vec<QuestionFigures> = questions.collect();
        Ok(Figures {
            tip: survey.tip,
            sessions: known(survey.sessions),
            answers: known(survey.answered.answers),
            deltas_by_probes: known(survey.answered.deltas_by_probes),
            deltas_by_judgement: known(survey.answered.deltas_by_judgement),
            session_seconds: survey.answered.session_seconds,
            questions,
            flagged: known(survey.flagged_looks.open),
            unasked_commits: is_certain.then_some(survey.unasked.0),
            warnings: known(found - errors.len()),
            errors,
            unpublished: unpublished(&self.repo)?,
            unknown: survey.unknown,
        })
    }
}

/// For the remote that lacks most.
fn unpublished(repo: &Repo) -> Result<Option<Unpublished>, Error> {
    let lacking = repo.remotes().into_iter().filter(|remote| remote.shares_log).map(|remote| {
        let plan = standing(repo, &remote)?;
        let lines = plan.ready.iter().chain(&plan.waiting);
        let times = lines
            .clone()
            .filter_map(|(_, line)| Some(Event::parse(line).ok()?.envelope.ts.as_str().to_owned()));
        Ok(Unpublished { entries: lines.clone().count(), since: times.min() })
    });
    let lacking: Vec<Unpublished> = lacking.collect::<Result<_, Error>>()?;
    Ok(lacking.into_iter().max_by_key(|unpublished| unpublished.entries))
}
