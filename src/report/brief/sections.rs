//! The blocks of a brief, each with what it matters and what to say when it is left out.

use jiff::Timestamp;

use super::{Brief, GROUPS, Question, delta_lines, shown_files, since_line};
use crate::report::{
    Form, Section, Style,
    age::ago,
    count, escape, fence,
    state::{no_state, state_lines},
    tension::tension_line,
};

/// For whom the brief is.
#[derive(Clone, Copy)]
pub enum Look {
    Text(Style),
    Markdown,
}

/// The blocks in the order in which they are shown. What ranks first is kept longest.
pub fn sections(brief: &Brief, now: Timestamp, look: Look) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    for ((importance, title), rank) in GROUPS.into_iter().zip([0, 2, 3]) {
        sections.extend(questions(brief, importance, title, rank, look));
    }
    sections.extend(states(brief, now, look));
    sections.extend(tensions(brief, look));
    sections.extend(since(brief, look));
    sections.extend(deltas(brief, now, look));
    sections.extend(mind(brief, look));
    sections
}

/// One group of questions.
fn questions<'b>(
    brief: &'b Brief,
    importance: u8,
    title: &'static str,
    rank: u8,
    look: Look,
) -> Option<Section<'b>> {
    let group: Vec<&Question> = brief
        .questions
        .iter()
        .filter(|question| question.importance == importance)
        .collect();
    if group.is_empty() {
        return None;
    }
    let title = format!("{title} (importance {importance})");
    Some(Section {
        rank,
        parts: group.len(),
        later: None,
        left_out: Box::new(|number| {
            format!("{}: git sq question list", count(number, "more question"))
        }),
        text: Box::new(move |parts, form| match look {
            _ if parts == 0 => String::new(),
            Look::Text(style) => {
                let lines = group[..parts].iter().map(|q| question_text(q, form, style));
                format!("{}\n{}", style.dim(&title), lines.collect::<String>())
            }
            Look::Markdown => {
                let lines = group[..parts].iter().flat_map(|q| question_lines(q, form));
                block(&title, &lines.collect::<Vec<_>>())
            }
        }),
    })
}

fn question_text(question: &Question, form: Form, style: Style) -> String {
    let state = match question.state() {
        state if state.is_empty() => state,
        state => format!("  [{state}]"),
    };
    let state = if question.flagged {
        style.error(&state)
    } else {
        style.dim(&state)
    };
    let name = style.name(&format!("{:<5}", question.name()));
    let text = format!("  {name} {}{state}\n", escape(&form.clip(&question.q)));
    let hint = question.evidence_hint.as_ref().map(|hint| {
        let hint = format!("look at: {}", escape(&form.clip(hint)));
        format!("        {}\n", style.dim(&hint))
    });
    text + &hint.unwrap_or_default()
}

fn question_lines(question: &Question, form: Form) -> Vec<String> {
    let state = match question.state() {
        state if state.is_empty() => state,
        state => format!(" [{state}]"),
    };
    let mut lines = vec![format!(
        "{}: {}{state}",
        question.name(),
        form.clip(&question.q)
    )];
    let hint = question.evidence_hint.iter();
    lines.extend(hint.map(|hint| format!("    look at: {}", form.clip(hint))));
    lines
}

/// A handover is never shortened, but for one that no `state set` has written: it has 500 characters as people count
/// them, each of which may be several here.
const HANDOVER: usize = 3600;

/// Where the last sessions stopped: the last row matters more than the one before it.
fn states(brief: &Brief, now: Timestamp, look: Look) -> Vec<Section<'_>> {
    let title = "Where the last sessions stopped";
    if brief.states.is_empty() {
        let line = no_state(brief.agent.as_deref());
        return vec![lines(title, 1, vec![line], "git sq state show", look)];
    }
    let rows = (0..).zip(&brief.states);
    rows.map(|(number, row)| {
        let title = if number == 0 {
            title
        } else {
            "And before that"
        };
        let texts = state_lines(row, now);
        let rank = if number == 0 { 1 } else { 6 };
        let section = lines(title, rank, texts, "git sq state show", look);
        Section {
            // Who, the handover and the status; the lists come after what is asked.
            later: (number == 0).then_some((3, 5)),
            ..section
        }
    })
    .collect()
}

/// The open questions that pull most.
fn tensions(brief: &Brief, look: Look) -> Option<Section<'_>> {
    if brief.tensions.is_empty() {
        return None;
    }
    let title = "Open questions that pull most";
    let texts = brief.tensions.iter().map(tension_line).collect();
    Some(lines(title, 4, texts, "git sq tension list", look))
}

