//! The last sessions, and what each did with each question.

use super::{Html, Tone, chip, id_of_card, quoted, tag};
use crate::{
    entry::{clip, short_sid},
    metrics::{Mark, Standing, Survey, Verdict},
    project::Card,
    view::{
        style::{MARKS, marked},
        words::who,
    },
};

fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Same => "mark same",
        Mark::Delta => "mark delta",
        Mark::Flagged | Mark::Disputed => "mark bad",
        Mark::None | Mark::Unasked => "mark none",
    }
}

pub fn standing_chip(standing: Standing) -> Html {
    let tone = match standing {
        Standing::Holds | Standing::Fresh => Tone::Good,
        Standing::NeverAnswered | Standing::Unknown | Standing::NotRun => Tone::Plain,
        Standing::Outdated | Standing::Disputed | Standing::Unstable => Tone::Warning,
        Standing::Stale | Standing::Fails => Tone::Error,
    };
    chip(tone, standing.word())
}

/// Characters of a tooltip at most.
const TOOLTIP: usize = 120;

/// The newest sessions, as many as have a place beside the questions on a wide screen.
const SESSIONS: usize = 40;

/// `session s12 (2026-01-05, claude, Ada Example)`.
fn session(verdict: &Verdict) -> String {
    let day = verdict.ts.get(..10).unwrap_or(&verdict.ts);
    let who = who(day, verdict.agent.as_deref(), verdict.by.as_ref());
    clip(&format!("session {} ({who})", short_sid(&verdict.sid)), TOOLTIP)
}

fn newest<T>(all: &[T]) -> &[T] {
    &all[all.len().saturating_sub(SESSIONS)..]
}

pub fn grid(survey: &Survey, cards: &[Card]) -> Html {
    let verdicts = newest(&survey.quiet.verdicts);
    let sessions: Vec<String> = verdicts.iter().map(session).collect();
    let head = |(ago, session): (usize, &String)| {
        tag("th").attr("scope", "col").class("mark").title(session).with(ago.to_string())
    };
    let mut heads: Vec<Html> = sessions.iter().rev().enumerate().map(head).collect();
    heads.reverse();
    let name = || tag("th").attr("scope", "col");
    let names =
        [name().with("question"), name().class("asks").with("text"), name().with("standing")];
    let rows = cards.iter().enumerate().map(|(place, card)| {
        let name = &card.at_tip.question;
        let sids = verdicts.iter().map(|verdict| short_sid(&verdict.sid));
        let recent = newest(card.row.as_ref().map_or(&[][..], |row| &row.recent));
        let cells = recent.iter().zip(sids).map(|(&mark, sid)| {
            let (_, [sign, _], word) = marked(mark);
            let cell = tag("td").class(class(mark));
            if matches!(mark, Mark::None | Mark::Unasked) {
                return cell.with(sign);
            }
            let tooltip = format!("{name}: {word}, {sid}");
            cell.title(&clip(&tooltip, TOOLTIP)).with(sign)
        });
        let link = tag("a").attr("href", format!("#{}", id_of_card(place))).with(quoted(name));
        let head = [
            tag("th").attr("scope", "row").with(link),
            tag("td").class("asks").with(quoted(&card.question.text)),
            tag("td").with(standing_chip(card.at_tip.standing)),
        ];
        tag("tr").with(head.into_iter().chain(cells).collect::<Html>())
    });
    let rows: Html = rows.collect();
    let caption = format!(
        "The last {} of {} sessions, the newest on the right; the numbers count back from it",
        sessions.len(),
        survey.sessions
    );
    let table = tag("table").class("grid").with([
        tag("thead").with(tag("tr").with(names.into_iter().chain(heads).collect::<Html>())),
        tag("tbody").with(rows),
    ]);
    let legend = MARKS.iter().map(|(mark, [sign, _], word)| -> Html {
        let sign = tag("span").class(class(*mark)).with(*sign);
        tag("li").with([sign, " ".into(), (*word).into()])
    });
    // A caption would scroll away with the table.
    let above = tag("p").class("above").with(caption.as_str());
    let wide = tag("div")
        .class("wide end")
        .attr("role", "region")
        .attr("aria-label", caption)
        .attr("tabindex", 0);
    [above, wide.with(table), tag("ul").class("legend").with(legend.collect::<Html>())].into()
}
