//! `git sq init` where the clone is odd: hostile names, links, several at once, records that are broken.

use git_sq_test_support::World;

fn with_commit() -> World {
    let world = World::new();
    world.commit("one");
    world
}

#[test]
fn a_promisor_is_never_an_option() {
    let world = with_commit();
    let id = world.blob(b"gone");
    world
        .git(&["config", "core.repositoryFormatVersion", "1"])
        .ok();
    let name = "--upload-pack=touch${IFS}../run;git-upload-pack";
    world.git(&["config", "extensions.partialClone", name]).ok();
    world.git(&["remote", "add", "origin", "../up.git"]).ok();
    for (key, value) in [("promisor", "true"), ("url", "../up.git")] {
        world
            .git(&["config", &format!("remote.{name}.{key}"), value])
            .ok();
    }
    world
        .git(&["clone", "--quiet", "--bare", ".", "../up.git"])
        .ok();
    let tree = world.tree(&[format!("100644 blob {id}\tstanding_questions.json")]);
    let commit = world.git(&["commit-tree", "-m", "ask", &tree]).ok();
    world
        .git(&["update-ref", "refs/heads/main", commit.trim()])
        .ok();
    world.lose(&id);
    let ran = world.sq(&["check"]);
    assert!(!world.root().join("run").exists(), "{}", ran.transcript());
}
