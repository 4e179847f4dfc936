//! `git sq carry` where something is odd: dry runs, hostile lines, cut history, other settings.

use git_sq_test_support::{Ran, World};
use serde_json::{Value, json};

use super::carry::{
    Main, branched, carry, expected, forget, move_main, moves, nothing_is_left, squash, topic,
};

#[test]
fn a_dry_run_leaves_everything_as_it_was() {
    let world = branched();
    move_main(&world, Main::Renamed);
    squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let state = |world: &World| {
        let objects = world.git(&["count-objects", "-v"]).ok();
        let refs = world.git(&["for-each-ref"]).ok();
        (objects, refs)
    };
    std::fs::remove_dir_all(world.dir.join(".git/sq")).unwrap();
    let before = state(&world);
    let ran = world.sq(&["carry", "-n"]);
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    assert!(ran.stdout.ends_with("Would carry 3 entries.\n"));
    assert!(ran.stdout.contains("merge-tree"), "{}", ran.transcript());
    assert_eq!(state(&world), before);
    assert!(!world.dir.join(".git/sq").exists());
    assert!(world.sq(&["carry"]).ok().ends_with("Carried 3 entries.\n"));
}

#[test]
fn hostile_lines_are_carried_as_they_are_and_steer_nothing() {
    let world = branched();
    move_main(&world, Main::Unmoved);
    let old = topic(&world)[2].clone();
    squash(&world);
    let commits = vec!["\u{1b}[2J"; 5000].join("\",\"");
    let odd = format!(
        "not json \u{1b}[2J\n{{\"kind\":\"\u{202e}\",\"id\":\"\u{1b}[31m\u{202e}\",\"head\":{{\"tree\":\"HEAD\",\"base\":\"--help\",\"patch_id\":\"x\",\"commits\":[\"{}\"]}}}}\n",
        commits.replace('\u{1b}', "\\u001b")
    );
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    world.plant(&[(&old, odd.as_bytes())]);
    let report = carry(&world, &[]);
    assert_eq!(report["carried"][0]["entries"].as_array().unwrap().len(), 2);
    assert_eq!(report["carried"][0]["rule"], "tree", "{report}");
    let note = world.note(report["carried"][0]["to"].as_str().unwrap());
    for line in odd.lines() {
        let mut copies = note.split(|&byte| byte == b'\n');
        assert!(copies.any(|copy| copy == line.as_bytes()));
    }
    let said = note.split(|&byte| byte == b'\n');
    let said = said.filter(|line| line.starts_with(b"{\"ts\":"));
    for line in said {
        assert!(!line.contains(&0x1b));
        assert!(!String::from_utf8_lossy(line).contains('\u{202e}'));
    }
    assert!(!world.sq(&["carry"]).stdout.contains('\u{1b}'));
}

#[test]
fn so_many_entries_that_one_line_can_t_name_them() {
    let world = World::new();
    world.ask(&["q1"]);
    world.write("a.txt", "a\n");
    let old = world.commit("One");
    let line = |number| {
        let id = format!("{number:026}");
        json!({"ts": "2026-01-01T00:00:00.000Z", "kind": "later", "id": id}).to_string()
    };
    let note = (0..3000).map(line).collect::<Vec<_>>().join(
        "
",
    );
    world.plant(&[(&old, note.as_bytes())]);
    world
        .git(&["commit", "--quiet", "--amend", "-m", "Better"])
        .ok();
    let said = world.sq(&["carry"]).ok();
    assert!(said.contains("3000 entries"), "{said}");
    let note = String::from_utf8(world.note("HEAD")).unwrap();
    let carried = note
        .lines()
        .filter(|line| line.contains("\"kind\":\"carry\""));
    assert_eq!(carried.clone().count(), 2);
    assert!(carried.clone().all(|line| line.len() <= 64 * 1024));
}

#[test]
fn what_lies_beyond_a_cut_is_not_known_to_be_lost() {
    let world = branched();
    world.git(&["switch", "--quiet", "main"]).ok();
    world.git(&["merge", "--quiet", "topic"]).ok();
    let url = format!("file://{}", world.dir.display());
    world
        .git(&["clone", "--quiet", "--depth=1", &url, "../shallow"])
        .ok();
    let shallow = world.root().join("shallow");
    let refspec = "refs/notes/sq:refs/notes/sq";
    world
        .git_in(&shallow, &["fetch", "--quiet", "origin", refspec])
        .ok();
    let ran = world.sq_in(&shallow, &["carry"]);
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    let says = "unknown: the home of 3 entries on 3 commits, ";
    assert!(ran.stdout.contains(says), "{}", ran.transcript());
    assert!(ran.stdout.ends_with("Nothing to carry.\n"));
}

