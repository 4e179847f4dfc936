use std::iter::once;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    Dates, Style, alert_text, cited_words, entries, escape, fate_words, joined, session::figures,
    tension::short as short_id,
};
use crate::{
    entry::{
        Answer, Body, Citation, Event, Kind, Person, SecondLook, State, Text, Transcript, one_line,
        short_sid, value_text, word,
    },
    evidence::CitedRow,
    git::{Mailmap, Oid},
    project::Drifts,
    question::{self, QuestionSet},
    store::{Held, Row},
};

/// The entries as JSON.
#[derive(Serialize, JsonSchema)]
pub struct LogDocument {
    /// Newest first.
    pub entries: Vec<LogEntry>,
    /// Why the list may be incomplete.
    pub unknown: Vec<String>,
}

impl LogDocument {
    pub const SCHEMA: &'static str = "sq.log/v1";
    /// That of one entry on a line of its own.
    pub const LINES: &'static str = "sq.log.entry/v1";
}

/// One entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LogEntry {
    /// The commit that the note is on.
    pub commit: String,
    /// The commit that the entry names.
    pub head: String,
    pub id: Option<String>,
    pub kind: Kind,
    pub sid: String,
    pub ts: String,
    pub agent: Option<String>,
    /// The git identity of its author, mapped by `.mailmap`.
    pub by: Option<Person>,
    pub writer: Option<String>,
    pub branch: Option<String>,
    pub dirty: bool,
    pub imported: bool,
    /// True if it does not continue the log of the clone that it claims to come from; it does not count for any
    /// session.
    pub breaks_chain: bool,
    pub results: Vec<LogResult>,
    /// The body of an entry of another kind than `rederive`; for an unknown kind, its whole line.
    pub body: Option<Value>,
    /// The body in words.
    #[serde(skip)]
    pub says: Vec<String>,
    #[serde(skip)]
    pub transcript: Option<Transcript>,
}

/// One answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LogResult {
    pub q_id: String,
    pub q_version: u32,
    pub delta: bool,
    /// True if its clone knew of no answer before.
    pub first: bool,
    pub note: Option<String>,
    /// True if a probe derived it.
    pub probed: bool,
    /// True if the session answered in place of the question's probe.
    pub claimed: bool,
    /// The session's own `delta`, if the probe found otherwise.
    pub claim: Option<bool>,
    /// The id of the entry whose answer it corrects.
    pub corrects: Option<String>,
    /// The verdict on the answer, or the reason why its delta needs none, in words.
    pub drift: Option<String>,
    /// What others say against the answer: that it is disputed, or was found false.
    pub doubt: Option<&'static str>,
    /// In canonical form; a long one as `{"sha256", "bytes", "begins"}`.
    pub answer: Option<Value>,
    /// The cited lines.
    pub cites: Vec<CitedRow>,
}

impl LogEntry {
    /// An entry, on the commit on which it counts; `None` if it can't be read. `look_up` gives the fate of citations.
    pub fn of(
        row: &Row,
        line: &[u8],
        commit: Oid,
        mailmap: &Mailmap,
        set: Option<&QuestionSet>,
        look_up: impl Fn(&Answer, &Citation) -> CitedRow,
    ) -> Option<Self> {
        let Event { envelope, body } = Event::parse(line).ok()?;
        let (says, other) = (says(&body), other_body(&body));
        let (answers, transcript) = match body {
            Body::Rederive(rederive) => (rederive.results, None),
            Body::Session(end) => (Vec::new(), end.transcript),
            _ => (Vec::new(), None),
        };
        let own = |text: Text| Some(text.into_owned()).filter(|text| !text.is_empty());
        let head = envelope.head.unwrap_or_default();
        let has_probe = |answer: &Answer| {
            let question = set.and_then(|set| set.find(&answer.q_id, answer.version()));
            question.is_some_and(|question| question.probe.is_some())
        };
        let results = answers.into_iter().map(|answer| LogResult {
            q_version: answer.version(),
            probed: answer.is_probed(),
            claimed: !answer.is_probed() && has_probe(&answer),
            claim: answer.claim,
            corrects: answer.corrects.as_ref().map(ToString::to_string),
            drift: None,
            doubt: None,
            cites: answer.cites().iter().map(|cite| look_up(&answer, cite)).collect(),
            answer: answer.answer,
            q_id: answer.q_id.into_owned(),
            delta: answer.delta,
            first: answer.q.is_some() && !answer.delta,
            note: answer.note.map(Text::into_owned),
        });
        Some(Self {
            commit: commit.to_string(),
            head: envelope.repo_head_sha.into_owned(),
            id: own(envelope.id),
            kind: envelope.kind,
            sid: envelope.sid.into_owned(),
            ts: envelope.ts.to_string(),
            agent: envelope.agent.and_then(|agent| agent.name),
            by: envelope.by.map(|by| mailmap.resolve(&by)),
            writer: envelope.writer.and_then(own),
            branch: head.branch.and_then(own),
            dirty: head.dirty,
            imported: envelope.origin.is_some(),
            breaks_chain: row.breaks_chain,
            results: results.collect(),
            body: other,
            says,
            transcript,
        })
    }

