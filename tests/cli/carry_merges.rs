//! What forges make of a branch when they merge it, and where its entries are afterwards: `git sq ci` of the default
//! branch is content wherever one commit is the home.

use std::path::PathBuf;

use git_sq_test_support::{Ran, each};
use serde_json::{Value, json};

use super::{
    carry::moves,
    ci::{Env, Forge},
};

/// A merged branch, of which the forge alone knows.
struct Merged {
    forge: Forge,
    /// Where the forge does its work; no hook of ours runs there.
    there: PathBuf,
    /// The commits of the branch, oldest first.
    topic: Vec<String>,
    /// The tip of main before.
    before: String,
}

impl Merged {
    /// A branch `work` of two sessions off main, which goes on by so many commits.
    fn after(moves: usize) -> Self {
        let forge = Forge::new();
        forge.team.git_ok("switch --quiet work");
        forge.work("s3", "three\n");
        forge.push("work");
        let there = forge.team.world.root().join("forge");
        forge.team.git_ok("clone --quiet ../remote.git ../forge");
        let topic = forge.team.git_ok("rev-list --reverse main..work");
        let topic = topic.lines().map(str::to_owned).collect();
        let merged = Self { forge, there, topic, before: String::new() };
        for number in 0..moves {
            merged.change(&format!("other{number}"));
        }
        merged.git("branch --quiet work origin/work");
        let before = merged.id("main");
        Self { before, ..merged }
    }

    fn git(&self, line: &str) -> String {
        self.forge.team.git_ok_in(&self.there, line)
    }

    fn id(&self, rev: &str) -> String {
        self.git(&format!("rev-parse {rev}")).trim().to_owned()
    }

    fn change(&self, path: &str) {
        std::fs::write(self.there.join(path), format!("{path}\n")).unwrap();
        self.git("add --all");
        self.forge.team.commit(&self.there, path);
    }

    /// Squashes the branch onto a commit.
    fn squash(&self, onto: &str) -> String {
        self.git(&format!("switch --quiet -C squash {onto}"));
        self.git("merge --quiet --squash work");
        self.forge.team.commit(&self.there, "Squashed");
        self.git("switch --quiet main");
        self.id("squash")
    }

    fn merge(&self, branch: &str) {
        self.git(&format!("merge --quiet --no-ff -m Merge {branch}"));
    }

    /// Pushes main without the branch; gives what a clone would carry, and the gate of the default branch.
    fn land(&self) -> (Value, Ran) {
        self.git("push --quiet --no-verify origin main :work");
        let team = &self.forge.team;
        team.git_ok("fetch --quiet --prune");
        team.git_ok("switch --quiet main");
        team.git_ok("reset --quiet --hard origin/main");
        team.git_ok("branch --quiet -D work");
        let report = team.try_sq_in(&team.clone, "carry -n --format json").json();
        let dir = self.forge.checkout("refs/heads/main", "refs/remotes/origin/main");
        let env: Env = &[
            ("GITLAB_CI", "true"),
            ("CI_COMMIT_BRANCH", "main"),
            ("CI_DEFAULT_BRANCH", "main"),
            ("CI_COMMIT_BEFORE_SHA", &self.before),
            ("CI_PIPELINE_ID", "7"),
        ];
        (report, self.forge.run(&dir, env, &["--format", "text"]))
    }

    /// The entries of each commit of the branch go to its home, and nothing is left.
    #[track_caller]
    fn goes_to(&self, homes: [&str; 2]) {
        let (report, gate) = self.land();
        let mut wanted: Vec<(&str, &str)> =
            self.topic.iter().map(String::as_str).zip(homes).collect();
        let mut found: Vec<_> = moves(&report).iter().map(|&(from, to, _)| (from, to)).collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted, "{report}");
        assert_eq!(report["orphaned"], json!([]), "{report}");
        assert_eq!(gate.code, 0, "{}", gate.transcript());
        assert_has!(gate.stdout, "Carried 2 entries.\n");
        let left = self.forge.team.sq_ok("sync") + &self.forge.team.sq_ok("carry");
        assert!(left.ends_with("Nothing to carry.\n"), "{left}");
    }

    /// Nobody can say which commit is the home, and the gate says so.
    #[track_caller]
    fn is_ambiguous(&self, candidates: &mut [&str]) {
        let (report, gate) = self.land();
        assert_eq!(moves(&report), [], "{report}");
        let row = each(&report["orphaned"]);
        let row = row.filter(|row| row["commit"] == self.topic[1].as_str());
        candidates.sort_unstable();
        let found: Vec<&Value> = row.map(|row| &row["candidates"]).collect();
        assert_eq!(found, [&json!(candidates)], "{report}");
        assert_has!(gate.stdout, "1 entry, ambiguous: ", "Nothing to carry.\n");
    }
}

