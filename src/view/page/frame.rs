//! Parts of all pages: the document around them, the verdict at its top, sections, and tables.

use sha2::{Digest as _, Sha256};

use super::{Html, code, tag};
use crate::entry::{TOOL, base64};

const STYLE: &str = include_str!("page.css");

/// The urgency with which something needs a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    Good,
    /// Not known, or nothing to judge.
    Plain,
    Warning,
    Error,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Plain => "plain",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A whole document. Its policy forbids everything but this one style.
pub fn frame(title: &str, body: impl Into<Html>) -> String {
    let policy =
        format!("default-src 'none'; style-src 'sha256-{}'", base64(&Sha256::digest(STYLE)));
    let meta = |name, content: &str| tag("meta").attr("name", name).attr("content", content);
    let head = tag("head").with([
        tag("meta").attr("charset", "utf-8").alone(),
        tag("meta").attr("http-equiv", "Content-Security-Policy").attr("content", policy).alone(),
        meta("viewport", "width=device-width, initial-scale=1").alone(),
        meta("color-scheme", "light dark").alone(),
        meta("generator", TOOL).alone(),
        tag("title").with(title),
        Html::style(STYLE),
    ]);
    let body = tag("body").with(tag("main").with(body));
    let html = tag("html").attr("lang", "en").with([head, body]);
    format!("<!doctype html>\n{}\n", html.into_string())
}

/// The top of a page: its name and place, the verdict in a sentence, and what to do next.
pub fn verdict(
    title: impl Into<Html>,
    tone: Tone,
    sentence: impl Into<Html>,
    next: impl Into<Html>,
) -> Html {
    tag("header").class(tone.class()).with([
        tag("h1").with(title),
        tag("p").class("verdict").with(sentence),
        next.into(),
    ])
}

/// A state in a word.
pub fn chip(tone: Tone, word: &str) -> Html {
    tag("span").attr("class", format!("chip {}", tone.class())).with(word)
}

/// The id of a card, which holds no text of the log.
pub fn id_of_card(place: usize) -> String {
    format!("card-{place}")
}

pub fn section(title: &str, inner: impl Into<Html>) -> Html {
    tag("section").with([tag("h2").with(title), inner.into()])
}

/// The command that prints the same.
pub fn same_as(command: &str) -> Html {
    tag("p").class("same").with(["In a terminal: ".into(), code(command)])
}

/// A table whose rows begin with their names. Columns of numbers have names that begin with `#`.
pub fn table(caption: &str, columns: &[&str], rows: impl IntoIterator<Item = Vec<Html>>) -> Html {
    let is_number = |place: usize| columns.get(place).is_some_and(|name| name.starts_with('#'));
    let cell = |name, place| {
        let cell = tag(name);
        if is_number(place) { cell.class("number") } else { cell }
    };
    let head = columns.iter().enumerate().map(|(place, name)| {
        cell("th", place).attr("scope", "col").with(name.trim_start_matches('#'))
    });
    let body = rows.into_iter().map(|cells| -> Html {
        let cells = cells.into_iter().enumerate().map(|(place, inner)| match place {
            0 => tag("th").attr("scope", "row").with(inner),
            _ => cell("td", place).with(inner),
        });
        tag("tr").with(cells.collect::<Html>())
    });
    let table = tag("table").with([
        tag("caption").with(caption),
        tag("thead").with(tag("tr").with(head.collect::<Html>())),
        tag("tbody").with(body.collect::<Html>()),
    ]);
    // Wide tables scroll by themselves, also with the keyboard.
    tag("div")
        .class("wide")
        .attr("role", "region")
        .attr("aria-label", caption)
        .attr("tabindex", 0)
        .with(table)
}
