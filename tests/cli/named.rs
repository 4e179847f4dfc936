//! Every command that a message names is one that git and this program take.

use std::{collections::BTreeSet, fs, path::Path};

use super::advice::{advised, published};

/// The text of every file of the program.
fn source(folder: &Path) -> String {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.map(|path| if path.is_dir() { source(&path) } else { text_of(&path) }).collect()
}

/// Snapshots need not be text.
fn text_of(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Of commands that only tell more, it is enough that there is such a command, and that it takes these words.
#[test]
fn every_command_that_is_named_exists() {
    let text = source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let commands: BTreeSet<&str> = text
        .lines()
        .filter(is_code)
        .flat_map(advised)
        .filter(|command| !command.contains(['{', '"', '\\', '(']))
        .collect();
    assert!(commands.len() > 60, "{commands:#?}");
    let team = published();
    let is_word = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
    let wrong: Vec<String> = commands
        .into_iter()
        .filter_map(|command| {
            let filled = command.split(' ').map(|word| match word {
                "HEAD" => word,
                "COMMAND" => "record",
                _ if is_word(word) => "q1",
                _ => word,
            });
            let command = filled.collect::<Vec<_>>().join(" ");
            let ran = team.world.shell_in(&team.clone, &command);
            let refusals =
                ["is not a git command", "there is no command", "unexpected", "unknown option"];
            let is_none = refusals.iter().any(|words| ran.stderr.contains(words));
            is_none.then(|| format!("{command}: {}", ran.transcript()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Commands that change something, by the test that runs them where they are printed.
const RUN: &[(&str, &[&str])] = &[
    ("what_a_branch_has_stays_there_unless_it_is_named", &["git sq carry COMMIT..."]),
    (
        "what_is_advised_mends",
        &[
            "git checkout --ignore-skip-worktree-bits HEAD -- {word}",
            "git checkout HEAD -- {word}",
            "git checkout {} -- {}",
            "git config sq.questions PATH",
            "git config {key} true",
            "git fetch",
            "git fetch --unshallow",
            "git remote add origin URL",
            "git remote add {name} URL",
            "git remote set-url {name} URL",
            "git sq init",
            "git sq init --no-hooks",
        ],
    ),
    ("what_doctor_advises_mends_and_loses_nothing", &["git sq sync", "git sq doctor --fix"]),
    ("a_submodule_is_not_followed_and_outdates_nothing", &["git sq probe {probe}"]),
    ("a_reftable_repository", &["git refs migrate --ref-format=files"]),
    ("a_ref_that_can_t_hold_the_log_is_refused", &["git config {key} {instead}"]),
    ("clones_that_are_set_to_different_refs_hear_of_it", &["git -c {key} sq sync {word}"]),
    ("a_clone_that_does_not_read_the_ref_of_the_log_is_told", &["git config sq.logRef {name}"]),
    (
        "an_agent_runs_no_command_unless_the_user_s_own_configuration_lets_it",
        &["git config --global sq.agentCommands true"],
    ),
    (
        "approval_is_given_on_a_terminal_and_shows_what_it_is_bound_to",
        &["git sq question approve {name}", "git sq question approve"],
    ),
    ("a_changed_wording_leads_to_reword", &["git sq question reword {id} 'the new wording'"]),
    (
        "a_rewrite_takes_no_look_out_of_the_gate",
        &["git sq carry", "git sq carry {0}", "git sq check --accept {entry}"],
    ),
    (
        "a_purged_line_comes_back_from_no_clone_and_fails_the_gate_until_that_is_agreed",
        &["git sq check --accept '{line}'"],
    ),
    (
        "a_blocking_fact_that_a_proposal_changes_waits_for_a_person",
        &["git sq triage {name} --expected --because TEXT"],
    ),
    (
        "without_a_match_somebody_can_name_the_home",
        &["git sq carry --onto REV COMMIT", "git sq carry --onto"],
    ),
    ("bad_lines_are_named_and_nothing_is_written_unless_told", &["git sq import --skip-bad"]),
    ("another_versions_files_are_told_and_updated", &["git sq agent install {name} --{scope}"]),
    (
        "the_value_of_the_side_that_moved_is_written_as_precisely_as_the_old_one",
        &["git sq facts --fix"],
    ),
    ("the_diff_applies_whatever_ends_a_line", &["git apply --unidiff-zero"]),
    ("an_index_with_conflicts_is_refused", &["git add"]),
    ("that_git_ignores_the_file_is_said", &["git add -f"]),
    (
        "a_base_that_was_not_fetched",
        &["git fetch {remote} +refs/heads/{branch}:refs/remotes/{revision}"],
    ),
    ("a_run_is_closed_beside_a_store_of_the_first_format", &["git sq check --accept {id}"]),
    ("a_branch_from_before_the_questions_gets_none_of_its_own", &["git merge {}"]),
    ("a_person_accepts_exactly_one_line_that_can_t_be_read", &["git sq check --accept {digest}"]),
    (
        "a_correction_disputes_and_a_person_settles_it",
        &["git sq triage {side} {name} --agree --because '...'"],
    ),
];

/// The others, by the reason why no test runs them where they are printed.
const TOLD: &[(&str, &[&str])] = &[
    (
        "they only show something",
        &[
            "git var GIT_PAGER",
            "git config --list --local",
            "git var GIT_EDITOR",
            "git config web.browser",
            "git fsck",
            "git help config",
            "git help glossary",
            "git help web--browse",
            "git log",
            "git log --stat",
            "git log -g refs/notes/remotes/REMOTE/sq",
            "git log -1 {commit}",
            "git log -p refs/notes/sq",
            "git log refs/notes/sq",
            "git ls-remote {}",
            "git notes --ref=sq list",
            "git remote",
            "git show {commit}:PATH",
            "git sq brief",
            "git sq check",
            "git sq check --explain {}",
            "git sq doctor",
            "git sq facts",
            "git sq facts --all",
            "git sq facts {name}",
            "git sq help --all",
            "git sq help COMMAND",
            "git sq log",
            "git sq log --all",
            "git sq log --format json",
            "git sq probe JSON",
            "git sq question approve --list",
            "git sq question lint",
            "git sq question list",
            "git sq question list --all",
            "git sq record -h",
            "git sq show",
            "git sq show {name}",
            "git sq show {}",
            "git sq tension list --all",
            "git sq tension list --all --format json",
            "git sq trace ID",
            "git sq trace {name}",
            "git sq triage",
            "git sq triage --all",
            "git sq triage {name}",
            "git sq verify --checkpoint-out FILE",
            "git sq verify --entry {entry}",
            "git sq verify --log",
            "git sq verify {options}",
        ],
    ),
    (
        "they are what a sentence is about, and no advice",
        &[
            "git bundle",
            "git fetch {name}",
            "git gc",
            "git notes",
            "git repack",
            "git config sq.questions",
            "git sq",
            "git sq --help",
            "git sq --format json",
            "git sq brief --format json",
            "git sq check --format json",
            "git sq export --strict-v1",
            "git sq fleet --format json",
            "git sq init --undo",
            "git sq record --json",
            "git sq schema",
            "git sq show --format json",
            "git sq state set --json",
            "git sq stats --format json",
            "git sq verify --format json",
            "git {verb}",
        ],
    ),
    (
        "a person decides, and fills in what",
        &[
            "git --git-dir=PATH sq",
            "git -C PATH sq",
            "git init",
            "git remote rename",
            "git sq agent install claude",
            "git sq agent remove",
            "git sq check --accept",
            "git sq question add",
            "git sq question reword",
            "git sq question reword {} {wording} --watch PATH",
            "git sq record",
            "git sq redact {id} --because 'it held a secret'",
        ],
    ),
    (
        "the remote has to fail first, and they are tried by hand until it does not",
        &["git sq sync {to}", "git sq sync {}", "git fetch --refetch --no-filter"],
    ),
];

/// A new one is run by a test where it is printed, or has its reason here.
#[test]
fn every_command_that_is_advised_is_run_or_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = source(&root.join("src"));
    let printed: BTreeSet<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|command| command.starts_with("git "))
        .collect();
    let listed: Vec<&str> =
        RUN.iter().chain(TOLD).flat_map(|(_, commands)| *commands).copied().collect();
    let known: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(known.len(), listed.len(), "one is listed twice");
    let new: Vec<_> = printed.difference(&known).collect();
    let gone: Vec<_> = known.difference(&printed).collect();
    assert!(new.is_empty() && gone.is_empty(), "new: {new:#?}\nno longer printed: {gone:#?}");
    let tests = source(&root.join("tests/cli"));
    for (test, _) in RUN {
        assert!(tests.contains(&format!("\nfn {test}() {{")), "there is no test {test}");
    }
}
