//! Facts that a person called right as they are.

use git_sq_test_support::World;

use crate::facts_base::branched;

const FILE: &str = "context/standing_questions.closed.jsonl";

fn wrong(world: &World, args: &str) -> Vec<String> {
    let found = world.json(&format!("facts {args}"));
    let wrong = found["facts"].as_array().unwrap().iter().filter(|fact| fact["state"] != "holds");
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
    assert_eq!(wrong(&world, ""), before[1..]);
    assert_eq!(world.try_sq("facts --exit-code").code, 1);
    assert_has!(world.sq_ok("facts --all"), " (dismissed)");
    assert_has!(world.sq_ok(&format!("facts {id}")), " (dismissed)");
    world.person_ok(&format!("facts {} --dismiss", before[1..].join(" ")));
    assert_eq!(world.try_sq("facts --exit-code").code, 0);
    // It is no question store.
    assert_eq!(world.try_sq("check").code, 128);
}

/// Those of the base count: a branch does not break a fact and dismiss it in one go.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn with_a_base_its_own_dismissals_count() {
    let world = branched();
    let broke = wrong(&world, "--base main");
    assert_eq!(broke.len(), 2);
    world.person_ok(&format!("facts --base main {} --dismiss", broke[0]));
    world.git_ok("add --all");
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
