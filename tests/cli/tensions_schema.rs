//! What the commands about tensions print and write is what the schemas say.

use git_sq_test_support::{Ran, World};
use serde_json::Value;

use crate::generated::{assert_valid, validator};

/// What the commands about tensions print, in a world with `src/lib.rs`.
pub fn tension_outputs(world: &World) -> Vec<(&'static str, Ran)> {
    let sq = |args: &[&str]| world.sq(&[&["tension"], args, &["--format", "json"]].concat());
    let open = [
        "open",
        "Why?",
        "--type",
        "dropped-thread",
        "--source",
        "a talk",
        "--curiosity",
        "0.1",
        "--intrusiveness",
        "1",
    ];
    let more = ["--cite", "src/lib.rs:1", "--ttl", "3d"];
    let opened = sq(&[&open[..], &more].concat());
    let id = opened.json()["tensions"][0]["id"].clone();
    let id = id.as_str().unwrap();
    vec![
        ("tension", opened),
        ("tension", sq(&open)),
        ("tension", sq(&["next"])),
        (
            "tension",
            sq(&[
                "close",
                id,
                "--as",
                "withdrawn",
                "--note",
                "so",
                "--cite",
                id,
            ]),
        ),
        ("tension", sq(&["list", "--all"])),
        ("tension", sq(&["show", id])),
        ("tension-tick", sq(&["tick"])),
        ("brief", world.sq(&["brief", "--format", "json"])),
        ("check", world.sq(&["check", "--format", "json"])),
    ]
}

#[test]
fn every_line_about_a_tension_is_what_its_schema_says() {
    let world = World::new().env("SQ_AGENT", "ada");
    world.ask(&["q1"]);
    world.git(&["switch", "--quiet", "-c", "topic"]).ok();
    world.write("src/lib.rs", "// something\n");
    world.commit("Away from the default branch");
    tension_outputs(&world);
    let lines = world.lines();
    assert_eq!(lines.len(), 3, "{lines:#?}");
    for line in lines {
        let line: Value = serde_json::from_str(&line).unwrap();
        let (name, other) = match line["kind"].as_str() {
            Some("tension.open") => ("tension-open", "tension-close"),
            _ => ("tension-close", "tension-open"),
        };
        assert_valid(name, &line);
        assert!(!validator(other).is_valid(&line));
    }
}
