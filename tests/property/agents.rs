//! Settings files of every layout: entries go in and come out, and all else says what it said.

use git_sq::setup::{
    Planted,
    agent::settings::{Entry, created, lacking, merge, unmerge},
};
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

/// What is remembered after these entries went into a text.
fn remembered(before: Option<&str>, entries: &[Entry], after: &str) -> Planted {
    let own = lacking(before.unwrap_or_default(), entries).unwrap();
    Planted::new(after, before.map(str::to_owned), own.into_iter().collect())
}

/// Also where people edit the file meanwhile, so that the text before is not simply put back.
fn goes_in_and_comes_out(text: &str, entries: &[Entry]) {
    let merged = merge(text, entries, None).unwrap();
    let wanted = entries.iter().fold(value(text), put);
    assert_eq!(value(&merged), wanted, "{merged}");
    assert_eq!(merge(&merged, entries, None).unwrap(), merged);
    let planted = remembered(Some(text), entries, &merged);
    let rest = unmerge(&merged, entries, Some(&planted)).unwrap().unwrap();
    assert_eq!(value(&rest), value(text), "{merged}");
    assert_eq!(unmerge(text, entries, Some(&planted)).unwrap().as_deref(), Some(text));
    // As another version would have written it.
    let older = merged.replace("|| true", "|| :");
    let own = planted.texts.iter().map(|own| own.replace("|| true", "|| :")).collect();
    let planted = Planted::new(&older, planted.before, own);
    assert_eq!(merge(&older, entries, Some(&planted)).unwrap(), merged);
    assert_eq!(unmerge(&older, entries, Some(&planted)).unwrap(), Some(rest));
    assert_eq!(unmerge(&older, entries, None).unwrap().as_deref(), Some(&*older));
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
        " {\"model\": \"git sq\"}",
        "\n  {\"model\": \"git sq\"} \n",
    ] {
        goes_in_and_comes_out(text, &entries());
    }
    for text in [
        "// mine\n{\n\t\"model\": \"opus\", // the big one\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ls)\", // list\n\t\t\t// more to come\n\t\t],\n\t},\n}\n// end\n",
        "{\r\n    \"hooks\": {\r\n        \"Stop\": [\r\n            {\r\n                \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }]\r\n            }\r\n        ]\r\n    }\r\n}",
    ] {
        goes_in_and_comes_out(text, &entries());
        let merged = merge(text, &entries(), None).unwrap();
        let planted = remembered(Some(text), &entries(), &merged);
        let rest = unmerge(&merged, &entries(), Some(&planted)).unwrap();
        assert_eq!(rest.as_deref(), Some(text));
        assert_eq!(
            merged.contains("\r\n"),
            merged.matches('\n').count() == merged.matches("\r\n").count()
        );
    }
}

/// It adds its version behind all else, to files that it finds without one.
#[test]
fn qwen_s_version_goes_with_the_file_that_git_sq_made() {
    let text = created(&entries(), true).unwrap();
    assert!(text.ends_with("  \"$version\": 4\n}\n"), "{text}");
    assert_eq!(merge(&text, &entries(), None), Ok(text.clone()));
    let planted = remembered(None, &entries(), &text);
    assert_eq!(unmerge(&text, &entries(), Some(&planted)), Ok(None));
    for own in ["{\n  \"$version\": 4\n}\n", "{\n  \"a\": 1,\n  \"$version\": 4\n}\n"] {
        let merged = merge(own, &entries(), None).unwrap();
        let planted = remembered(Some(own), &entries(), &merged);
        assert_eq!(unmerge(&merged, &entries(), Some(&planted)), Ok(Some(own.to_owned())));
    }
}

#[test]
fn a_file_that_was_made_goes_whole_and_another_stays() {
    let text = created(&entries(), false).unwrap();
    assert_eq!(value(&text), entries().iter().fold(json!({}), put));
    assert_eq!(merge(&text, &entries(), None).unwrap(), text);
    let planted = remembered(None, &entries(), &text);
    assert_eq!(unmerge(&text, &entries(), Some(&planted)).unwrap(), None);
    // A clone that remembers nothing knows its commands, and no more.
    let rest = unmerge(&text, &entries(), None).unwrap().unwrap();
    assert_eq!(
        value(&rest),
        json!({
            "hooks": { "SessionStart": [], "Stop": [], "SessionEnd": [] },
            "permissions": { "allow": ["Bash(git sq:*)"] },
        })
    );
}

