//! `git sq brief`: what a session has to re-derive now.

use std::{
    cmp::Reverse,
    collections::{HashMap, hash_map::Entry},
};

use clap::Args;
use jiff::Timestamp;

use super::{
    AgentFormat, AgentPrintArgs, CommandResult, Context, Failure, Format, Outcome,
    state::{SHOWN, last_states},
    tension,
};
use crate::{
    evidence::{Cites, Prober, is_exposed},
    git::{Changes, Oid},
    metrics::{Staleness, Survey},
    project::{Measure, Project, Since, Snapshot},
    question::{Probe, Question, QuestionSet, Trigger, duration},
    report::{Brief, BriefQuestion},
    timeline::Watch,
};

/// Show what this session has to re-derive, and what moved since the last one
///
/// Earlier answers are left out, except for the deltas of the last two sessions: derive first, then compare with
/// `git sq show`. Questions for every session come first, then where this agent's last session stopped, the other
/// questions, the top three tensions, and what moved. The text and markdown forms stay under 8,000 characters and say
/// what was left out.
#[derive(Args)]
pub struct BriefArgs {
    #[command(flatten)]
    print: AgentPrintArgs,
}

impl BriefArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let store = project.questions()?;
        let Snapshot { survey, events, .. } = project.snapshot(&Measure::default())?;
        let has_entry = |id: &str| project.has_entry(id);
        let agent = context.agent_name()?;
        let cites = Cites::new(&project.repo, project.tip, &has_entry);
        let states = last_states(&project, &events, &cites, agent, SHOWN);
        let brief = Brief {
            tip: project.tip.to_string(),
            branch: project.head.branch.clone(),
            questions: questions(&project, &store.set, &survey, context.now)?,
            since: since(&project, &survey)?,
            latest: survey.latest.clone(),
            states,
            agent: agent.map(str::to_owned),
            tensions: tension::for_brief(context, &store.set.settings.tension, &events),
            warnings: store
                .warning()
                .into_iter()
                .chain(survey.unanswered_news())
                .collect(),
            unknown: survey.unknown.clone(),
            place: project.place(),
            now: context.now,
        };
        match self.print.format {
            AgentFormat::Json => context.show(&project.repo, &brief, Format::Json),
            AgentFormat::Text => context.show(&project.repo, &brief, Format::Text),
            AgentFormat::Markdown => context.print(&brief.markdown()),
        };
        Ok(Outcome::Clean)
    }
}

/// What moved since the last session; None where there is none.
pub fn since(project: &Project, survey: &Survey) -> Result<Option<Since>, Failure> {
    let last = survey.latest.first();
    let last = last.and_then(|last| Some((&last.sid, last.anchor.parse().ok()?)));
    let since = last.map(|(sid, anchor)| project.moved_since(sid, anchor));
    Ok(since.transpose()?)
}

/// The questions that are asked, the most important first, among those the stalest.
pub fn questions(
    project: &Project,
    set: &QuestionSet,
    survey: &Survey,
    now: Timestamp,
) -> Result<Vec<BriefQuestion>, Failure> {
    let mut changes: HashMap<Oid, Changes> = HashMap::new();
    let mut questions = Vec::new();
    let prober = Prober::new(&project.repo, project.tip);
    for question in &set.questions {
        if !question.status.is_asked() {
            continue;
        }
        let mut rows = survey.staleness.iter();
        let row = rows.find(|row| row.q_id == question.id && row.q_version == question.version);
        let derived_at = row.and_then(|row| row.last_commit.as_ref()?.parse().ok());
        let dependencies = question.dependencies();
        let exposed = match derived_at {
            Some(commit) if !dependencies.is_empty() => {
                let changes = match changes.entry(commit) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => {
                        place.insert(project.repo.changes(commit, project.tip)?)
                    }
                };
                let watch = Watch::new(&dependencies, question.lines.as_deref());
                is_exposed(&project.repo, changes, watch).ok()
            }
            _ => None,
        };
        let probed = question.probe.as_ref().is_some_and(Probe::is_built_in);
        let (exposed, news) = if probed && exposed != Some(false) {
            match prober.compare(question, derived_at) {
                Some(Ok(found)) => (derived_at.map(|_| found.is_delta()), found.note()),
                Some(Err(error)) => (None, Some(format!("the probe failed: {error}"))),
                None => (exposed, None),
            }
        } else {
            (exposed, None)
        };
        questions.push(BriefQuestion {
            is_due: probed || row.is_none_or(|row| is_due(question, row, exposed, now)),
            probed,
            news,
            q_id: question.id.clone(),
            q_version: question.version,
            q: question.text.clone(),
            importance: question.importance.0,
            status: question.status,
            evidence_hint: question.evidence_hint.clone(),
            staleness: row
                .filter(|row| row.last_sid.is_some())
                .map(|row| row.staleness),
            flagged: row.is_some_and(|row| row.flagged),
            exposed,
            answered_at: row.and_then(|row| row.last_commit.clone()),
            is_certain: survey.unknown.is_empty(),
        });
    }
    questions.sort_by_key(|question| {
        let stale = question.staleness.unwrap_or(usize::MAX);
        (Reverse(question.importance), Reverse(stale))
    });
    Ok(questions)
}

/// Whether a question is due in this session; one that was never derived always is.
fn is_due(question: &Question, row: &Staleness, exposed: Option<bool>, now: Timestamp) -> bool {
    let last = row.last_rederived_ts.as_ref();
    let Some(last) = last.and_then(|last| last.parse::<Timestamp>().ok()) else {
        return true;
    };
    match &question.trigger {
        Trigger::EverySession => true,
        Trigger::OnChange => exposed != Some(false),
        Trigger::Sessions(sessions) => row.since >= *sessions as usize,
        Trigger::Every(length) => {
            duration(length).is_none_or(|length| now.duration_since(last) >= length)
        }
    }
}
