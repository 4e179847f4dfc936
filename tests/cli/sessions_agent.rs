//! Whose an entry is: the agent's that is named, else the session's.

use git_sq_test_support::{Ran, World};
use serde_json::{Value, json};

use crate::sessions::entries;

const OPEN: [&str; 11] = [
    "tension",
    "open",
    "Why does it do so?",
    "--type=unknown",
    "--source",
    "a test",
    "--curiosity",
    "0.5",
    "--intrusiveness",
    "0.5",
    "--sid=s1",
];

/// Runs `git sq` with more variables in its environment.
fn with(world: &World, env: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = world.sq_command(args);
    command.envs(env.iter().copied()).output().unwrap().into()
}

/// A session that a harness began for ada, whose own shell knows nothing of it.
fn begun_by_ada() -> World {
    let world = World::new();
    world.ask(&["q1"]);
    let env = [("SQ_AGENT", "ada"), ("SQ_MODEL", "m1")];
    with(&world, &env, &["session", "start", "--sid", "s1"]).ok();
    world
}

fn agents(world: &World, kind: &str) -> Vec<Value> {
    let entries = entries(world, kind).into_iter();
    entries.map(|entry| entry["agent"].clone()).collect()
}

#[test]
fn an_entry_is_by_the_agent_of_its_session_s_start() {
    let world = begun_by_ada();
    let ada = json!({"name": "ada", "model": "m1"});
    world.sq(&["state", "set", "--next", "go on"]).ok();
    world.sq(&["record", "--same", "q1=x"]).ok();
    world.sq(&OPEN).ok();
    for kind in ["state", "rederive", "tension.open"] {
        assert_eq!(agents(&world, kind), std::slice::from_ref(&ada), "{kind}");
    }
    let shown = world.sq(&["state", "show", "--agent", "ada"]).ok();
    assert!(shown.contains("go on"), "{shown}");
    // Another session's entry is not hers.
    world
        .sq(&["state", "set", "--sid", "s2", "--next", "x"])
        .ok();
    assert_eq!(agents(&world, "state")[1], Value::Null);
}

#[test]
fn what_is_told_outranks_the_start() {
    let world = begun_by_ada();
    let set = ["state", "set", "--next", "x"];
    with(&world, &[("SQ_AGENT", "bob")], &set).ok();
    with(&world, &[("SQ_MODEL", "m2")], &set).ok();
    world.sq(&[&set[..], &["--agent", "eve"]].concat()).ok();
    assert_eq!(
        agents(&world, "state"),
        [
            json!({"name": "bob"}),
            json!({"name": "ada", "model": "m2"}),
            json!({"name": "eve"})
        ]
    );
}

#[test]
fn a_row_keeps_its_agent() {
    let world = World::new();
    world.commit("Begin");
    let set = ["state", "set", "--sid", "s1", "--next", "one"];
    with(&world, &[("SQ_AGENT", "coder")], &set).ok();
    world
        .sq(&["state", "set", "--sid", "s1", "--status", "two"])
        .ok();
    let model = [("SQ_MODEL", "m1")];
    let set = ["state", "set", "--sid", "s1", "--next", "three"];
    with(&world, &model, &set).ok();
    assert_eq!(
        agents(&world, "state"),
        [
            json!({"name": "coder"}),
            json!({"name": "coder"}),
            json!({"name": "coder", "model": "m1"})
        ]
    );
    let shown = world.sq(&["state", "show", "--agent", "coder"]).ok();
    assert!(shown.contains("three"), "{shown}");
}
