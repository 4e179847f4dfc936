//! Every command that a message names is one that git and this program take.

use std::{collections::BTreeSet, fs, path::Path};

use super::advice::{advised, published, run};

/// The text of every file of the program.
fn source(folder: &Path) -> String {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .map(|path| if path.is_dir() { source(&path) } else { fs::read_to_string(path).unwrap() })
        .collect()
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
            let ran = run(&team.world, &team.clone, &command);
            let refusals =
                ["is not a git command", "there is no command", "unexpected", "unknown option"];
            let is_none = refusals.iter().any(|words| ran.stderr.contains(words));
            is_none.then(|| format!("{command}: {}", ran.transcript()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
