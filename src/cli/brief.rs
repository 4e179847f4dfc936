//! `git sq brief`: what a session has to re-derive now.

use std::{
    cmp::Reverse,
    collections::{HashMap, hash_map::Entry},
};

use clap::{Args, ValueEnum};

use super::{
    CommandResult, Context, Failure, Outcome,
    state::{SHOWN, last_states},
    tension,
    view::View,
};
use crate::{
    evidence::Cites,
    git::{Changes, Oid, Pathspecs},
    metrics::Survey,
    report::{self, Brief, BriefQuestion, brief_markdown, brief_text},
};

/// Show what this session has to re-derive, and what moved since the last one
///
/// Old answers are not shown, but for the deltas of the last two sessions: derive first, then compare with
/// `git sq show`. The questions for every session come first, then where this agent's last session stopped, the other
/// questions, the three open questions that pull most, and what moved. As text and as markdown, a brief stays under
/// 8,000 characters, and says what it left out.
#[derive(Args)]
pub struct BriefArgs {
    /// How to print; markdown is for agents
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: BriefFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BriefFormat {
    Text,
    Markdown,
    Json,
}

impl BriefArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let view = View::open(context, None)?;
        let survey = view.survey(context)?;
        let events = view.event_log(context)?;
        let agent = context.agent_name()?;
        let mut cites = Cites::new(&view.repo, view.tip, &view.tips, |id| events.has(id));
        let states = last_states(&view.repo, view.tip, &events, &mut cites, agent, SHOWN)?;
        let brief = Brief {
            tip: view.tip.to_string(),
            branch: view.head.branch.clone(),
            questions: questions(&view, &survey)?,
            since: view.since(&survey)?,
            latest: survey.latest.clone(),
            states,
            agent: agent.map(str::to_owned),
            tensions: tension::for_brief(context, &view, &events),
            warnings: view.store_warning().into_iter().collect(),
            unknown: survey.unknown.clone(),
        };
        let place = view.place();
        context.print(&match self.format {
            BriefFormat::Json => report::json("sq.brief/v1", &brief),
            BriefFormat::Markdown => brief_markdown(&brief, &place, context.now),
            BriefFormat::Text => {
                let style = context.style(Some(&view.repo));
                brief_text(&brief, &place, context.now, style)
            }
        });
        Ok(Outcome::Clean)
    }
}

/// The questions that are asked, the most important first, among those the stalest.
fn questions(view: &View, survey: &Survey) -> Result<Vec<BriefQuestion>, Failure> {
    let mut changes: HashMap<Oid, Changes> = HashMap::new();
    let mut questions = Vec::new();
    for question in &view.store.set.questions {
        if !question.status.is_asked() {
            continue;
        }
        let mut rows = survey.staleness.iter();
        let row = rows.find(|row| row.q_id == question.id && row.q_version == question.version);
        let derived_at = row.and_then(|row| row.last_commit.as_ref()?.parse().ok());
        let exposed = match (derived_at, Pathspecs::parse(question.dependencies())) {
            (Some(commit), Ok(mut specs)) if !question.dependencies().is_empty() => {
                let changes = match changes.entry(commit) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(view.repo.changes(commit, view.tip)?),
                };
                Some(specs.match_any(changes))
            }
            _ => None,
        };
        questions.push(BriefQuestion {
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
        });
    }
    questions.sort_by_key(|question| {
        let stale = question.staleness.unwrap_or(usize::MAX);
        (Reverse(question.importance), Reverse(stale))
    });
    Ok(questions)
}
