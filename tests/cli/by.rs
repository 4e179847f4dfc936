//! Who answered: the person, by the name that `.mailmap` gives, and the agent.

use git_sq_test_support::World;
use serde_json::json;

/// Three quiet sessions of two people, one with an agent.
fn world() -> World {
    let world = World::asked();
    world.record("s1").ok();
    for (sid, name, agent) in [
        ("s2", "Bob", ""),
        ("s3", "Ada Example", "coder"),
        ("s4", "bob", ""),
    ] {
        world.write("README", sid);
        world.commit(sid);
        let mut record = world.sq_command(&["record", "--sid", sid, "--same", "q1"]);
        record.env("GIT_COMMITTER_NAME", name);
        if agent.is_empty() {
            record.env("GIT_COMMITTER_EMAIL", "BOB@example.org");
        } else {
            record.env("SQ_AGENT", agent);
        }
        assert!(record.status().unwrap().success());
    }
    world
}

#[test]
fn the_log_names_the_person_and_the_agent() {
    let world = world();
    insta::with_settings!({filters => vec![("\\b[0-9a-f]{40}\\b", "[id]")]}, {
        insta::assert_snapshot!(world.sq_ok("log -n 2"), @"
        commit [id] (main)
        Session: s4
        Author:  bob <BOB@example.org>
        Date:    Thu Jan 1 00:17:00 2026 +0000

            same  q1

        commit [id] (main)
        Session: s3 by coder
        Author:  Ada Example <ada@example.org>
        Date:    Thu Jan 1 00:13:00 2026 +0000

            same  q1
        ");
    });
    let json = world.sq(&["log", "--format", "json"]).json();
    assert_eq!(
        json["entries"][0]["by"],
        json!({"name": "bob", "email": "BOB@example.org"})
    );
}

#[test]
fn people_go_by_the_names_of_the_mailmap() {
    let world = world();
    world.write(
        ".mailmap",
        "Robert Example <robert@example.org> <bob@example.org>\n",
    );
    let log = world.sq_ok("log --session s4");
    assert_has!(log, "Author:  Robert Example <robert@example.org>\n");
    let shown = world.sq_ok("show q1");
    assert_has!(shown, "Author:  Robert Example <robert@example.org>\n");
    let brief = world.sq(&["brief", "--format", "json"]).json();
    assert_eq!(
        brief["latest"][0]["by"],
        json!({"name": "Robert Example", "email": "robert@example.org"})
    );
    let check = world.sq(&["check"]).transcript();
    let check = check.split_once('\n').unwrap().1;
    insta::assert_snapshot!(check, @r#"

      question  staleness  state  sessions  last answered
      q1                0  fresh  ●●●●      s4 (2026-01-01, Robert Example)
      ● same

    quiet sessions: 3 of 4 (longest run 3)
      s4 (2026-01-01, Robert Example) at a47e548abc s4
        no delta although HEAD moved
      s3 (2026-01-01, coder, Ada Example) at 4e22946a13 s3
        no delta although HEAD moved
      s2 (2026-01-01, Robert Example) at 4acefa78e1 s2
        no delta although HEAD moved

    error: 3 sessions in a row (s2 to s4, by Robert Example and Ada Example with coder) report no change while HEAD moves (limit 2)
      derive two or three answers by hand and compare; when you have dealt with it, set "settings": {"quiet": {"accepted_through": "2026-01-01T00:17:01Z"}} in the question store

    not clean: 1 error
    --- exit 1
    "#);
}

#[test]
fn a_name_that_steers_the_terminal_is_escaped() {
    let world = World::asked();
    world.record("s1").ok();
    world.write(".mailmap", "E\u{1b}[31mve <ada@example.org>\n");
    let log = world.sq_ok("log");
    assert_has!(log, "Author:  E\\u001b[31mve <ada@example.org>\n");
}