#[test]
fn a_user_s_diff_settings_change_no_patch_id() {
    let world = World::new();
    let text: Vec<String> = (0..40).map(|n| format!("line {n}\n")).collect();
    let text = text.concat();
    world.write("old name.txt", &text);
    world.write("h\u{e9}.txt", "one\n");
    world.write(".gitattributes", "*.txt diff=words\n");
    world.write("slide", "1\n2\na\n\nb\n3\n4\n");
    world.write("seen.txt", "d\ne\na\nd\nc\nb\ne\n");
    world.write("picture", [0_u8, 1, 2]);
    world.ask(&["q1"]);
    world.git(&["switch", "--quiet", "-c", "topic"]).ok();
    world.git(&["mv", "old name.txt", "a name.txt"]).ok();
    world.write("a name.txt", text.replace("line 7\n", "seven\n"));
    world.write("picture", [0_u8, 1, 3]);
    world.write("h\u{e9}.txt", "two\n");
    // An insertion that slides, and an edit that algorithms see differently.
    world.write("slide", "1\n2\na\n\nb\na\n\nb\n3\n4\n");
    world.write("seen.txt", "a\nc\na\na\na\ne\na\n");
    world.commit("A rename, an edit and a picture");
    let id = |ran: Ran| {
        ran.ok();
        let line = world.lines().pop().unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        line["head"]["patch_id"].as_str().unwrap().to_owned()
    };
    // What git says that nobody configured.
    let diff = world.git(&[
        "diff",
        "-U0",
        "--full-index",
        "--no-ext-diff",
        "--no-textconv",
        "main..HEAD",
    ]);
    let printed = world.git_with_input(&["patch-id", "--stable"], diff.ok().as_bytes());
    let plain = printed.ok().split(' ').next().unwrap().to_owned();
    assert_eq!(id(world.record("s01")), plain);
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.renames", "copies"),
        ("diff.renameLimit", "1"),
        ("diff.algorithm", "patience"),
        ("diff.indentHeuristic", "false"),
        ("diff.context", "7"),
        ("diff.interHunkContext", "9"),
        ("diff.orderFile", "order"),
        ("diff.external", "false"),
        ("diff.words.textconv", "false"),
        ("diff.words.algorithm", "histogram"),
        ("diff.submodule", "log"),
        ("core.abbrev", "5"),
        ("color.diff", "always"),
        ("diff.suppressBlankEmpty", "true"),
        ("core.quotePath", "false"),
    ] {
        world.git(&["config", key, value]).ok();
    }
    world.write("order", "picture\n");
    assert_eq!(id(world.record("s02")), plain);
}

#[test]
fn objects_that_are_missing_are_unknown() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Renamed);
    squash(&world);
    // What the branch changed can't be read any more, nor merged.
    for commit in &topic {
        let blob = world.git(&["rev-parse", &format!("{commit}:near.txt")]);
        world.lose(blob.ok().trim());
    }
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let ran = world.sq(&["carry"]);
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    assert!(
        ran.stdout.contains("objects are missing"),
        "{}",
        ran.transcript()
    );
}

#[test]
fn a_commit_that_is_missing_on_another_branch_is_nobody_s_trouble() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Elsewhere);
    let pr = format!("{}..main", world.head());
    squash(&world);
    world.lose(&topic[0]);
    // A first session is known by what it recorded, the others by themselves.
    let report = carry(&world, &["--pr", &pr]);
    assert_eq!(moves(&report).len(), 3, "{report}");
    nothing_is_left(&world, 4);
}

#[test]
fn a_note_that_is_missing_is_unknown() {
    let world = branched();
    let blob = world.git(&["notes", "--ref=sq", "list", "HEAD"]).ok();
    world.lose(blob.trim());
    let ran = world.sq(&["carry"]);
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    assert!(ran.stdout.contains("the note on "), "{}", ran.transcript());
}

#[test]
fn a_log_that_was_never_fetched_is_unknown() {
    let world = World::new();
    world.ask(&["q1"]);
    world.git(&["remote", "add", "origin", "../origin"]).ok();
    let ran = world.sq(&["carry"]);
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    assert!(
        ran.stdout.contains("origin may have a log"),
        "{}",
        ran.transcript()
    );
}

#[test]
fn sha256_repositories_and_no_question_store() {
    let world = World::with_repo("repo", &["--object-format=sha256"]);
    world.ask(&["q1"]);
    world.git(&["switch", "--quiet", "-c", "topic"]).ok();
    for sid in ["s01", "s02"] {
        world.write("a.txt", sid);
        world.commit(sid);
        world.record(sid).ok();
    }
    world.git(&["switch", "--quiet", "main"]).ok();
    world
        .git(&["rm", "--quiet", "standing_questions.json"])
        .ok();
    world.commit("Ask nothing any more");
    squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let report = carry(&world, &[]);
    let rules: Vec<String> = moves(&report).into_iter().map(|(.., rule)| rule).collect();
    assert_eq!(rules, ["patch-id", "branch"], "{report}");
    assert_eq!(world.sq(&["carry"]).ok(), "Nothing to carry.\n");
}

