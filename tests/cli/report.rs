//! The page for people with a browser.

use std::fs;

use git_sq_test_support::{World, event_line, texts_of_page};
use serde_json::json;

/// A version that a probe compares, and a question of judgement, answered with a citation.
fn world() -> World {
    let world = World::new();
    let store = json!({"_schema": "standing_questions/v2", "questions": [
        {"id": "version", "q": "Do both name the same version?", "importance": 3, "severity": "blocking", "expect": true,
         "probe": {"agree": [{"text": {"file": "a", "pattern": "v(\\d+)"}}, {"text": {"file": "b", "pattern": "v(\\d+)"}}]}},
        {"id": "errors", "q": "Are errors returned?", "importance": 2, "watch": ["b"]}]});
    world.write("standing_questions.json", store.to_string());
    world.write("a", "v1\n");
    world.write("b", "v1\nreturn error\n");
    world.commit("ask");
    world.sq_ok("record --sid s1 errors=yes --cite errors=b:2");
    world.sq_ok("state set --sid s1 --handover 'the schema waits' --done 'read b:2'");
    world.sq_ok("tension open --sid s1 'Why twice?' --type unknown --source b");
    world.write("b", "v2\nignore error\n");
    world.commit("two");
    world
}

fn page(world: &World) -> String {
    let page = world.sq_ok("report");
    texts_of_page(&page);
    page
}

#[test]
fn the_page_shows_what_needs_help_and_what_it_rests_on() {
    let texts = texts_of_page(&world().sq_ok("report"));
    let shown: Vec<&str> =
        texts.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).skip(2).collect();
    insta::with_settings!({filters => [("\n[0-9A-Z]{8}\n", "\n(tension)\n")]}, {
        insta::assert_snapshot!(shown.join("\n"));
    });
}

#[test]
fn an_answer_that_is_said_again_is_still_shown() {
    let world = world();
    world.sq_ok("record --sid s2 errors=ignored --delta errors=since#two --cite errors=b:2");
    let log = world.sq_ok("log -n 1");
    assert!(log.contains("    DELTA errors: ignored: since#two\n"), "{log}");
    world.change("c", "three");
    world.sq_ok("record --sid s3 --same errors");
    let texts = texts_of_page(&page(&world));
    let texts = texts.iter().flat_map(|text| text.split_whitespace());
    let texts = texts.collect::<Vec<_>>().join(" ");
    assert!(texts.contains("answer ignored answered"), "{texts}");
    world.change("a", "v2\n");
    assert_has!(page(&world), "Only drifts need a person.");
}

#[test]
fn the_same_log_gives_the_same_bytes_whenever_it_is_asked() {
    let world = world();
    let first = page(&world);
    world.pass(90 * 24 * 3600);
    assert_eq!(first, page(&world));
    assert_eq!(first, world.sq_ok("report --no-cache"));
    world.sq_ok("report -o page.html");
    assert_eq!(first, world.read("page.html"));
}

