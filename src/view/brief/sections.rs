//! The sections of a brief, the most important first.

use jiff::Timestamp;

use super::state;
use crate::{
    entry::{clip, short_sid},
    metrics::{SessionInBrief, Standing},
    project::{Asked, Brief, SecondAsked, Since, StateReport},
    view::{
        Style, count, escape,
        state::{no_state, state_lines},
        tension::tension_line,
        words::ago,
        words::who,
    },
};

pub struct Section {
    pub title: String,
    /// Escaped and clipped; each may have several lines.
    pub items: Vec<String>,
    pub more: usize,
    pub command: String,
    /// Characters of the section at most.
    pub most: usize,
}

/// Characters of a line at most.
pub const LINE: usize = 240;
const QUESTION: usize = 400;
/// Characters of a line of a state at most: a handover has 500 as people count them, and each may be several here.
pub const STATE_LINE: usize = 1_100;
/// Characters of a state at most.
pub const STATE: usize = 1_500;
const FILES: usize = 6;
const WARNINGS: usize = 800;
const MOVED: usize = 800;

/// In the order in which they are written; later ones are dropped first if there is no room.
pub fn sections(brief: &Brief, style: Style) -> Vec<Section> {
    let now = brief.now;
    let mut states = brief.states.iter();
    let (stopped, none) = match (states.next(), &brief.old_state) {
        (Some(state), _) => (state_items(state, now), Vec::new()),
        (None, Some(old)) => {
            (vec![format!("a state of {}: git sq state", ago(old, now))], Vec::new())
        }
        (None, None) => (Vec::new(), vec![line(&no_state(brief.agent.as_deref()), LINE)]),
    };
    let state = |items| Section {
        most: STATE,
        ..section("Where the last session stopped", items, "git sq state show")
    };
    let before = states.flat_map(|state| state_items(state, now)).collect();
    let since = brief.since.as_ref();
    let sections = [
        section(
            "Second look: answer again, without seeing the recorded answer",
            brief.second.iter().map(|asked| second(asked, style)).collect(),
            "git sq verify --second",
        ),
        state(stopped),
        Section { most: WARNINGS, ..section("Warnings", warnings(brief), "git sq check") },
        Section {
            more: since.map_or(0, |since| since.files.len().saturating_sub(FILES)),
            most: MOVED,
            ..section(
                "What changed",
                since.map(moved).unwrap_or_default(),
                &since.map_or(String::new(), |since| {
                    format!("git diff --stat {} HEAD", &since.commit[..10])
                }),
            )
        },
        questions(brief, 3, style),
        probed(brief, style),
        state(none),
        questions(brief, 2, style),
        questions(brief, 1, style),
        section(
            "Top tensions",
            brief.tensions.iter().map(|row| line(&tension_line(row), LINE)).collect(),
            "git sq tension list",
        ),
        section(
            "Deltas of the last two sessions",
            brief.latest.iter().flat_map(|session| deltas(session, now)).collect(),
            "git sq log --deltas",
        ),
        section("Where the session before stopped", before, "git sq state show"),
        section("Not due in this session", not_due(brief), "git sq brief --all"),
    ];
    sections.into_iter().filter(|section| !section.items.is_empty()).collect()
}

fn section(title: &str, items: Vec<String>, command: &str) -> Section {
    Section { title: title.into(), items, more: 0, command: command.into(), most: usize::MAX }
}

pub(super) fn line(text: &str, most: usize) -> String {
    clip(&escape(text), most)
}

fn questions(brief: &Brief, importance: u8, style: Style) -> Section {
    let asked = brief.questions.iter().filter(|question| {
        question.importance == importance && question.is_due && !question.probed
    });
    section(
        &format!("Questions of importance {importance}"),
        asked.map(|question| question_item(question, style)).collect(),
        "git sq question list",
    )
}

fn probed(brief: &Brief, style: Style) -> Section {
    let probed = brief.questions.iter().filter(|question| question.probed);
    let (new, same): (Vec<_>, Vec<_>) = probed.partition(|question| question.news.is_some());
    let new = new.into_iter().map(|question| {
        let name = style.name(&format!("{:<5}", question.name()));
        let news = question.news.as_deref().unwrap_or_default();
        let news = question
            .standing
            .map_or_else(|| news.to_owned(), |standing| format!("{}: {news}", standing.word()));
        let text = line(&question.q, QUESTION);
        format!("{name} {text}\n      {}", line(&news, LINE))
    });
    let same = Standing::ALL.into_iter().filter_map(|standing| {
        let names: Vec<String> = same
            .iter()
            .filter(|question| question.standing == Some(standing))
            .map(|question| question.name())
            .collect();
        let text = format!("{}: {}", standing.word(), names.join(", "));
        (!names.is_empty()).then(|| line(&text, LINE))
    });
    section("Answered by the tool", new.chain(same).collect(), "git sq facts")
}

