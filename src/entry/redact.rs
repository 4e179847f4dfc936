use serde_json::{Map, Value, json};

use super::{Answer, Body, Event, SecondLook, SessionEnd, State, Text, hardened_json};

/// Keys that a redacted line of an unknown kind or version keeps.
#[rustfmt::skip]
const ENVELOPE: [&str; 9] = ["ts", "kind", "id", "sid", "repo_head_sha", "v", "tool", "writer", "n"];

/// Replaces the texts of a line with `mark`. Everything that figures are computed from stays.
pub fn hide(line: &[u8], mark: &str) -> Vec<u8> {
    match Event::parse(line) {
        Ok(Event { envelope, body }) if !matches!(body, Body::Unknown(_)) => {
            let body = hide_body(body, mark);
            hardened_json(&Event { envelope, body })
        }
        _ => {
            let keys: Map<String, Value> = serde_json::from_slice(line).unwrap_or_default();
            let kept = keys.into_iter().filter(|(key, _)| ENVELOPE.contains(&&**key));
            let redacted = [("redacted".to_owned(), Value::from(mark))];
            hardened_json(&kept.chain(redacted).collect::<Map<_, _>>())
        }
    }
}

fn hide_body<'l>(body: Body<'l>, mark: &str) -> Body<'l> {
    let said = || mark.to_owned();
    match body {
        Body::Rederive(mut rederive) => {
            for answer in &mut rederive.results {
                let probe = answer.evidence.as_ref().and_then(|evidence| evidence.get("probe"));
                let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
                let digest = probe.filter(|probe| probe.as_str().is_some_and(is_hex));
                *answer = Answer {
                    note: Some(Text::from(said())),
                    q: None,
                    answer: None,
                    repeats: None,
                    evidence: digest.map(|digest| json!({"probe": digest})),
                    ..answer.clone()
                };
            }
            Body::Rederive(rederive)
        }
        Body::State(_) => Body::State(State { handover: said(), ..State::default() }),
        Body::Session(end) => Body::Session(SessionEnd {
            last_subject: end.last_subject.as_ref().map(|_| said()),
            branch: None,
            ..end
        }),
        Body::TensionOpen(mut opened) => {
            opened.topic = said();
            opened.source = "redacted".into();
            opened.cite = Vec::new();
            Body::TensionOpen(opened)
        }
        Body::TensionClose(mut closed) => {
            closed.note = said();
            closed.cite = Vec::new();
            Body::TensionClose(closed)
        }
        Body::Verdict(mut verdict) => {
            verdict.note = said();
            Body::Verdict(verdict)
        }
        Body::Second(look) => {
            let evidence = look.is_cited().then(|| json!({"cites": []}));
            Body::Second(SecondLook { answer: said().into(), note: None, evidence, ..look })
        }
        // These have no free text.
        body @ (Body::Alert(_) | Body::Carry(_) | Body::Redact(_) | Body::Unknown(_)) => body,
    }
}
