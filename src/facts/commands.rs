//! Commands that documents name, as `make test`, and that no manifest defines any more.
//!
//! A new tool is a row of `TOOLS`.

use std::{
    cell::LazyCell,
    collections::{BTreeMap, BTreeSet},
    iter::from_fn,
};

use regex::escape;
use serde_json::{Value, json};

use super::{
    claim::{Claim, Target, Topic},
    document::{Document, Line, Lines, spans},
    place::Place,
    tree::{NONE, Tree, folder, pattern},
};
use crate::{evidence::joined, git};

pub struct Tool {
    /// The word for the thing that it runs: for one, and for several.
    pub one: &'static str,
    pub noun: &'static str,
    pub word: &'static str,
    /// The name is the first group.
    command: &'static str,
    /// Manifests in the folder of a document or above.
    manifests: &'static [&'static str],
    /// Everything that may define a name.
    files: &'static str,
    /// The names that a line defines are the words of the first group; scripts are keys of JSON.
    defines: &'static str,
    /// Beside such a file, a manifest may be made by a program.
    makers: &'static str,
    /// Names that the tool itself defines.
    own: &'static str,
}

#[rustfmt::skip]
pub const TOOLS: [Tool; 6] = [
    Tool { one: "a script", noun: "scripts", word: " run",
        command: r"(?:npm|pnpm|yarn|bun) (?:--?[\w-]+(?:=\S+)? )*run(?:-script)? (?:--?[\w-]+(?:=\S+)? )*([A-Za-z][\w:-]*)",
        manifests: &["package.json"], files: r"(^|/)package\.json$", defines: NONE, makers: NONE, own: "" },
    Tool { one: "a script", noun: "scripts", word: "yarn ",
        command: r"yarn ([A-Za-z][\w:-]*)",
        manifests: &["package.json"], files: r"(^|/)package\.json$", defines: NONE, makers: NONE,
        own: "access add audit autoclean bin cache check config constraints create dedupe dlx exec explain generate-lock-entry global help import info init install licenses link list lockfile login logout node npm outdated owner pack patch patch-commit plugin policies publish rebuild remove run search self-update set stage tag team unlink unplug up upgrade upgrade-interactive version versions why workspace workspaces" },
    Tool { one: "a script", noun: "scripts", word: "pnpm ",
        command: r"pnpm ([A-Za-z][\w:-]*)",
        manifests: &["package.json"], files: r"(^|/)package\.json$", defines: NONE, makers: NONE,
        own: "access add approve-builds audit bin bugs c cache cat-file cat-index ci clean config create dedupe deploy deprecate dist-tag dlx docs doctor edit env exec explore fetch find-hash get help i ignored-builds import info init install install-test it la licenses link list ll ln login logout ls m multi outdated owner pack patch patch-commit patch-remove ping pkg prefix profile prune publish rb rebuild recursive remove repo restart rm root rt run run-script runtime s search self-update server set set-script setup star start stop store t team test token tst un uninstall unlink unpublish up update upgrade v version view whoami why x" },
    Tool { one: "a target", noun: "targets", word: "make ",
        command: r"make ([A-Za-z][\w.-]*)",
        manifests: &["Makefile", "GNUmakefile", "makefile"],
        files: r"(^|/)((GNU)?[Mm]akefile[^/]*|[^/]*\.(mk|mak|make))$",
        defines: r"^([^\s:#=$][^:#=$\n]*?)\s*::?(?:[^=:]|$)",
        makers: r"(^|/)(CMakeLists\.txt|configure(\.(ac|in|py))?|Makefile\.(am|in|PL)|Configure|meson\.build)$",
        own: "" },
    Tool { one: "a recipe", noun: "recipes", word: "just ",
        command: r"just ([A-Za-z_][\w-]*)",
        manifests: &["justfile", "Justfile", ".justfile"], files: r"(?i)(^|/)(\.?justfile|[^/]*\.just)$",
        defines: r"^(?:@|alias |mod\?? )?([A-Za-z_][\w-]*)",
        makers: NONE, own: "" },
    Tool { one: "a task", noun: "tasks", word: "task ",
        command: r"task ([A-Za-z][\w:-]*)",
        manifests: &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
        files: r"(?i)(^|/)taskfile[^/]*\.ya?ml$",
        defines: r#"^\s+["']?([\w:-]+)["']?\s*:"#,
        makers: NONE, own: "" },
];

