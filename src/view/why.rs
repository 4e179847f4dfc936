use jiff::Timestamp;
use serde::Serialize;

use super::{
    Output, Style, asides, brief::DATA, cited_words, escape, fence, tension::short, words::ago,
};
use crate::{
    entry::short_sid,
    project::{Rest, RestKind},
};

#[derive(Debug, Serialize)]
pub struct Why {
    /// From the root of the repository.
    pub path: String,
    pub lines: Option<[u32; 2]>,
    /// Questions first, then answers, states and tensions.
    pub rests: Vec<Rest>,
    pub unknown: Vec<String>,
    #[serde(skip)]
    pub now: Timestamp,
}

impl Why {
    fn line(&self, rest: &Rest, style: Style) -> String {
        let cites = rest.cited.as_ref().map(cited_words).unwrap_or_default();
        let sid = short_sid(rest.sid.as_deref().unwrap_or_default());
        let when = rest.ts.as_deref().map(|ts| ago(ts, self.now)).unwrap_or_default();
        let (kind, name, how) = match rest.kind {
            RestKind::Watch => ("", rest.name.clone(), "watches it".to_owned()),
            RestKind::Probe => ("", rest.name.clone(), "reads it with its probe".to_owned()),
            RestKind::Answer => {
                let how = format!("was answered by {sid}, {when}: {cites}");
                ("", rest.name.clone(), how)
            }
            RestKind::State => {
                let how = format!("cites it in its state, {when}: {cites}");
                ("session ", sid.to_owned(), how)
            }
            RestKind::Tension => {
                let how = format!("was opened by {sid}, {when}: {cites}");
                ("tension ", short(&rest.name), how)
            }
        };
        let (name, how) = (style.name(&escape(&name)), escape(&how));
        let text = match &*rest.text {
            "" => String::new(),
            text => format!("    {}\n", style.fit(&escape(text), 4)),
        };
        format!("{kind}{name} {how}\n{text}")
    }
}

impl Why {
    /// For agents: what others wrote stands in a fenced block.
    pub fn markdown(&self) -> String {
        format!("{DATA}\n\n{}", fence(self.text(Style::default()).lines()))
    }
}

impl Output for Why {
    const SCHEMA: &'static str = "sq.why/v1";

    fn text(&self, style: Style) -> String {
        let lines: String = self.rests.iter().map(|rest| self.line(rest, style)).collect();
        let none = if lines.is_empty() {
            "No question watches this path, and no entry cites it.\n"
        } else {
            ""
        };
        lines + none + &asides(&[], &self.unknown, style)
    }
}