fn second(asked: &SecondAsked, style: Style) -> String {
    let name = style.name(&format!("{:<5}", asked.question));
    let (text, commit) = (line(&asked.q, QUESTION), &asked.commit[..10]);
    let SecondAsked { entry, question, .. } = asked;
    let how = format!(
        "read `git show {commit}:PATH`, then git sq record --second {entry} '{question}=the answer' --cite {question}=path:3-5"
    );
    format!("{name} {text}\n      {}", line(&how, LINE))
}

fn not_due(brief: &Brief) -> Vec<String> {
    let waiting: Vec<&Asked> =
        brief.questions.iter().filter(|question| !question.is_due && !question.probed).collect();
    let names = |is_it: &dyn Fn(&Asked) -> bool| {
        let chosen = waiting.iter().filter(|question| is_it(question));
        let names: Vec<String> = chosen.map(|question| question.name()).collect();
        (names.len(), names.join(", "))
    };
    let answered = names(&|question| question.is_answered);
    let rotated = names(&|question| question.due_within.is_some());
    let others = names(&|question| !question.is_answered && question.due_within.is_none());
    let most = waiting.iter().filter_map(|question| question.due_within).max();
    let within = count(most.unwrap_or_default(), "session");
    let be = if rotated.0 == 1 { "is" } else { "are" };
    let lines = [
        (answered.0, format!("already answered in this session: {}", answered.1)),
        (rotated.0, format!("{} more {be} due within {within}: {}", rotated.0, rotated.1)),
        (others.0, others.1),
    ];
    lines.iter().filter(|(number, _)| *number > 0).map(|(_, text)| line(text, LINE)).collect()
}

pub(super) fn question_item(question: &Asked, style: Style) -> String {
    let name = style.name(&format!("{:<5}", question.name()));
    let text = line(&question.q, QUESTION);
    let state = Some(state(question)).filter(|state| !state.is_empty());
    let state = state.map_or(String::new(), |state| format!("  [{}]", line(&state, LINE)));
    let state = match question.standing {
        Some(Standing::Fails | Standing::Stale) => style.error(&state),
        _ => style.dim(&state),
    };
    let hint = question.evidence_hint.as_ref().map(|hint| {
        let hint = format!("look at: {}", line(hint, LINE));
        format!("\n      {}", style.dim(&hint))
    });
    let how = how(question).map(|how| format!("\n      {}", style.dim(&line(&how, LINE))));
    let more: String = hint.into_iter().chain(how).collect();
    format!("{name} {text}{state}{more}")
}

/// Says how a question wants to be answered, if that is not just a text.
fn how(question: &Asked) -> Option<String> {
    let answer = question.answer.as_ref();
    let answer = answer.map(|answer| format!("answer: {answer}"));
    let needs_cite = match (question.exposed, question.needs_cite()) {
        (Some(true), _) => Some("cite the lines that show it now"),
        (_, true) => Some("cite the lines that show it"),
        _ => None,
    };
    let needs_cite = needs_cite.map(str::to_owned);
    let watch = Some(question.watch.join(", ")).filter(|watch| !watch.is_empty());
    let watch = watch.map(|watch| format!("watches {watch}"));
    let parts: Vec<String> = answer.into_iter().chain(needs_cite).chain(watch).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn state_items(state: &StateReport, now: Timestamp) -> Vec<String> {
    state_lines(state, now).into_iter().map(|text| line(&text, STATE_LINE)).collect()
}

fn warnings(brief: &Brief) -> Vec<String> {
    let unknown = brief.unknown.iter().map(|text| format!("unknown: {text}"));
    brief.warnings.iter().cloned().chain(unknown).map(|text| line(&text, LINE)).collect()
}

pub(super) fn moved(since: &Since) -> Vec<String> {
    let moved = match (since.commits, since.files.len()) {
        (0, 0) => "no commits".into(),
        (commits, files) => {
            let files = count(files, "changed file");
            format!("{}, {files}", count(commits, "commit"))
        }
    };
    let first = format!("since {}: {moved}", short_sid(&since.sid));
    let files = since.files.iter().take(FILES).map(|file| line(&format!("  {file}"), LINE));
    std::iter::once(line(&first, LINE)).chain(files).collect()
}

fn deltas(session: &SessionInBrief, now: Timestamp) -> Vec<String> {
    let when = ago(&session.ts, now);
    let who = who(&when, session.agent.as_deref(), session.by.as_ref());
    // The answers themselves are left out: an agent would copy them.
    let names: Vec<&str> = session.deltas.iter().map(|delta| delta.q_id.as_str()).collect();
    let deltas = match names.as_slice() {
        [] => "no delta".to_owned(),
        names => format!("\u{25b2} {}", names.join(", ")),
    };
    let text = format!("{} ({who}): {deltas}", short_sid(&session.sid));
    vec![line(&text, LINE)]
}
