//! Settings files of every layout: entries go in and come out, and all else says what it said.

use git_sq::setup::agent::settings::{Entry, created, merge, unmerge};
use proptest::prelude::*;
use serde_json::{Value, json};

fn hook(event: &'static str, word: &str) -> Entry {
    let command = format!("command -v git-sq >/dev/null 2>&1 && git sq hook {word} || true");
    Entry {
        path: vec!["hooks", event],
        value: json!({ "hooks": [{ "type": "command", "command": command, "timeout": 10 }] }),
    }
}

fn entries() -> Vec<Entry> {
    vec![
        hook("SessionStart", "session-start"),
        hook("Stop", "stop"),
        hook("SessionEnd", "session-end"),
        Entry { path: vec!["permissions", "allow"], value: json!("Bash(git sq:*)") },
    ]
}

/// White space and comments, as they may stand between any two tokens.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        4 => Just(" ".to_owned()),
        4 => "\n {0,4}",
        2 => "\r\n\t{0,2}",
        1 => " /\\*[a-z,{}\\]\" ]{0,6}\\*/ ?",
        1 => " ?// ?[a-z,\"}\\]]{0,6} {0,2}\n {0,4}",
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("true".to_owned()),
        Just("null".to_owned()),
        "-?[1-9][0-9]{0,3}",
        Just("\"Bash(npm test)\"".to_owned()),
        Just("\"ü \\\" , ] } // \\u00e9\"".to_owned()),
        Just("{\"type\":\"command\",\"command\":\"make check\"}".to_owned()),
        Just("{ \"matcher\": \"*\", \"hooks\": [ { \"command\": \"echo git sq\" } ] }".to_owned()),
    ]
}

/// A list in brackets, with a gap around each item.
fn list(brackets: [&str; 2], items: &[String], gaps: &[String], trailing: bool) -> String {
    let [open, close] = brackets;
    let gap = |place: usize| &gaps[place % gaps.len()];
    let mut text = open.to_owned();
    for (place, item) in items.iter().enumerate() {
        let comma = if place + 1 < items.len() || trailing { "," } else { "" };
        text += &format!("{}{item}{}{comma}", gap(2 * place), gap(2 * place + 1));
    }
    text + gap(items.len()) + close
}

fn gaps() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(gap(), 11)
}

fn array() -> impl Strategy<Value = String> {
    let all = (prop::collection::vec(scalar(), 0..4), gaps(), prop::bool::weighted(0.2));
    all.prop_map(|(items, gaps, trailing)| list(["[", "]"], &items, &gaps, trailing))
}

/// Some of these keys, in any order, each with its value.
fn object(
    keys: &'static [&'static str],
    values: impl Strategy<Value = Vec<String>> + 'static,
) -> impl Strategy<Value = String> {
    let chosen = prop::sample::subsequence((0..keys.len()).collect::<Vec<_>>(), 0..=keys.len());
    let all = (chosen.prop_shuffle(), values, gaps(), prop::bool::weighted(0.2));
    all.prop_map(move |(chosen, values, gaps, trailing)| {
        let items: Vec<String> = chosen
            .iter()
            .map(|&place| {
                let [colon, next] = [&gaps[place], &gaps[place + 4]];
                format!("\"{}\"{colon}:{next}{}", keys[place], values[place])
            })
            .collect();
        list(["{", "}"], &items, &gaps, trailing)
    })
}

/// Settings as harnesses have them, in any layout.
fn settings() -> impl Strategy<Value = String> {
    let arrays = |count| prop::collection::vec(array(), count);
    let hooks = object(&["SessionStart", "Stop", "PreToolUse"], arrays(3));
    let permissions = object(&["allow", "deny"], arrays(2));
    let others = object(&["a", "b"], prop::collection::vec(scalar(), 2));
    let values = (hooks, permissions, others, scalar())
        .prop_map(|(hooks, permissions, env, model)| vec![hooks, permissions, env, model]);
    let whole = object(&["hooks", "permissions", "env", "model"], values);
    (gap(), whole, gap()).prop_map(|(before, whole, after)| before + &whole + &after)
}

fn value(text: &str) -> Value {
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).unwrap()
}

/// Puts an entry in as a reader of the plan would.
fn put(mut whole: Value, entry: &Entry) -> Value {
    let mut at = &mut whole;
    for key in &entry.path {
        at = &mut at[*key];
    }
    match at {
        Value::Array(values) => values.push(entry.value.clone()),
        _ => *at = Value::Array(vec![entry.value.clone()]),
    }
    whole
}