    /// Adds its branch, which a line leaves out that waits for it.
    pub fn place(&mut self, held: &Held) {
        let id = self.id.as_deref().unwrap_or_default();
        self.branch = self.branch.take().or_else(|| held.branch(id).map(str::to_owned));
    }

    pub fn tell(&mut self, drifts: &Drifts) {
        let id = self.id.as_deref().unwrap_or_default();
        for result in &mut self.results {
            let question = (result.q_id.as_str(), result.q_version);
            let fate = drifts.fate(id, question, &self.sid, result.delta);
            result.drift = fate.and_then(|fate| fate_words(&fate, &self.sid));
            result.doubt = drifts.doubt(id, question);
        }
    }
}

pub fn entry_text(entry: &LogEntry, dates: &Dates, style: Style) -> String {
    let dirty = entry.dirty.then(|| "dirty worktree".to_owned());
    // The heads of imported entries may be abbreviated.
    let is_elsewhere = entry.imported && !entry.commit.starts_with(&entry.head);
    let attached = format!(", attached to {}", &entry.commit[..10]);
    let attached = if is_elsewhere { attached.as_str() } else { "" };
    let imported = entry.imported.then(|| format!("imported{attached}"));
    let broken = entry.breaks_chain.then(|| "breaks its writer's chain".to_owned());
    let branch = entry.branch.as_deref().map(escape);
    let marks: Vec<String> = [branch, dirty, imported, broken].into_iter().flatten().collect();
    let commit = if is_elsewhere { &entry.head } else { &entry.commit };
    let mut out = style.commit(&format!("commit {}", escape(commit)));
    if !marks.is_empty() {
        out.push_str(&format!(" ({})", marks.join(", ")));
    }
    out.push_str(&format!("\nSession: {}", escape(short_sid(&entry.sid))));
    if let Some(agent) = &entry.agent {
        out.push_str(&format!(" by {}", escape(agent)));
    }
    if let Some(Person { name, email }) = &entry.by {
        out.push_str(&format!("\nAuthor:  {} <{}>", escape(name), escape(email)));
    }
    out.push_str(&format!("\nDate:    {}\n", escape(&dates.text(&entry.ts))));
    if !entry.imported && entry.head != entry.commit {
        out.push_str(&format!("Head:    {}\n", escape(&entry.head)));
    }
    out.push('\n');
    for line in &entry.says {
        out.push_str(&format!("    {}\n", escape(line)));
    }
    let (noted, silent): (Vec<_>, Vec<_>) = entry.results.iter().partition(|result| {
        result.delta
            || result.note.is_some()
            || result.claim.is_some()
            || result.claimed
            || result.drift.is_some()
            || result.doubt.is_some()
            || is_told(result)
    });
    for result in noted {
        let label = label(result.delta, result.first, style);
        let answer = result.answer.as_ref().filter(|_| is_told(result));
        // A note that the tool wrote ends with the answer.
        let is_noted = |text: &String| {
            result.note.as_ref().is_some_and(|note| note.ends_with(&one_line(text)))
        };
        let words = answer.map(value_text).filter(|text| !is_noted(text));
        let words = words.into_iter().chain(result.note.clone());
        let note: String = words.map(|text| format!(": {}", escape(&text))).collect();
        let claim = match result.claim {
            Some(true) => " (the session said delta)",
            Some(false) => " (the session said same)",
            None => "",
        };
        let claimed = if result.claimed { " (claimed)" } else { "" };
        let name = style.name(&name(result));
        out.push_str(&format!("    {label} {name}{claimed}{note}{claim}\n"));
        let corrects = result.corrects.as_ref().map(|id| format!("corrects entry {id}"));
        let cites = result.cites.iter().map(cited_words);
        let doubt = result.doubt.map(str::to_owned);
        for line in corrects.into_iter().chain(doubt).chain(result.drift.clone()).chain(cites) {
            out.push_str(&format!("          {}\n", escape(&line)));
        }
    }
    let (firsts, same): (Vec<_>, Vec<_>) = silent.into_iter().partition(|result| result.first);
    for (label, results) in [("first", firsts), ("same ", same)] {
        if !results.is_empty() {
            let names = joined(results.into_iter().map(name), ", ");
            out.push_str(&format!("    {label} {names}\n"));
        }
    }
    out
}

