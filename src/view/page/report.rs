//! The page of one repository, for people who answer for it.

use super::{
    CommitUrl, Html, Tone, card::card, chip, code, frame, grid::grid, quoted, same_as, section,
    table, tag, verdict,
};
use crate::{
    entry::{clip, short_sid, word},
    finding::{Finding, Rule, Severity},
    metrics::{Drift, Standing},
    project::Report,
    proof::Proved,
    question,
    view::{
        check::verdict_words, count, session::figures, short_tension_id, state::refused_text,
        words::who,
    },
};

const FINDINGS: usize = 4;
const WAITING: usize = 12;
const TEXT: usize = 500;

pub fn report_page(report: &Report, commits: &CommitUrl) -> String {
    let survey = &report.facts.survey;
    let cards = report.cards.iter().enumerate();
    let cards = cards.map(|(place, question)| card(place, question, commits));
    let answers = if survey.sessions == 0 {
        let is_certain = survey.unknown.is_empty();
        let none =
            if is_certain { "No session has answered yet." } else { "No session is known here." };
        tag("p").with(none)
    } else {
        grid(survey, &report.cards)
    };
    let body: [Html; 9] = [
        top(report),
        section("Answers", [answers, same_as("git sq check")]),
        section("Questions", cards.collect::<Html>()),
        waiting(report, commits),
        states(report),
        tensions(report),
        answerers(report),
        proofs(&report.proofs),
        tag("footer").with([
            "At ".into(),
            quoted(&report.place),
            format!(", with entries up to {}. ", day(&report.as_of.to_string())).into(),
            left_out(report.left_out).into(),
            "This page was made by ".into(),
            code("git sq report"),
            "; it contains no scripts, and loads nothing.".into(),
        ]),
    ];
    frame(&format!("{}: git sq", report.name), body)
}

fn left_out(number: usize) -> String {
    match number {
        0 => String::new(),
        1 => "1 state or tension that is not published is left out. ".to_owned(),
        more => format!("{more} states and tensions that are not published are left out. "),
    }
}

fn day(ts: &str) -> &str {
    ts.get(..10).unwrap_or(ts)
}

fn top(report: &Report) -> Html {
    let findings = report.facts.findings();
    let unknown = &report.facts.survey.unknown;
    let (severity, words) =
        verdict_words(&findings, &report.facts.survey.standings, unknown.is_empty(), None);
    let tone = match severity {
        Some(Severity::Error) => Tone::Error,
        Some(Severity::Warning) => Tone::Warning,
        None => Tone::Good,
    };
    let mut words = words.chars();
    let first = words.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let sentence = first + words.as_str();
    let unknown = unknown.iter().map(|why| -> Html {
        tag("li").with([chip(Tone::Plain, "unknown"), " ".into(), quoted(why)])
    });
    let items: Vec<Html> = groups(&findings).chain(unknown).collect();
    let more = items.len().saturating_sub(FINDINGS);
    let mut items = items.into_iter();
    let shown: Html = items.by_ref().take(FINDINGS).collect();
    let rest = match more {
        0 => Html::default(),
        more => tag("details").with([
            tag("summary").with(format!("{more} more")),
            tag("ul").class("findings").with(items.collect::<Html>()),
        ]),
    };
    let title = [quoted(&report.name), " · ".into(), quoted(&report.place)];
    let next = if shown.is_empty() {
        let needs = if report.drifts.is_empty() { "Nothing needs" } else { "Only drifts need" };
        tag("p").class("quiet").with(format!("{needs} a person."))
    } else {
        [tag("ul").class("findings").with(shown), rest].into()
    };
    verdict(title, tone, sentence.as_str(), next)
}

/// Findings in a row with the same help name it once.
fn groups(findings: &[Finding<Rule>]) -> impl Iterator<Item = Html> {
    findings.chunk_by(|finding, next| finding.help == next.help).map(|group| {
        let (tone, label) = match group[0].severity {
            Severity::Error => (Tone::Error, "error"),
            Severity::Warning => (Tone::Warning, "warning"),
        };
        let messages = group
            .iter()
            .take(FINDINGS)
            .map(|finding| -> Html { tag("div").with(quoted(&clip(&finding.message, TEXT))) });
        let more = group.len().saturating_sub(FINDINGS);
        let more = match more {
            0 => Html::default(),
            more => tag("div").with(format!("and {more} more like these")),
        };
        tag("li").with([
            chip(tone, label),
            messages.collect(),
            more,
            tag("div").class("quiet").with(quoted(&group[0].help)),
        ])
    })
}

/// The section of things that only a person, or another session, can close.
fn waiting(report: &Report, commits: &CommitUrl) -> Html {
    let survey = &report.facts.survey;
    let drifts = report.drifts.iter().map(|drift| drift_row(drift, commits));
    let open = survey.second.open.iter().filter(|look| look.is_disputed());
    let disputes = open.map(|look| {
        let name = question::name(&look.q_id, look.q_version);
        vec![
            quoted(&name),
            "disputed".into(),
            format!("{} found another answer", count(look.differ, "session")).into(),
            commits.link(&look.commit),
        ]
    });
    let failures = survey.standings.that_are(Standing::Fails).map(|at_tip| {
        let found = at_tip.found.as_deref().unwrap_or_default();
        let expected = at_tip.expected.as_deref().unwrap_or_default();
        vec![
            quoted(&at_tip.question),
            at_tip.standing.word().into(),
            quoted(&clip(&format!("{found}, expected {expected}"), TEXT)),
            commits.link(&at_tip.answered_at(&survey.tip)),
        ]
    });
    let mut rows: Vec<Vec<Html>> = failures.chain(disputes).chain(drifts).collect();
    if rows.is_empty() {
        return Html::default();
    }
    let more = rows.len().saturating_sub(WAITING);
    rows.truncate(WAITING);
    let more = match more {
        0 => Html::default(),
        more => tag("p").class("quiet").with(format!("and {more} more")),
    };
    let columns = ["question", "what", "how", "at"];
    let table = table("Failing expectations, disputes and drifts", &columns, rows);
    section("Waiting for a person", [table, more, same_as("git sq triage")])
}