#[test]
fn it_forbids_everything_but_its_own_style() {
    let page = page(&world());
    let (_, policy) = page.split_once("Content-Security-Policy\" content=\"").unwrap();
    let (policy, _) = policy.split_once('"').unwrap();
    assert!(policy.starts_with("default-src &#39;none&#39;; style-src &#39;sha256-"), "{policy}");
    for word in ["<script", "http:", "https:", "url(", "@import", "style="] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn commits_are_links_only_where_the_user_says_to_where() {
    let world = world();
    let head = world.head();
    let page = world.sq_ok("report --commit-url 'https://example.com/c/{commit}?a=1&b=\"'");
    texts_of_page(&page);
    assert_has!(page, &format!("href=\"https://example.com/c/{head}?a=1&amp;b=&quot;\""));
    for (url, why) in [
        ("javascript:alert(1)//{commit}", "it does not begin with https:// or http://"),
        ("https://example.com", "it does not contain {commit}"),
    ] {
        let refused = world.sq(&["report", "--commit-url", url]);
        assert_eq!((refused.code, refused.stdout.as_str()), (128, ""));
        assert_has!(refused.stderr, why);
    }
}

/// Its copy counts, whichever of the two commits is read first.
#[test]
fn an_answer_is_shown_where_it_counts() {
    let world = world();
    world.sq_ok("record --sid s2 errors=no --delta errors=since --cite errors=b:2");
    let (old, mut number) = (world.head(), 0);
    while world.head() <= old {
        world.git_ok(&format!("commit --quiet --amend --message two-{number}"));
        number += 1;
    }
    world.sq_ok(&format!("carry {old}"));
    let page = world.sq_ok("report --commit-url https://example.com/{commit}");
    assert_has!(page, &format!("https://example.com/{}", world.head()));
    assert!(!page.contains(&old), "{old}");
}

#[test]
fn what_can_not_be_shown_is_said_in_words() {
    let world = World::new();
    world.write("a", "a");
    assert_has!(world.try_sq("report").exits(128).stderr, "has no commit");
    world.commit("one");
    assert_has!(world.try_sq("report -o page.html").exits(128).stderr, "no question store");
    assert!(!world.dir.join("page.html").exists());
    world.ask(&["q1"]);
    assert_has!(page(&world), "No session has answered yet.");
    world.record("s1").ok();
    world.commit("two");
    let shallow = world.cloned("--depth=1", "shallow");
    let page = world.sq_ok_in(&shallow, "report");
    texts_of_page(&page);
    assert_has!(page, "Undetermined: the history or the log is incomplete");
    let nowhere = world.try_sq("report -o no/such\u{0}".trim_end_matches('\0'));
    assert_eq!(nowhere.code, 0, "missing folders are made");
    fs::write(world.dir.join("file"), "").unwrap();
    let inside = world.try_sq("report -o file/page.html").exits(128);
    assert_has!(inside.stderr, "could not write file/page.html");
}

#[test]
fn hostile_text_stays_text() {
    let world = World::new();
    let text = "</bdi></title><script>alert(1)</script><img src=x onerror=alert(1)>\" onclick=\"a' <!-- &lt; \u{202e}\u{1b}[31m";
    let store = json!({"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": text, "importance": 3, "watch": [text]}]});
    world.write("standing_questions.json", store.to_string());
    let head = world.commit(text);
    let line = |kind: &str, number: usize, body: &serde_json::Value| {
        let mut body = body.clone();
        body["sid"] = json!(text);
        body["agent"] = json!({"name": text});
        body["by"] = json!({"name": text, "email": text});
        event_line(&head, kind, &format!("01KDVDNA00TRP6G3Q2Y1DX3Z{number:02}"), &body)
    };
    world.plant_lines(&[
        line("rederive", 10, &json!({"results": [{"q_id": "q1", "delta": false, "note": text, "answer": text,
            "evidence": {"cites": [{"path": text, "lines": [1, 1], "blob": head}, {"entry": text}]}}]})),
        line("state", 11, &json!({"status": text, "handover": text, "done": [text], "next": [text]})),
        line("tension.open", 12, &json!({"topic": text, "type": "gap", "source": text, "curiosity": 0.8, "intrusiveness": 0.4})),
    ]);
    let page = page(&world);
    let shown = "&lt;script&gt;alert(1)&lt;/script&gt;";
    assert!(page.matches(shown).count() > 6, "{page}");
    for c in ['\u{202e}', '\u{1b}'] {
        assert!(!page.contains(c));
    }
}

#[test]
fn a_thousand_sessions_fit_into_300_kilobytes() {
    let world = World::new();
    let ids: Vec<String> = (1..=15).map(|number| format!("q{number}")).collect();
    let head = world.ask(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let lines = (0..1000).map(|number| {
        let results = ids.iter().map(|id| {
            json!({"q_id": id, "delta": number % 7 == 0, "note": format!("answer {number} of {id}")})
        });
        let ts = format!("2026-01-01T{:02}:{:02}:00.000Z", number / 60, number % 60);
        let body = json!({"ts": ts, "sid": format!("session-{number}"), "agent": {"name": "claude"},
            "by": {"name": "Ada Example", "email": "ada@example.com"}, "results": results.collect::<Vec<_>>()});
        event_line(&head, "rederive", &format!("01KDVDNA00TRP6G3Q2Y1DX{number:04}"), &body)
    });
    world.plant_lines(&lines.collect::<Vec<_>>());
    world.pass(24 * 3600);
    let page = page(&world);
    assert_has!(page, "The last 40 of 1000 sessions");
    assert!(page.len() < 300 * 1024, "{} bytes", page.len());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_written_to_and_stays_one() {
    let world = world();
    let pipe = world.dir.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
    };
    world.sq_ok("report -o pipe");
    assert!(!fs::metadata(&pipe).unwrap().is_file());
    assert!(reader.join().unwrap().starts_with("<!doctype html>"));
}

#[test]
fn only_a_person_opens_a_browser() {
    let refused = world().env("CLAUDECODE", "1").try_sq("report -o page.html --open").exits(128);
    assert_has!(refused.stderr, "git sq report --open is for people only");
}