pub fn label(delta: bool, first: bool, style: Style) -> String {
    match (delta, first) {
        (true, _) => style.error("DELTA"),
        (false, true) => "first".into(),
        (false, false) => "same ".into(),
    }
}

fn is_told(result: &LogResult) -> bool {
    !result.probed && (result.answer.is_some() || !result.cites.is_empty())
}

/// An entry on one line: the commit, the session and the answers, deltas first.
pub fn entry_line(entry: &LogEntry, style: Style) -> String {
    let deltas = entry.results.iter().filter(|result| result.delta).map(|result| {
        let note = result.note.as_deref().map(escape).unwrap_or_default();
        let claimed = if result.claimed { " (claimed)" } else { "" };
        format!("DELTA {}{claimed}: {note}", name(result))
    });
    let others = [("first", true), ("same", false)].into_iter().filter_map(|(label, first)| {
        let results = entry.results.iter();
        let names: Vec<String> =
            results.filter(|result| !result.delta && result.first == first).map(name).collect();
        (!names.is_empty()).then(|| format!("{label} {}", names.join(", ")))
    });
    let says = entry.says.iter().map(|line| escape(line));
    let all = joined(deltas.chain(others).chain(says), "; ");
    let commit = entry.commit.get(..10).unwrap_or(&entry.commit);
    let sid = escape(short_sid(&entry.sid));
    let text = style.fit(&all, commit.len() + sid.len() + 2);
    format!("{} {} {text}\n", style.commit(commit), style.name(&sid))
}

fn other_body(body: &Body) -> Option<Value> {
    match body {
        Body::Rederive(_) => None,
        Body::Unknown(line) => serde_json::from_slice(line).ok(),
        known => serde_json::to_value(known).ok(),
    }
}

/// The body in lines, not escaped.
fn says(body: &Body) -> Vec<String> {
    vec![match body {
        Body::Rederive(_) => return Vec::new(),
        Body::State(state) => return state_says(state),
        Body::Alert(alert) => format!("refused: {}", alert_text(alert)),
        Body::Session(end) => format!("session ended: {}", figures(end)),
        Body::TensionOpen(opened) => format!("tension: {}", opened.topic),
        Body::TensionClose(closed) => {
            let tension = short_id(&closed.tension);
            format!("tension {tension} closed: {}", closed.note)
        }
        Body::Verdict(given) => {
            let name = question::name(&given.q_id, given.q_version);
            format!("verdict on {name}: {}: {}", given.verdict.name(), given.note)
        }
        Body::Second(look) => return look_says(look),
        Body::Carry(carried) => {
            let from: String = carried.from.chars().take(10).collect();
            format!("{} carried from {from}", entries(carried.entries.len()))
        }
        Body::Redact(redacted) => {
            let entry = short_id(&redacted.entry);
            format!("redacted {entry}: {}", redacted.because)
        }
        Body::Unknown(_) => "an entry of a kind that this version does not know".into(),
    }]
}

fn look_says(look: &SecondLook) -> Vec<String> {
    let (name, entry) = (question::name(&look.q_id, look.q_version), short_id(&look.entry));
    let what = if look.agrees { "agrees" } else { "another answer" };
    let said = one_line(&value_text(&look.answer));
    let said = format!("second look at {name} of {entry}: {what}: {said}");
    let note = look.note.iter().map(|note| format!("note: {note}"));
    let cites = look.cites().into_iter().map(|cite| format!("cites {cite}"));
    once(said).chain(note).chain(cites).collect()
}

fn state_says(state: &State) -> Vec<String> {
    let texts = state.texts().into_iter().map(|(field, text)| (field, std::slice::from_ref(text)));
    let lists = state.lists().into_iter().map(|(field, list)| (field, list.as_slice()));
    texts
        .chain(lists)
        .flat_map(|(field, texts)| {
            texts
                .iter()
                .filter(|text| !text.is_empty())
                .map(move |text| format!("{}: {text}", word(&field)))
        })
        .collect()
}

fn name(result: &LogResult) -> String {
    escape(&question::name(&result.q_id, result.q_version))
}

pub fn entry_texts(
    entries: impl Iterator<Item = LogEntry>,
    dates: Dates,
    style: Style,
) -> impl Iterator<Item = String> {
    entries.enumerate().map(move |(place, entry)| {
        let gap = if place == 0 { "" } else { "\n" };
        gap.to_owned() + &entry_text(&entry, &dates, style)
    })
}
