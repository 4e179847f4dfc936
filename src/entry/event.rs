//! One line of the log: the envelope outside, the kind inside, read and written by the same types.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Agent, Alert, Answer, Carried, Envelope, Head, Kind, MAX_LINE, Origin, Person, Redacted,
    Rederive, SecondLook, Seen, SessionEnd, State, TensionClosed, TensionOpened, Text, Ts, Verdict,
};

pub const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event<'l> {
    #[serde(flatten)]
    pub envelope: Envelope<'l>,
    #[serde(flatten)]
    pub body: Body<'l>,
}

/// The kind's own part. Lines of an unknown kind or version are kept unchanged.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Body<'l> {
    Rederive(Rederive<'l>),
    State(State),
    Alert(Alert),
    Session(SessionEnd),
    TensionOpen(TensionOpened),
    TensionClose(TensionClosed),
    Verdict(Verdict),
    Second(SecondLook),
    Carry(Carried<'l>),
    Redact(Redacted),
    #[serde(skip)]
    Unknown(&'l [u8]),
}

/// A line as it is parsed: the keys of the envelope and of the frequent kind one by one, the others together.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Wire<'l> {
    ts: Ts,
    kind: Kind,
    #[serde(borrow)]
    id: Option<Text<'l>>,
    sid: Text<'l>,
    repo_head_sha: Text<'l>,
    v: Option<u32>,
    tool: Option<Text<'l>>,
    agent: Option<Agent>,
    by: Option<Person>,
    writer: Option<Text<'l>>,
    n: Option<u64>,
    prev: Option<Text<'l>>,
    seen: Option<Seen<'l>>,
    store: Option<Text<'l>>,
    head: Option<Head<'l>>,
    origin: Option<Origin<'l>>,
    results: Option<Vec<Answer<'l>>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl<'l> Event<'l> {
    /// Sets the kind to that of the body.
    pub fn new(envelope: Envelope<'l>, body: Body<'l>) -> Self {
        Self { envelope: Envelope { kind: body.kind(), ..envelope }, body }
    }

    /// Reads one line, without its line feed. The error says why it can't be read.
    pub fn parse(line: &'l [u8]) -> Result<Self, String> {
        if line.len() > MAX_LINE {
            return Err(format!("it has {} bytes, more than {MAX_LINE}", line.len()));
        }
        let text = str::from_utf8(line).map_err(|error| error.to_string())?;
        serde_json::from_str::<Wire>(text)
            .and_then(|wire| wire.event(line))
            .or_else(|error| unknown(line, text).ok_or_else(|| error.to_string()))
    }

    /// The envelope and the answers of a line; `None` if it is of another kind, or can't be read.
    pub fn answers(line: &'l [u8]) -> Option<(Envelope<'l>, Vec<Answer<'l>>)> {
        let Self { envelope, body } = Self::parse(line).ok()?;
        match body {
            Body::Rederive(Rederive { results, .. }) => Some((envelope, results)),
            _ => None,
        }
    }

    /// Returns true if a newer version of this program wrote the line, in a format that this one does not understand.
    pub fn is_newer(&self) -> bool {
        self.envelope.kind != Kind::Unknown && self.envelope.v > VERSION
    }
}

impl<'l> Wire<'l> {
    fn event(self, line: &'l [u8]) -> serde_json::Result<Event<'l>> {
        use serde::de::Error as _;
        let v = self.v.unwrap_or(VERSION);
        let rest = Value::Object(self.rest);
        let body = match self.kind {
            _ if v > VERSION => Body::Unknown(line),
            Kind::Rederive => match self.results {
                Some(results) => {
                    let sure = rest.get("sure").and_then(Value::as_bool).unwrap_or_default();
                    Body::Rederive(Rederive { results, sure })
                }
                None => return Err(serde_json::Error::missing_field("results")),
            },
            Kind::State => Body::State(State::deserialize(rest)?),
            Kind::Alert => Body::Alert(Alert::deserialize(rest)?),
            Kind::Session => Body::Session(SessionEnd::deserialize(rest)?),
            Kind::TensionOpen => Body::TensionOpen(TensionOpened::deserialize(rest)?),
            Kind::TensionClose => Body::TensionClose(TensionClosed::deserialize(rest)?),
            Kind::Verdict => Body::Verdict(Verdict::deserialize(rest)?),
            Kind::Second => Body::Second(SecondLook::deserialize(rest)?),
            Kind::Carry => Body::Carry(Carried::deserialize(rest)?),
            Kind::Redact => Body::Redact(Redacted::deserialize(rest)?),
            Kind::Unknown => Body::Unknown(line),
        };
        let envelope = Envelope {
            ts: self.ts,
            kind: self.kind,
            id: self.id.unwrap_or_default(),
            sid: self.sid,
            repo_head_sha: self.repo_head_sha,
            v,
            tool: self.tool.unwrap_or_default(),
            agent: self.agent,
            by: self.by,
            writer: self.writer,
            n: self.n,
            prev: self.prev,
            seen: self.seen,
            store: self.store,
            head: self.head,
            origin: self.origin,
        };
        Ok(Event { envelope, body })
    }
}

/// A line of an unknown kind or version; only its `kind` must be valid.
fn unknown<'l>(line: &'l [u8], text: &'l str) -> Option<Event<'l>> {
    let value: Map<String, Value> = serde_json::from_str(text).ok()?;
    let kind = Kind::deserialize(value.get("kind")?).ok()?;
    let v = value.get("v").and_then(Value::as_u64).unwrap_or(1);
    let v = u32::try_from(v).unwrap_or(u32::MAX);
    if kind != Kind::Unknown && v <= VERSION {
        return None;
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let own = |key: &str| text(key).unwrap_or_default().into();
    let envelope = Envelope {
        ts: text("ts").and_then(|ts| Ts::parse(&ts)).unwrap_or_default(),
        kind,
        id: own("id"),
        sid: own("sid"),
        repo_head_sha: own("repo_head_sha"),
        v,
        writer: text("writer").map(Text::from),
        n: value.get("n").and_then(Value::as_u64),
        ..Envelope::default()
    };
    Some(Event { envelope, body: Body::Unknown(line) })
}

impl Body<'_> {
    pub fn kind(&self) -> Kind {
        match self {
            Self::Rederive(_) => Kind::Rederive,
            Self::State(_) => Kind::State,
            Self::Alert(_) => Kind::Alert,
            Self::Session(_) => Kind::Session,
            Self::TensionOpen(_) => Kind::TensionOpen,
            Self::TensionClose(_) => Kind::TensionClose,
            Self::Verdict(_) => Kind::Verdict,
            Self::Second(_) => Kind::Second,
            Self::Carry(_) => Kind::Carry,
            Self::Redact(_) => Kind::Redact,
            Self::Unknown(_) => Kind::Unknown,
        }
    }
}
