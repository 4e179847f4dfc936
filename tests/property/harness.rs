//! Which harness calls is told by the input of its hook.

use git_sq::harness::{Call, Harness};

/// What harnesses hand in, each with whose it is.
const INPUTS: &str = r#"
Claude {"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"SessionStart","source":"startup"}
Claude {"session_id":"s","transcript_path":"t","cwd":"/","prompt_id":"p","hook_event_name":"SessionStart","source":"compact","model":"m"}
Claude {"session_id":"s","transcript_path":"t","cwd":"/","prompt_id":"p","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":false}
Codex {"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"SessionStart","model":"m","permission_mode":"p","source":"startup"}
Codex {"session_id":"s","turn_id":"t","transcript_path":"t","cwd":"/","hook_event_name":"Stop","model":"m","permission_mode":"p","stop_hook_active":false}
Codex {"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/","hook_event_name":"PreCompact","model":"m","trigger":"auto"}
Copilot {"sessionId":"s","timestamp":1795349642086,"cwd":"/","source":"new","initialPrompt":"hello"}
Copilot {"hook_event_name":"SessionStart","session_id":"s","timestamp":"t","cwd":"/","source":"new","initial_prompt":"hello"}
Copilot {"hook_event_name":"Stop","session_id":"s","timestamp":"t","cwd":"/","transcript_path":"t","stop_reason":"end_turn","stop_hook_active":false}
Gemini {"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"SessionStart","timestamp":"t","source":"startup"}
Gemini {"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"AfterAgent","timestamp":"t","prompt":"p","stop_hook_active":false}
Qwen {"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"SessionStart","timestamp":"t","permission_mode":"yolo","source":"startup","model":"m"}
Qwen {"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"Stop","timestamp":"t","permission_mode":"yolo","stop_hook_active":false}
Opencode {"session_id":"s","cwd":"/","harness":"opencode"}
None {"session_id":"s","cwd":"/","hook_event_name":"session-start"}
"#;

#[test]
fn the_harness_is_told_by_what_it_says() {
    for line in INPUTS.trim().lines() {
        let (expected, input) = line.split_once(' ').unwrap();
        let harness = Call::parse(input.as_bytes()).unwrap().harness;
        let told = harness.map_or("None".to_owned(), |harness| format!("{harness:?}"));
        assert_eq!(told, expected, "{input}");
    }
}

#[test]
fn a_call_is_what_the_input_says() {
    let call = Call::parse(
        r#"{"sessionId":"s","cwd":"/a b","source":"new","model":"m"} and more"#.as_bytes(),
    );
    let expected = Call {
        transcript: None,
        harness: Some(Harness::Copilot),
        session: "s".into(),
        cwd: Some("/a b".into()),
        source: Some("new".into()),
        model: Some("m".into()),
        is_subagent: false,
    };
    assert_eq!(call.unwrap(), expected);
    for subagent in [
        r#"{"session_id":"s","transcript_path":"t","agent_id":"a","agent_type":"","hook_event_name":"PreCompact"}"#,
        r#"{"sessionId":"a","stopReason":"end_turn","agentId":"a","agentType":"task","parentAgentId":"s"}"#,
    ] {
        assert!(Call::parse(subagent.as_bytes()).unwrap().is_subagent);
    }
    let odd =
        Call::parse(r#"{"session_id":"s","model":{"id":"m"},"cwd":null}"#.as_bytes()).unwrap();
    assert_eq!((odd.model, odd.cwd), (None, None));
}

#[test]
fn what_names_no_session_is_refused() {
    for input in ["", "{", "[]", "{}", r#"{"session_id":7}"#, "\u{0}", r#"{"session_id":null}"#] {
        assert!(Call::parse(input.as_bytes()).is_err(), "{input:?}");
    }
}