/// GitLab's default: the squash has the start of the branch, or main as it was, as its parent.
#[test]
fn a_squash_under_a_merge_commit() {
    for (main_moves, onto) in [(0, "main"), (1, "main"), (1, "main~1"), (2, "main~1")] {
        let merged = Merged::after(main_moves);
        let squash = merged.squash(onto);
        merged.merge("squash");
        merged.goes_to([&squash, &squash]);
    }
}

/// Semi-linear history: rebased, and then merged by a commit with the same tree.
#[test]
fn a_rebase_under_a_merge_commit() {
    for main_moves in [0, 2] {
        let merged = Merged::after(main_moves);
        merged.git("rebase --quiet --force-rebase main work");
        merged.git("switch --quiet main");
        merged.merge("work");
        merged.goes_to([&merged.id("work~1"), &merged.id("work")]);
    }
}

#[test]
fn a_squash_under_the_merges_of_two_branches() {
    let merged = Merged::after(1);
    merged.git("switch --quiet -c develop");
    let squash = merged.squash("develop");
    merged.git("switch --quiet develop");
    merged.merge("squash");
    merged.git("switch --quiet main");
    merged.merge("develop");
    merged.goes_to([&squash, &squash]);
}

#[test]
fn a_fast_forward() {
    let merged = Merged::after(0);
    merged.git("merge --quiet --ff-only work");
    let (report, gate) = merged.land();
    assert_eq!(moves(&report), [], "{report}");
    assert_eq!(gate.code, 0, "{}", gate.transcript());
    // Of new commits.
    let merged = Merged::after(1);
    merged.git("rebase --quiet main work");
    merged.git("switch --quiet main");
    merged.git("merge --quiet --ff-only work");
    merged.goes_to([&merged.id("work~1"), &merged.id("work")]);
}

#[test]
fn what_is_reverted_and_applied_again_stays_where_it_was_first() {
    let merged = Merged::after(0);
    let squash = merged.squash("main");
    merged.merge("squash");
    merged.git("revert --no-edit -m 1 HEAD");
    merged.git("revert --no-edit HEAD");
    merged.goes_to([&squash, &squash]);
    // Of several commits, the last one.
    let merged = Merged::after(0);
    merged.git("rebase --quiet --force-rebase main work");
    merged.git("switch --quiet main");
    merged.git("merge --quiet --ff-only work");
    for reverted in ["HEAD", "HEAD~2", "HEAD", "HEAD~2"] {
        merged.git(&format!("revert --no-edit {reverted}"));
    }
    merged.goes_to([&merged.id("work~1"), &merged.id("work")]);
}

#[test]
fn what_is_also_on_a_release_branch_stays_on_the_main_one() {
    let merged = Merged::after(0);
    merged.git("switch --quiet -c release");
    merged.change("release notes");
    merged.git("switch --quiet main");
    let squash = merged.squash("main");
    merged.merge("squash");
    merged.git("switch --quiet release");
    merged.git(&format!("cherry-pick -x {squash}"));
    merged.git("switch --quiet main");
    merged.merge("release");
    merged.goes_to([&squash, &squash]);
}

#[test]
fn the_same_squash_twice_is_ambiguous() {
    let merged = Merged::after(1);
    let first = merged.squash("main");
    merged.git("merge --quiet --ff-only squash");
    merged.git("revert --no-edit HEAD");
    let second = merged.squash("main");
    merged.merge("squash");
    merged.is_ambiguous(&mut [&first, &second]);
}