/// The lines by which a makefile includes others, or makes targets up.
const INCLUDE: &str = r"^(-?)(?:s?)include[ \t]+([^\n]+)|\$\(eval\b";

/// Where a command begins on a line of code, and ends.
const BEGIN: &str = r"(?:^|[$>%#;(&|] ?|\bsudo |\bexec )\s*(?:[A-Z_]+=\S* )*";
const END: &str = r#"(?:[\s;)&|"'`]|$)"#;

/// The commands in code of documents whose names nothing defines.
pub fn absent(tree: &Tree, documents: &[Document]) -> git::Result<Vec<Claim>> {
    let entrances = documents
        .iter()
        .filter(|document| document.is_entrance)
        .map(|document| {
            let find = || of_document(document);
            Ok((document, tree.answers.value(document.blob, "commands".to_owned(), find)?))
        })
        .collect::<git::Result<Vec<_>>>()?;
    let mut claims = Vec::new();
    for (number, tool) in TOOLS.iter().enumerate() {
        let mut known: Option<BTreeSet<String>> = None;
        for (document, commands) in &entrances {
            let mut commands = commands[number].clone();
            let manifests: Vec<String> = above(&document.file)
                .flat_map(|above| tool.manifests.iter().filter_map(move |name| joined(above, name)))
                .collect();
            if commands.is_empty() || !are_readable(tree, tool, &manifests)? {
                continue;
            }
            let known = match &mut known {
                Some(known) => known,
                none => none.insert(all_definitions(tree, tool)?),
            };
            let is_own = |name: &String| tool.own.split(' ').any(|own| own == name);
            commands.retain(|name, _| !is_defined(known, name) && !is_own(name));
            claims.extend(commands.into_iter().map(|(name, (says, lines))| Claim {
                place: Place { file: document.file.clone(), lines, says, ..Place::default() },
                topic: Topic::Commands(number),
                target: Target::Defined { name, files: manifests.clone(), tool: number },
                is_broken_anyway: false,
                is_likely: true,
            }));
        }
    }
    Ok(claims)
}

/// The names that a tool is told to run, each with its command and lines.
type Commands = BTreeMap<String, (String, Vec<usize>)>;

/// The commands of each tool.
fn of_document(document: &Document) -> git::Result<Vec<Commands>> {
    let lines = LazyCell::new(|| document.lines());
    let of_tool = |tool: &Tool| {
        if !document.text.contains(tool.word) {
            return Ok(Commands::new());
        }
        commands(LazyCell::force(&lines).as_ref().map_err(Clone::clone)?, tool)
    };
    TOOLS.iter().map(of_tool).collect()
}

fn commands(lines: &Lines, tool: &Tool) -> git::Result<Commands> {
    let command = pattern(&format!("(?-u){BEGIN}({}){END}", tool.command))?;
    let mut found = Commands::new();
    let is_read = |line: &&Line| !line.is_printed && line.text.contains(tool.word);
    for line in lines.lines.iter().filter(is_read) {
        for (code, column) in code(line) {
            // What a command does in another folder is another's.
            if code.contains("cd ") || code.contains(" -C") || code.contains(" --prefix") {
                continue;
            }
            for says in command.captures_iter(code.as_bytes()) {
                let (Some(says), Some(name)) = (says.get(1), says.get(2)) else { continue };
                if !line.is_code && lines.is_told(line, column, false)? {
                    continue;
                }
                let (says, name) = (&code[says.range()], &code[name.range()]);
                let (_, lines) =
                    found.entry(name.to_owned()).or_insert((says.to_owned(), Vec::new()));
                lines.push(line.number);
                lines.dedup();
            }
        }
    }
    Ok(found)
}