/// What moved since the last session.
fn since(brief: &Brief, look: Look) -> Option<Section<'_>> {
    let since = brief.since.as_ref()?;
    let mut texts = vec![since_line(since)];
    texts.extend(shown_files(since));
    let Look::Text(_) = look else {
        return Some(lines("What moved", 7, texts, "git diff --stat", look));
    };
    Some(Section {
        rank: 7,
        parts: texts.len(),
        later: None,
        left_out: Box::new(|number| format!("{}: git diff --stat", count(number, "line"))),
        text: Box::new(move |parts, form| {
            let lines = texts[..parts].iter().map(|line| escape(&form.clip(line)));
            let lines: Vec<String> = lines.collect();
            if lines.is_empty() {
                String::new()
            } else {
                format!("\n{}\n", lines.join("\n  "))
            }
        }),
    })
}

/// The deltas of the last two sessions.
fn deltas(brief: &Brief, now: Timestamp, look: Look) -> Option<Section<'_>> {
    let mut texts = Vec::new();
    for session in &brief.latest {
        let ago = ago(&session.ts, now);
        let (first, indent) = match look {
            Look::Text(_) => {
                let number = count(session.deltas.len(), "delta");
                (format!("{} ({ago}): {number}", session.sid), "  ")
            }
            Look::Markdown if session.deltas.is_empty() => continue,
            Look::Markdown => (format!("{} ({ago}):", session.sid), "    "),
        };
        texts.push(first);
        let deltas = delta_lines(session).into_iter();
        texts.extend(deltas.map(|line| format!("{indent}{line}")));
    }
    if texts.is_empty() {
        return None;
    }
    let Look::Text(_) = look else {
        let title = "Deltas of the last two sessions";
        return Some(lines(title, 8, texts, "git sq log --deltas", look));
    };
    Some(Section {
        rank: 8,
        parts: texts.len(),
        later: None,
        left_out: Box::new(|number| format!("{}: git sq log --deltas", count(number, "line"))),
        text: Box::new(move |parts, form| {
            let lines = texts[..parts].iter();
            lines.map(|line| escape(&form.clip(line)) + "\n").collect()
        }),
    })
}

/// Warnings, and what is unknown.
fn mind(brief: &Brief, look: Look) -> Option<Section<'_>> {
    let warnings = brief.warnings.iter().map(|text| ("warning:", text));
    let unknown = brief.unknown.iter().map(|text| ("unknown:", text));
    let texts: Vec<(&str, &String)> = warnings.chain(unknown).collect();
    if texts.is_empty() {
        return None;
    }
    Some(Section {
        rank: 4,
        parts: texts.len(),
        later: None,
        left_out: Box::new(|number| format!("{}: git sq check", count(number, "warning"))),
        text: Box::new(move |parts, form| match look {
            _ if parts == 0 => String::new(),
            Look::Text(style) => {
                let lines = texts[..parts].iter().map(|(name, text)| {
                    format!("{} {}\n", style.warning(name), escape(&form.clip(text)))
                });
                lines.collect()
            }
            Look::Markdown => {
                let lines = texts[..parts].iter().map(|(_, text)| form.clip(text));
                block("Mind", &lines.collect::<Vec<_>>())
            }
        }),
    })
}

/// A block of lines under a title; `command` shows all of it.
fn lines<'b>(
    title: &'static str,
    rank: u8,
    texts: Vec<String>,
    command: &'static str,
    look: Look,
) -> Section<'b> {
    Section {
        rank,
        parts: texts.len(),
        later: None,
        left_out: Box::new(move |number| {
            format!("{} of {title:?}: {command}", count(number, "line"))
        }),
        text: Box::new(move |parts, form| {
            let lines = texts[..parts].iter();
            let lines: Vec<String> = lines.map(|line| form.clip_to(line, HANDOVER)).collect();
            match look {
                _ if parts == 0 => String::new(),
                Look::Markdown => block(title, &lines),
                Look::Text(style) => {
                    let lines = lines.iter().map(|line| format!("  {}\n", escape(line)));
                    format!("\n{}\n{}", style.dim(title), lines.collect::<String>())
                }
            }
        }),
    }
}

/// A section of markdown whose lines are data.
fn block(title: &str, lines: &[String]) -> String {
    format!("\n## {title}\n\n{}", fence(lines))
}