fn drift_row(drift: &Drift, commits: &CommitUrl) -> Vec<Html> {
    let what = match drift.severity {
        question::Severity::Blocking => chip(Tone::Error, "drift, blocking"),
        question::Severity::Informational => "drift".into(),
    };
    let who = who(day(&drift.ts), drift.agent.as_deref(), drift.by.as_ref());
    let how = format!("{} ({who})", clip(&drift.words(), TEXT));
    vec![quoted(&drift.name()), what, quoted(&how), commits.link(&drift.commit)]
}

fn states(report: &Report) -> Html {
    let ended = report.without_state.iter().map(|row| {
        let who = who(day(row.ts.as_str()), row.agent.as_deref(), None);
        let figures = row.end.as_ref().map(figures).unwrap_or_default();
        tag("li").with(quoted(&format!("{} ({who}): {figures}", short_sid(&row.sid))))
    });
    let refused = report.refused.iter().map(|refused| {
        tag("li").with(quoted(&format!("refused state: {}", refused_text(refused))))
    });
    let others: Vec<Html> = ended.chain(refused).collect();
    if report.states.is_empty() && others.is_empty() {
        return Html::default();
    }
    let others = Some(others).filter(|others| !others.is_empty()).map(|others| {
        let list: Html = others.into_iter().collect();
        [tag("h3").with("Not handed over"), tag("ul").with(list)].into()
    });
    let blocks = report.states.iter().map(|state| {
        let who = who(day(&state.ts), state.agent.as_deref(), None);
        let title = format!("{} ({who})", short_sid(&state.sid));
        let single = [state.handover.clone(), state.status.clone()];
        let fields = [
            ("handover", &single[..1]),
            ("status", &single[1..]),
            ("next", &state.next),
            ("blocked", &state.blocked),
            ("doing", &state.doing),
            ("done", &state.done),
        ];
        let rows = fields.into_iter().flat_map(|(name, texts)| {
            let texts: Vec<&String> = texts.iter().filter(|text| !text.is_empty()).collect();
            let name = (!texts.is_empty()).then(|| tag("dt").with(name));
            let texts = texts.into_iter();
            name.into_iter().chain(texts.map(|text| tag("dd").with(quoted(&clip(text, TEXT)))))
        });
        [tag("h3").with(quoted(&title)), tag("dl").with(rows.collect::<Html>())].into()
    });
    let blocks: Html = blocks.chain(others).collect();
    section("Where the last sessions stopped", [blocks, same_as("git sq state")])
}

fn tensions(report: &Report) -> Html {
    if report.tensions.is_empty() {
        return Html::default();
    }
    let rows = report.tensions.iter().map(|row| {
        vec![
            quoted(&short_tension_id(&row.id)),
            quoted(&clip(&row.topic, TEXT)),
            word(&row.tension_type).into(),
            format!("{:.2}", row.score).into(),
            day(&row.opened).into(),
        ]
    });
    let columns = ["id", "question", "type", "#score", "opened"];
    let table = table("Open tensions, the highest score first", &columns, rows);
    section("Open tensions", [table, same_as("git sq tension list")])
}

fn answerers(report: &Report) -> Html {
    if report.answerers.is_empty() {
        return Html::default();
    }
    let rows = report.answerers.iter().map(|answerer| {
        let by = answerer.by.as_ref().map_or("", |person| person.name.as_str());
        vec![
            quoted(if by.is_empty() { "unknown" } else { by }),
            quoted(answerer.agent.as_deref().unwrap_or("–")),
            answerer.sessions.to_string().into(),
            answerer.answers.to_string().into(),
            answerer.deltas.to_string().into(),
            day(&answerer.last).into(),
        ]
    });
    let columns = ["person", "agent", "#sessions", "#answers", "#deltas", "last"];
    let table = table("Sessions by person and agent", &columns, rows);
    section("Who answered", [table, same_as("git sq log")])
}

fn proofs(proofs: &[Proved]) -> Html {
    let rows = proofs.iter().map(|proved| {
        let (tone, label) = match (proved.fails.as_slice(), proved.cant_tell.as_slice()) {
            ([], []) if proved.of == 0 => (Tone::Plain, "nothing to look at".to_owned()),
            ([], []) => (Tone::Good, "holds".to_owned()),
            ([], _) => (Tone::Plain, "can't tell".to_owned()),
            (fails, _) => (Tone::Error, format!("{} fail", fails.len())),
        };
        let why = proved.fails.first().or(proved.cant_tell.first());
        let why = why.map_or(Html::default(), |why| {
            tag("div").class("quiet").with(quoted(&clip(why, TEXT)))
        });
        vec![
            word(&proved.proof).into(),
            [chip(tone, &label), why].into(),
            format!("{} of {} {}", proved.holds, proved.of, proved.what).into(),
            proved.cannot_show.into(),
        ]
    });
    let columns = ["proof", "verdict", "holds", "cannot show"];
    let table = table("What the log proves about itself", &columns, rows);
    section("The log", [table, same_as("git sq verify --log")])
}
