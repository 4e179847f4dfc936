//! Who answered: the person, by the name that `.mailmap` gives, and the agent.

use git_sq_test_support::World;
use serde_json::json;

/// Three quiet sessions of two people, one with an agent.
fn world() -> World {
    let world = World::answered("s1");
    for (sid, name, agent) in [("s2", "Bob", ""), ("s3", "Ada Example", "coder"), ("s4", "bob", "")]
    {
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
    let by = json!({"name": "bob", "email": "BOB@example.org"});
    assert_eq!(world.json("log")["entries"][0]["by"], by);
}

#[test]
fn people_go_by_the_names_of_the_mailmap() {
    let world = world();
    let named = |name: &str| {
        world.change(".mailmap", format!("{name} <robert@example.org> <bob@example.org>\n"));
    };
    // A name that steers the terminal is escaped.
    named("E\u{1b}[31mve");
    assert_has!(world.sq_ok("log"), "Author:  E\\u001b[31mve <robert@example.org>\n");
    named("Robert Example");
    for line in ["log --session s4", "show q1"] {
        assert_has!(world.sq_ok(line), "Author:  Robert Example <robert@example.org>\n");
    }
    let by = json!({"name": "Robert Example", "email": "robert@example.org"});
    assert_eq!(world.json("brief")["latest"][0]["by"], by);
    let check = world.try_sq("check").transcript();
    assert_has!(check, "●●●●      s4 (2026-01-01, Robert Example)\n");
    assert_has!(check, "s3 (2026-01-01, coder, Ada Example) at ");
    let check = check.replace(&world.entry_of("s4"), "LAST");
    insta::assert_snapshot!(&check[check.find("error:").unwrap()..], @"
    error: 3 sessions in a row (s2 to s4, by Robert Example and Ada Example with coder) report no change while HEAD moves (limit 2)
      derive two or three answers by hand and compare; a person who has dealt with it closes it: `git sq check --accept LAST` [quiet-run]

    not clean: 1 error (quiet-run); 1 fresh
    --- exit 1
    ");
}

#[test]
fn a_proposal_and_a_worktree_can_t_say_who_is_the_same_person() {
    let world = world();
    let names = || {
        let by = |line: &str| world.json(line)["staleness"][0]["last_by"]["name"].clone();
        [by("check"), by("check --base main")]
    };
    let map = "Robert Example <robert@example.org> <bob@example.org>\n";
    world.write(".mailmap", map);
    world.git_ok("config mailmap.file .mailmap");
    assert_eq!(names(), ["bob", "bob"]);
    world.git_ok("checkout --quiet -b proposal");
    world.commit("Map bob");
    assert_eq!(names(), ["Robert Example", "bob"]);
}
