//! A question: the answer that counts, what it rests on, and its history.

use super::{
    CommitUrl, Html, Tone, block, chip, code, grid::standing_chip, id_of_card, quoted, table, tag,
};
use crate::{
    entry::clip,
    evidence::traced_text,
    git::CitedFate,
    metrics::Source,
    project::{Card, Quote},
    view::{cited_words, count, words::who},
};

/// Characters of an answer, and of a line, that are shown at most.
const ANSWER: usize = 2000;
const LINE: usize = 200;
/// Lines of a citation, and changes of a traced answer, that are shown at most.
const LINES: usize = 12;
const CHANGES: usize = 6;

pub fn card(place: usize, card: &Card, commits: &CommitUrl) -> Html {
    let standing = card.at_tip.standing;
    let needs_help = !standing.is_good() && !standing.is_unanswered();
    let summary = tag("summary").with([
        tag("b").with(quoted(&card.at_tip.question)),
        " ".into(),
        quoted(&card.question.text),
        " ".into(),
        standing_chip(standing),
    ]);
    let details = tag("details").class("card");
    let details = if needs_help { details.attr("open", "") } else { details };
    details.with([
        summary,
        facts(place, card, commits),
        quotes(card),
        history(card, commits),
        super::same_as(&format!("git sq show {}", card.at_tip.question)),
    ])
}

fn facts(place: usize, card: &Card, commits: &CommitUrl) -> Html {
    let mut rows: Vec<(&str, Html)> = Vec::new();
    match &card.answer {
        Some(answer) => {
            let text = clip(&answer.text, ANSWER);
            let is_one_line = text.lines().nth(1).is_none();
            let text = if is_one_line { quoted(&text) } else { block(&text) };
            rows.push(("answer", text));
            let day = answer.ts.get(..10).unwrap_or(&answer.ts);
            let who = who(day, answer.agent.as_deref(), answer.by.as_ref());
            let mark = if answer.is_published {
                Html::default()
            } else {
                [" ".into(), chip(Tone::Plain, "not published")].into()
            };
            let at = [quoted(&who), " at ".into(), commits.link(&answer.commit), mark];
            rows.push(("answered", at.into()));
        }
        None if card.at_tip.source == Source::Files => {}
        None => rows.push(("answer", "none counts".into())),
    }
    if let Some((found, expected)) = card.at_tip.found.as_ref().zip(card.at_tip.expected.as_ref()) {
        rows.push(("found", quoted(found)));
        rows.push(("expected", quoted(expected)));
    }
    if let Some(row) = &card.row {
        let missed = count(row.staleness, "session");
        let missed = format!("for {missed}, the limit is {}", row.limit);
        rows.push(("unanswered", missed.into()));
    }
    if let Some(changed) = &card.at_tip.changed {
        rows.push(("changed", quoted(changed)));
    }
    let watched = card.question.watch.join(" ");
    if !watched.is_empty() {
        rows.push(("watches", code(&clip(&watched, LINE))));
    }
    let rows =
        rows.into_iter().flat_map(|(name, inner)| [tag("dt").with(name), tag("dd").with(inner)]);
    // A link to what is inside a closed card opens it.
    tag("dl").attr("id", id_of_card(place)).with(rows.collect::<Html>())
}

/// The cited lines as they were and, where they changed, as they are now.
fn quotes(card: &Card) -> Html {
    let Some(answer) = card.answer.as_ref().filter(|answer| !answer.cites.is_empty()) else {
        return Html::default();
    };
    let rows = answer.cites.iter().map(|quote| {
        vec![
            quoted(&cited_words(&quote.row)),
            quote.then.as_deref().map_or("unknown".into(), lines),
            now(quote),
        ]
    });
    let caption = format!("Cited lines of {}", card.at_tip.question);
    table(&caption, &["place", "then", "now"], rows)
}

fn now(quote: &Quote) -> Html {
    match (quote.row.fate, &quote.now) {
        (Some(CitedFate::Stands), _) => "the same".into(),
        (Some(CitedFate::Gone), _) => "missing".into(),
        (_, Some(text)) => lines(text),
        _ => "unknown".into(),
    }
}

fn lines(text: &str) -> Html {
    let all = text.lines().count();
    let line = |line: &str| clip(&line.trim_end_matches('\r').replace('\t', "    "), LINE);
    let mut shown: Vec<String> = text.lines().take(LINES).map(line).collect();
    if all > LINES {
        shown.push(format!("… {} more", all - LINES));
    }
    block(&shown.join("\n"))
}

fn history(card: &Card, commits: &CommitUrl) -> Html {
    let Some(trace) = card.trace.as_ref().filter(|trace| trace.changes.len() > 1) else {
        return Html::default();
    };
    let rows = trace.changes.iter().rev().take(CHANGES).map(|change| {
        let says = traced_text(change.before.as_ref(), &change.now, &change.parts);
        vec![
            change.committed.to_string()[..10].into(),
            commits.link(&change.commit.to_string()),
            quoted(&change.author),
            quoted(&clip(&says, LINE)),
        ]
    });
    let caption = format!(
        "What the probe finds, {} in all, the newest first",
        count(trace.changes.len(), "change")
    );
    [tag("h3").with("History"), table(&caption, &["date", "commit", "author", "answer"], rows)]
        .into()
}