#[test]
fn what_people_changed_since_stays() {
    let mut text = created(&entries(), false).unwrap();
    let planted = remembered(None, &entries(), &text);
    let mine = "{ \"type\": \"command\", \"command\": \"mine\" },";
    text = text.replacen(
        "{\n            \"command\"",
        &format!("{mine} {{\n            \"command\""),
        1,
    );
    text = text.replacen("{\n", "{\n  \"model\": \"opus\",\n", 1);
    let rest = unmerge(&text, &entries(), Some(&planted)).unwrap().unwrap();
    assert_eq!(
        value(&rest),
        json!({
            "model": "opus",
            "hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": "mine" }] }] },
        })
    );
    assert_eq!(merge(&rest, &entries(), None).unwrap().matches("git sq hook").count(), 3);
}

/// Around a command, in an empty container, in a rule: whatever looks like ours is theirs if it was there before.
#[test]
fn what_looks_like_ours_is_left_alone() {
    let own = hook("Stop", "stop").value["hooks"][0]["command"].as_str().unwrap().to_owned();
    for text in [
        format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"command\": \"./notify.sh; {own}\"}}]}}]}}}}"),
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"./notify.sh && git sq hook stop\"}]}]}}".into(),
        "{\"hooks\": {\"Stop\": [], \"SessionEnd\": [{\"hooks\": []}]}}".into(),
        "{\"permissions\": {\"allow\": [\"Bash(git sq:*)\"], \"deny\": [\"Bash(git sq hook:*)\"]}}".into(),
    ] {
        let merged = merge(&text, &entries(), None).unwrap();
        let planted = remembered(Some(&text), &entries(), &merged);
        let rest = unmerge(&merged, &entries(), Some(&planted)).unwrap().unwrap();
        assert_eq!(value(&rest), value(&text), "{merged}");
        assert_eq!(unmerge(&text, &entries(), None).unwrap().as_deref(), Some(&*text));
    }
}

#[test]
fn layout_is_kept() {
    let one_line = merge("{\"model\":\"opus\", \"hooks\": {}}\r\n", &entries(), None).unwrap();
    assert!(one_line.ends_with("}\r\n") && one_line.matches('\n').count() == 1, "{one_line}");
    let marked = merge("\u{feff}{\r\n\t\"a\": 1\r\n}", &entries(), None).unwrap();
    assert!(marked.starts_with("\u{feff}{\r\n\t\"a\": 1,\r\n\t\"hooks\""), "{marked}");
    assert_eq!(marked.matches('\n').count(), marked.matches("\r\n").count());
    let tabs = merge("{\n\t\"a\": 1\n}", &entries(), None).unwrap();
    assert!(tabs.lines().all(|line| !line.starts_with(' ')) && tabs.ends_with('}'), "{tabs}");
}

#[test]
fn what_is_no_settings_file_is_refused_at_its_place() {
    for (text, place) in [
        ("", "1:1: expected an object"),
        ("[]", "1:1: expected an object"),
        ("{\n  \"hooks\": {},\n  \"hooks\": {}\n}", "3:3: duplicate key \"hooks\""),
        (
            "{\"permissions\": {\"allow\": [], \"\\u0061llow\": []}}",
            "1:31: duplicate key \"allow\"",
        ),
        ("{\n  \"hooks\": []\n}", "2:12: \"hooks\" is not an object"),
        ("{\"hooks\": {\"Stop\": 1}}", "1:20: \"Stop\" is not an array"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "2:9: Expected comma"),
        ("{\n  \"ü\": ,\n}", "2:8: Unexpected comma"),
    ] {
        let told = merge(text, &entries(), None).unwrap_err();
        assert_eq!(told, place, "{text}");
    }
}
