//! Metrics, alerts and queries as Prometheus's own tool judges them; Debian's package `prometheus` has it.

use std::{
    fs, io,
    process::{Command, Output, Stdio},
};

use git_sq_test_support::{World, fleet::fleet};

/// Runs promtool on a file; `None`, and says so, where it is not installed.
fn promtool(args: &[&str], file: &std::path::Path) -> Option<Output> {
    let mut command = Command::new("promtool");
    command.args(args);
    if args.last() == Some(&"metrics") {
        command.stdin(Stdio::from(fs::File::open(file).unwrap()));
    } else {
        command.arg(file);
    }
    match command.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            println!("skipped: promtool is not installed (Debian's package prometheus has it)");
            None
        }
        ran => Some(ran.unwrap()),
    }
}

/// The block of docs/ci.md that is marked so.
fn block(mark: &str) -> &'static str {
    let (_, block) =
        include_str!("../../docs/ci.md").split_once(&format!("\n```{mark}\n")).unwrap();
    block.split("\n```").next().unwrap()
}

#[track_caller]
fn assert_accepts(args: &[&str], world: &World, text: &str) {
    let file = world.root().join("input.yml");
    fs::write(&file, text).unwrap();
    let Some(ran) = promtool(args, &file) else {
        return;
    };
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.is_empty(), "{said}\n{text}");
}

#[test]
fn promtool_accepts_the_metrics() {
    let world = World::answered("s1");
    world.pass(90);
    world.record("s1").ok();
    world.commit("work");
    world.sq_ok("record --sid s2 --delta q1=other");
    for line in [
        "stats --format openmetrics",
        "stats --format openmetrics --by-question",
        "stats --format openmetrics --repository 'a\"}\\\n# x'",
    ] {
        assert_accepts(&["check", "metrics"], &world, &world.sq_ok(line));
    }
    let (world, members) = fleet(2);
    let paths: Vec<&str> = members.iter().map(|member| member.path.to_str().unwrap()).collect();
    let ran = world.sq(&[&["fleet", "--format", "openmetrics"], &paths[..]].concat());
    assert_accepts(&["check", "metrics"], &world, &ran.stdout);
}

#[test]
fn promtool_accepts_the_alerts_and_queries_of_the_docs() {
    let world = World::without_repo();
    assert_accepts(&["check", "rules"], &world, block("yaml alerts"));
    let rules = block("promql")
        .lines()
        .enumerate()
        .map(|(number, query)| format!("      - record: query{number}\n        expr: {query}\n"));
    let rules: String = rules.collect();
    let text = format!("groups:\n  - name: queries\n    rules:\n{rules}");
    assert_accepts(&["check", "rules"], &world, &text);
}