/// The code on a line, and its columns.
fn code<'l>(line: &Line<'l>) -> Vec<(&'l str, usize)> {
    if line.is_code { vec![(line.text.trim(), 0)] } else { spans(line.text) }
}

/// False if a manifest has names that only the tool itself can find.
fn are_readable(tree: &Tree, tool: &Tool, manifests: &[String]) -> git::Result<bool> {
    if !tree.all(tool.makers)?.is_empty() {
        return Ok(false);
    }
    let [include, files] = [pattern(INCLUDE)?, pattern(tool.files)?];
    for manifest in manifests {
        let text = tree.text(manifest)?.unwrap_or_default();
        for found in include.captures_iter(text.as_bytes()) {
            let (Some(dash), Some(words)) = (found.get(1), found.get(2)) else { return Ok(false) };
            let words = &text[words.range()];
            let is_read = |word: &str| {
                let path = joined(folder(manifest), word);
                path.is_some_and(|path| tree.has(&path) && files.is_match(path.as_bytes()))
            };
            // A file that may be missing is the reader's own.
            let is_optional = !dash.is_empty() && !words.contains(['$', '*']);
            if !is_optional && !words.split_whitespace().all(is_read) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn all_definitions(tree: &Tree, tool: &Tool) -> git::Result<BTreeSet<String>> {
    let mut known = BTreeSet::new();
    for file in tree.all(tool.files)? {
        known.extend(definitions(tool, &tree.text(file)?.unwrap_or_default())?);
    }
    Ok(known)
}

/// The names that a manifest defines.
pub fn definitions(tool: &Tool, text: &str) -> git::Result<BTreeSet<String>> {
    if tool.defines == NONE {
        let manifest: Value = serde_json::from_str(text).unwrap_or_default();
        let scripts = manifest["scripts"].as_object();
        return Ok(scripts.into_iter().flat_map(|scripts| scripts.keys().cloned()).collect());
    }
    let defines = pattern(tool.defines)?;
    let words = defines.captures_iter(text.as_bytes()).filter_map(|found| found.get(1));
    Ok(words.flat_map(|words| text[words.range()].split_whitespace()).map(str::to_owned).collect())
}

/// Also true if a pattern of a makefile, as `test-%`, stands for it.
pub fn is_defined(known: &BTreeSet<String>, name: &str) -> bool {
    known.contains(name)
        || known.iter().filter_map(|known| known.split_once('%')).any(|(before, after)| {
            name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after))
        })
}

/// The folder of a file, and all above.
fn above(file: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder(file));
    from_fn(move || {
        let at = next?;
        next = (!at.is_empty()).then(|| folder(at));
        Some(at)
    })
}

/// A probe of the names that a document has, and that no manifest defines.
pub fn probe(number: usize, file: &str, places: &[Place]) -> Value {
    let tool = &TOOLS[number];
    let names: Vec<&str> =
        places.iter().filter_map(|place| place.says.rsplit(' ').next()).collect();
    let names = names.iter().map(|name| escape(name)).collect::<Vec<_>>().join("|");
    let commands =
        places.iter().map(|place| place.says.rsplit_once(' ').map_or("", |(before, _)| before));
    let commands: BTreeSet<String> = commands.map(escape).collect();
    let commands = Vec::from_iter(commands).join("|");
    let manifests = tool.manifests.iter().map(|name| format!(":(glob)**/{name}"));
    json!({ "subset": [
        { "grep": { "pattern": format!(r"(?:{commands}) ({names}){END}"), "paths": [file], "capture": 1 } },
        { "grep": {
            "pattern": format!(r#"^\s*["'@]?({names})["']?(?:\s[^=]*)?:(?:[^=]|$)"#),
            "paths": manifests.collect::<Vec<_>>(), "capture": 1,
        } },
    ] })
}