#[test]
fn what_was_put_beside_the_tip_is_not_put_there_twice() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Elsewhere);
    world.git(&["branch", "--quiet", "side"]).ok();
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    world.git(&["switch", "--quiet", "side"]).ok();
    let side = world.commit("Beside");
    world.git(&["switch", "--quiet", "main"]).ok();
    let once = carry(&world, &["--onto", "side", &topic[2]]);
    assert_eq!(moves(&once), expected(&[(&topic[2], &side, "onto")]));
    let log = world.git(&["rev-parse", "refs/notes/sq"]).ok();
    let again = carry(&world, &["--onto", "side", &topic[2]]);
    assert_eq!(moves(&again), []);
    assert_eq!(world.git(&["rev-parse", "refs/notes/sq"]).ok(), log);
    // A branch has it now, with the line that says so, and no branch has the others.
    let rest = carry(&world, &[]);
    assert_eq!(rest["on_branches"], json!(2), "{rest}");
    assert_eq!(rest["homeless"].as_array().unwrap().len(), 2, "{rest}");
}

#[test]
fn the_same_change_twice_is_ambiguous() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Elsewhere);
    let first = squash(&world);
    world.git(&["revert", "--no-edit", &first]).ok();
    world.git(&["cherry-pick", &first]).ok();
    let second = world.head();
    forget(&world);
    let ran = world.sq(&["carry", "--format", "json"]);
    let report = ran.json();
    assert_eq!(ran.code, 1, "{report}");
    assert_eq!(moves(&report), [], "{report}");
    let rows = report["homeless"].as_array().unwrap();
    let row = rows.iter().find(|row| row["anchor"] == json!(topic[2]));
    let mut both = [first.clone(), second.clone()];
    both.sort();
    assert_eq!(row.unwrap()["why"], "ambiguous");
    assert_eq!(row.unwrap()["candidates"], json!(both));
    let text = world.sq(&["carry"]).stdout;
    let says = format!(
        "these match alike: {}, {}\n",
        &both[0][..10],
        &both[1][..10]
    );
    assert!(text.contains(&says), "{text}");
    // Not by the rest, but by name.
    let report = carry(&world, &["--onto", &second]);
    assert!(!moves(&report).iter().any(|(from, ..)| *from == topic[2]));
    let report = carry(&world, &["--onto", &second, &topic[2]]);
    assert_eq!(moves(&report), expected(&[(&topic[2], &second, "onto")]));
}

#[test]
fn so_much_history_that_not_all_of_it_is_tried_is_said() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Renamed);
    let squashed = squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let mut stream = String::new();
    for number in 0..200 {
        stream +=
            "commit refs/heads/main\ncommitter A <a@example.org> 1800000000 +0000\ndata 1\n.\n";
        if number == 0 {
            stream += "from refs/heads/main^0\n";
        }
        stream += &[
            "M 100644 inline n\ndata 3\n",
            &(100 + number).to_string(),
            "\n",
        ]
        .concat();
    }
    world
        .git_with_input(&["fast-import", "--quiet"], stream.as_bytes())
        .ok();
    world.git(&["reset", "--quiet", "--hard"]).ok();
    let ran = world.sq(&["carry", "-n"]);
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    let says = "merging was tried with the newest 200 places only: older ones may match\n";
    assert!(ran.stdout.contains(says), "{}", ran.transcript());
    // Where somebody says which commits to look at, it is found.
    let pr = format!("{squashed}~1..{squashed}");
    let report = carry(&world, &["--pr", &pr]);
    let home = expected(&[(&topic[2], &squashed, "merge-tree")]);
    assert!(moves(&report).contains(&home[0]), "{report}");
}

#[test]
fn the_report_for_people() {
    let world = branched();
    move_main(&world, Main::Elsewhere);
    squash(&world);
    forget(&world);
    // Beside it, a branch that was thrown away, and one that goes on.
    for name in ["away", "on"] {
        world.git(&["switch", "--quiet", "-c", name]).ok();
        world.write("near.txt", name);
        world.commit(name);
        world.record(name).ok();
        world.git(&["switch", "--quiet", "main"]).ok();
    }
    world.git(&["branch", "--quiet", "-D", "away"]).ok();
    let ran = world.sq(&["carry"]);
    insta::with_settings!({filters => vec![("\\b[0-9a-f]{10}\\b", "[commit]")]}, {
        insta::assert_snapshot!(ran.transcript());
    });
    // Each entry counts once, wherever it stands.
    let lines = world.sq(&["export"]).ok();
    assert_eq!(lines.lines().count(), 4, "{lines}");
}
