//! Tools that pre-commit and a lock file pin.

use super::{
    facts::{Fact, place},
    tree::{Tree, folder, join},
};
use crate::{git, question};

const LOCKS: [&str; 7] = [
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "requirements-dev.txt",
    "requirements.txt",
    "requirements/dev.txt",
    "package-lock.json",
];

pub fn pins(tree: &Tree) -> git::Result<Vec<Fact>> {
    let mut pins = Vec::new();
    let Ok(hook) = question::regex(r#"\brepo:\s*["']?(\S+/([\w.-]+?)(?:\.git)?)["']?\s+rev:"#)
    else {
        return Ok(pins);
    };
    let files = tree
        .own()
        .filter(|path| path.ends_with(".pre-commit-config.yaml"));
    for path in files {
        let Some(text) = tree.text(path)? else {
            continue;
        };
        for found in hook.captures_iter(text.as_bytes()) {
            let part = |group| found.get(group).map(|part| &text[part.range()]);
            let (Some(repo), Some(name)) = (part(1), part(2)) else {
                continue;
            };
            let tool = name
                .trim_start_matches("mirrors-")
                .trim_end_matches("-mirror");
            let tool = regex::escape(tool.trim_end_matches("-pre-commit"));
            let pin = format!(
                r#"{}(?:\.git)?["']?\s+rev:\s*["']?v?(\d+(?:\.\d+)+)"#,
                regex::escape(repo.trim_end_matches(".git"))
            );
            let locked = format!(
                r#"^(?:name = "{tool}"\s+version = "|{tool}==|\s*"node_modules/{tool}": \{{\s+"version": ")(\d+(?:\.\d+)+)"#
            );
            let Some(pinned) = place(path, &text, &pin) else {
                continue;
            };
            for lock in LOCKS.map(|lock| join(folder(path), lock)) {
                let text = tree.text(&lock)?.unwrap_or_default();
                if let Some(manifest) = place(&lock, &text, &locked) {
                    pins.push(Fact {
                        word: tool.replace('\\', ""),
                        name: format!("version of {}", tool.replace('\\', "")),
                        manifest,
                        places: vec![pinned.clone()],
                    });
                    break;
                }
            }
        }
    }
    Ok(pins)
}