/// A file without containers that hold nothing: they may have been made for an entry.
fn pruned(value: Value) -> Value {
    let is_full = |value: &Value| *value != json!({}) && *value != json!([]);
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .map(|(key, value)| (key, pruned(value)))
                .filter(|(_, value)| is_full(value))
                .collect(),
        ),
        Value::Array(values) => values.into_iter().map(pruned).filter(is_full).collect(),
        other => other,
    }
}

/// Gives what comes out.
fn goes_in_and_comes_out(text: &str, entries: &[Entry]) -> Option<String> {
    let merged = merge(text, entries).unwrap();
    let wanted = entries.iter().fold(value(text), put);
    assert_eq!(value(&merged), wanted, "{merged}");
    assert_eq!(merge(&merged, entries).unwrap(), merged);
    let rest = unmerge(&merged, entries).unwrap();
    let left = rest.as_deref().map_or(json!({}), value);
    assert_eq!(pruned(left), pruned(value(text)), "{merged}");
    assert_eq!(unmerge(text, entries).unwrap().as_deref(), Some(text));
    // As another version would have written it.
    let older = merged.replace("|| true", "|| :");
    assert_eq!(merge(&older, entries).unwrap(), merged);
    assert_eq!(unmerge(&older, entries).unwrap(), rest);
    rest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn settings_of_any_layout(text in settings(), chosen in prop::sample::subsequence(entries(), 1..=4)) {
        goes_in_and_comes_out(&text, &chosen);
    }
}

#[test]
fn settings_as_people_have_them() {
    for text in [
        "{}",
        "{}\n",
        "{\n}\n",
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
        "{\n  \"permissions\": {\n    \"allow\": [\n    ]\n  }\n}",
        "{\"permissions\":{\"allow\":[\"Bash(ls)\"]},\"model\":\"opus\"}",
    ] {
        goes_in_and_comes_out(text, &entries());
    }
    for text in [
        "// mine\n{\n\t\"model\": \"opus\", // the big one\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ls)\", // list\n\t\t\t// more to come\n\t\t],\n\t},\n}\n// end\n",
        "{\r\n    \"hooks\": {\r\n        \"Stop\": [\r\n            {\r\n                \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }]\r\n            }\r\n        ]\r\n    }\r\n}",
    ] {
        let rest = goes_in_and_comes_out(text, &entries());
        assert_eq!(rest.as_deref(), Some(text));
    }
}

/// It adds its version behind all else, to files that it finds without one.
#[test]
fn qwen_s_version_goes_with_the_file_that_git_sq_made() {
    let text = created(&entries(), true).unwrap();
    assert!(text.ends_with("  \"$version\": 4\n}\n"), "{text}");
    assert_eq!(merge(&text, &entries()), Ok(text.clone()));
    assert_eq!(unmerge(&text, &entries()), Ok(None));
    for own in ["{\n  \"$version\": 4\n}\n", "{\n  \"a\": 1,\n  \"$version\": 4\n}\n"] {
        let merged = merge(own, &entries()).unwrap();
        assert_eq!(unmerge(&merged, &entries()), Ok(Some(own.to_owned())));
    }
}

#[test]
fn a_file_of_ours_alone_goes_whole() {
    let text = created(&entries(), false).unwrap();
    assert_eq!(value(&text), entries().iter().fold(json!({}), put));
    assert_eq!(merge(&text, &entries()).unwrap(), text);
    assert_eq!(unmerge(&text, &entries()).unwrap(), None);
}

#[test]
fn what_people_changed_since_stays() {
    let mut text = created(&entries(), false).unwrap();
    let mine = "{ \"type\": \"command\", \"command\": \"mine\" },";
    text = text.replacen(
        "{\n            \"command\"",
        &format!("{mine} {{\n            \"command\""),
        1,
    );
    text = text.replacen("{\n", "{\n  \"model\": \"opus\",\n", 1);
    let rest = unmerge(&text, &entries()).unwrap().unwrap();
    assert_eq!(
        value(&rest),
        json!({
            "model": "opus",
            "hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": "mine" }] }] },
        })
    );
    assert_eq!(merge(&rest, &entries()).unwrap().matches("git sq hook").count(), 3);
}

#[test]
fn what_is_no_settings_file_is_refused_at_its_place() {
    for (text, place) in [
        ("", "1:1: expected an object"),
        ("[]", "1:1: expected an object"),
        ("\u{feff}{}", "1:1: begins with a byte order mark"),
        ("{\n  \"hooks\": []\n}", "2:12: \"hooks\" is not an object"),
        ("{\"hooks\": {\"Stop\": 1}}", "1:20: \"Stop\" is not an array"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "2:9: Expected comma"),
        ("{\n  \"ü\": ,\n}", "2:8: Unexpected comma"),
    ] {
        let told = merge(text, &entries()).unwrap_err();
        assert_eq!(told, place, "{text}");
    }
}
