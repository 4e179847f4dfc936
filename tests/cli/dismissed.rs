//! Facts that a person called right as they are.

use git_sq_test_support::{World, each};

use crate::{
    facts::{RUST, world},
    facts_base::branched,
};

const FILE: &str = "context/standing_questions.closed.jsonl";

fn wrong(world: &World, args: &str) -> Vec<String> {
    let found = world.json(&format!("facts {args}"));
    let wrong = each(&found["facts"]).filter(|fact| fact["state"] != "holds");
    wrong.map(|fact| fact["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_dismissed_fact_is_shown_with_all_only() {
    let world = branched();
    let before = wrong(&world, "");
    let id = &before[0];
    assert_eq!(world.try_sq(&format!("facts {id} --dismiss")).code, 128);
    assert_eq!(world.try_sq("facts --dismiss").code, 129);
    let said = world.person_ok(&format!("facts {id} --dismiss --reason 'a sample'"));
    insta::assert_snapshot!(said.replace(id, "[id]"), @"
    context/standing_questions.closed.jsonl: closes
      fact          [id]  a path named in README.md
    Commit it, with context/.gitattributes: only what HEAD has is closed.
    ");
    assert_eq!(wrong(&world, ""), before);
    let again = world.person_ok(&format!("facts {id} --dismiss"));
    assert_eq!(again, "The worktree closes all of it already; only what HEAD has counts.\n");
    world.git_ok("add .");
    assert_eq!(wrong(&world, "--cached"), before[1..]);
    world.commit("dismiss it");
    assert_eq!(wrong(&world, ""), before[1..]);
    assert_eq!(world.try_sq("facts --exit-code").code, 1);
    assert_has!(world.sq_ok("facts --all"), " (dismissed)");
    assert_has!(world.sq_ok(&format!("facts {id}")), " (dismissed)");
    world.person_ok(&format!("facts {} --dismiss", before[1..].join(" ")));
    world.commit("dismiss the others");
    assert_eq!(world.try_sq("facts --exit-code").code, 0);
    // It is no question store.
    assert_eq!(world.try_sq("check").code, 128);
}

/// What was called right is what the page said.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_dismissal_ends_where_the_page_says_something_else() {
    let page = |version: &str| format!("# tool\n\nYou need Rust {version} or later.\n");
    let world = world(&[RUST, ("README.md", &page("1.75"), &page("1.75"))]);
    let id = wrong(&world, "").swap_remove(0);
    world.person_ok(&format!("facts {id} --dismiss"));
    let line = world.read(FILE);
    assert_has!(line, &format!(r#""closes":{{"kind":"fact","id":"{id}","says":["1.75"]}}"#));
    world.commit("dismiss it");
    let shown = world.sq_ok(&format!("facts {id}"));
    assert!(!shown.contains("Fix: ") && !shown.contains("--dismiss"), "{shown}");
    for args in [&*id, "--all"] {
        assert_eq!(world.sq_ok(&format!("facts --fix {args}")), "Nothing is wrong here.\n");
    }
    // The manifest goes on, and what the page says is as right as before.
    world.change("Cargo.toml", "[package]\nname = \"tool\"\nrust-version = \"1.85\"\n");
    assert!(wrong(&world, "").is_empty());
    world.change("README.md", page("1.78"));
    assert_eq!(wrong(&world, ""), [&*id]);
    world.person_ok(&format!("facts {id} --dismiss"));
    world.commit("dismiss it again");
    assert!(wrong(&world, "").is_empty());
    // A line from before there were values closes the fact whatever the page says.
    let old: Vec<String> =
        line.lines().map(|line| line.replace(r#","says":["1.75"]"#, "")).collect();
    world.change(FILE, old.join("\n") + "\n");
    assert!(wrong(&world, "").is_empty());
}

/// Those of the base count: a branch does not break a fact and dismiss it in one go.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn with_a_base_its_own_dismissals_count() {
    let world = branched();
    let broke = wrong(&world, "--base main");
    assert_eq!(broke.len(), 2);
    world.person_ok(&format!("facts --base main {} --dismiss", broke[0]));
    world.commit("dismiss it");
    assert_eq!(wrong(&world, "--base main"), broke);
    assert_has!(world.sq_ok("ci --base main"), &broke[0]);
    // The base has it, and the branch comes after.
    world.git_ok("switch -q -c dismissed main~1");
    world.git_ok(&format!("checkout work -- {FILE}"));
    world.commit("dismiss it first");
    world.git_ok("switch -q work");
    world.git_ok("merge -q -m merge dismissed");
    assert_eq!(wrong(&world, "--base dismissed"), broke[1..]);
}
