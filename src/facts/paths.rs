//! Paths that documents name, and that are not there.

use std::collections::BTreeMap;

use regex::escape;
use serde_json::{Value, json};

use super::{
    claim::{Claim, From, Target, Topic},
    document::Document,
    names::{Form, Name, names},
    tree::{Tree, last, pattern},
    versions::Place,
};
use crate::{evidence::joined, git};

/// Manifests that say where the repository is hosted.
const MANIFESTS: [&str; 12] = [
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "go.mod",
    "composer.json",
    "mix.exs",
    "pubspec.yaml",
    "build.gradle",
    "pom.xml",
    "Package.swift",
];

/// A key of such a manifest, and the host, owner and name of a repository.
const HOME: &str = r#"(?i-u)\b(?:repository|repo|source|source[_ -]?code|source_?url|url|homepage|module|scm|connection)\b[^\n]{0,40}?\b((?:github|gitlab|codeberg|bitbucket)\.(?:com|org)[/:][\w.-]+/[\w.-]+?)(?:\.git)?(?:["'/#\s<]|$)"#;

/// The host, and the owner and name, in the address of a remote.
const ADDRESS: &str = r"(?-u)^(?:\w+://)?(?:[^@/]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/]([\w.~-]+(?:/[\w.-]+?)+)(?:\.git)?/?$";

/// Branches whose files are those of HEAD, sooner or later.
const BRANCHES: [&str; 7] = ["main", "master", "HEAD", "trunk", "develop", "dev", "next"];

/// Endings that sites add to the targets of links.
const ENDINGS: [&str; 7] = [".md", ".mdx", ".rst", ".adoc", ".html", "/index.md", "/README.md"];

/// The names in documents whose paths are absent; with `is_all`, less certain ones, too.
pub fn absent(tree: &Tree, documents: &[Document], is_all: bool) -> git::Result<Vec<Claim>> {
    let url = own_url(tree)?;
    let has_url = |text: &str| -> git::Result<bool> {
        let url = url.as_ref().map(|url| pattern(url)).transpose()?;
        Ok(url.is_some_and(|url| url.is_match(text.as_bytes())))
    };
    let mut claims = Vec::new();
    for document in documents.iter().filter(|document| !document.is_news) {
        let is_read = document.is_entrance || is_all;
        if !is_read && !has_url(&document.text)? {
            continue;
        }
        let lines = document.lines();
        let mut seen: BTreeMap<(Form, String), Option<Claim>> = BTreeMap::new();
        for line in &lines.lines {
            for name in names(document, line, url.as_deref())? {
                if !is_read && name.form != Form::Url {
                    continue;
                }
                let (form, column) = (name.form, name.column);
                let key = (form, name.says.clone());
                let claim = seen.entry(key).or_insert_with(|| claim(tree, document, name));
                if let Some(Claim { place, .. }) = claim
                    && place.lines.last() != Some(&line.number)
                    && !(form.is_words() && lines.is_told(line, column)?)
                {
                    place.lines.push(line.number);
                }
            }
        }
        claims.extend(seen.into_values().flatten().filter(|claim| !claim.place.lines.is_empty()));
    }
    // The same path in a URL and in words is one place.
    claims.sort_by(|one, two| place_of(one).cmp(&place_of(two)));
    claims.dedup_by(|two, one| {
        let is_same = one.place.file == two.place.file && one.place.says == two.place.says;
        if is_same {
            one.place.lines.append(&mut two.place.lines);
            one.place.lines.sort_unstable();
            one.place.lines.dedup();
        }
        is_same
    });
    claims.sort_by(|one, two| {
        (&one.place.file, &one.place.lines).cmp(&(&two.place.file, &two.place.lines))
    });
    Ok(claims)
}

/// Sorts the more certain claim about a path first.
fn place_of(claim: &Claim) -> (&str, &str, bool, bool) {
    let Claim { place, is_likely, is_broken_anyway, .. } = claim;
    (&place.file, &place.says, !is_likely, !is_broken_anyway)
}

/// `None` if it is there, or need not be.
fn claim(tree: &Tree, document: &Document, name: Name) -> Option<Claim> {
    let Document { file, is_for_agents, is_entrance, .. } = document;
    let Name { form, says, path, .. } = name;
    let is_link = matches!(form, Form::Link | Form::Import);
    let from = match form {
        Form::Url => From::Root,
        Form::Bare => From::Document,
        Form::Code | Form::Link | Form::Import => From::Either,
    };
    let paths: Vec<String> =
        from.folders(file).filter_map(|folder| joined(folder, &path)).collect();
    let is_made = |path: &String| tree.is_ignored(path) || tree.is_marked(path);
    let is_there = |path: &String| {
        path.is_empty() || tree.has(path) || is_link && is_there_on_a_site(tree, path)
    };
    if paths.iter().any(|path| is_there(path) || is_made(path)) {
        return None;
    }
    // A path that leaves the repository is a mistake for one that is there.
    let inside = path.trim_start_matches("../");
    if paths.is_empty() && !(is_link && tree.has(inside)) {
        return None;
    }
    if !is_link && form != Form::Url && tree.has_anywhere(&path) {
        return None;
    }
    let is_anywhere = form == Form::Bare && *is_for_agents;
    Some(Claim {
        place: Place { file: file.clone(), says, ..Place::default() },
        topic: Topic::Paths,
        is_broken_anyway: is_link && *is_entrance && !path.starts_with('/'),
        is_likely: *is_entrance || form == Form::Url,
        target: match is_anywhere {
            true => Target::Anywhere(path),
            false => Target::Path { path, from },
        },
    })
}

/// Sites show a page under the name of its source without the ending, or with another one.
fn is_there_on_a_site(tree: &Tree, path: &str) -> bool {
    let stem = path.strip_suffix(".html").unwrap_or(path).trim_end_matches('/');
    !last(stem).contains('.') && ENDINGS.iter().any(|ending| tree.has(&format!("{stem}{ending}")))
}

/// A pattern of URLs of files of this repository, whose first group is the path.
fn own_url(tree: &Tree) -> git::Result<Option<String>> {
    let [address, home] = [pattern(ADDRESS)?, pattern(HOME)?];
    let mut homes = Vec::new();
    for remote in tree.repo.remotes() {
        let fetched = tree.repo.addresses(&remote)?.fetch.unwrap_or_default();
        homes.extend(address.captures(fetched.as_bytes()).map(|found| {
            let [host, path] = found.extract().1.map(String::from_utf8_lossy);
            format!("{host}/{path}")
        }));
    }
    for manifest in MANIFESTS {
        let text = tree.text(manifest)?.unwrap_or_default();
        homes.extend(
            home.captures_iter(text.as_bytes())
                .filter_map(|found| Some(text[found.get(1)?.range()].replacen(':', "/", 1))),
        );
    }
    homes.sort();
    homes.dedup();
    let default = tree.repo.default_branch(None)?.map(|(branch, _)| branch);
    let branches = BRANCHES.iter().map(ToString::to_string).chain(default);
    let branches = branches.map(|branch| escape(&branch)).collect::<Vec<_>>().join("|");
    let hosts = homes.iter().flat_map(|home| {
        let raw = home.strip_prefix("github.com/");
        let raw = raw.map(|raw| escape(&format!("raw.githubusercontent.com/{raw}")));
        let pages = r"(?:/-)?/(?:blob|tree|raw|edit|blame|src/branch)";
        [Some(escape(home) + pages), raw].into_iter().flatten()
    });
    let hosts = hosts.collect::<Vec<_>>().join("|");
    Ok((!hosts.is_empty()).then(|| {
        format!(r#"(?i-u:{hosts})/(?:refs/heads/)?(?:{branches})/([^\s()\[\]<>"'`#?|\\{{}}$*]+)"#)
    }))
}

/// A probe of the paths that a document names, and that are absent.
pub fn probe(file: &str, places: &[Place]) -> Value {
    let paths = places.iter().map(|place| escape(&place.says)).collect::<Vec<_>>().join("|");
    let before =
        r"(?:^|[^\w./-]|/(?:blob|tree|raw|edit|blame|branch|heads|[\w.-]+/[\w.-]+)/[\w.-]+/)";
    let pattern = format!(r"{before}(?:\./)?({paths})/?(?:[^\w/.-]|\.(?:\W|$)|$)");
    json!({ "exist": { "pattern": pattern, "paths": [file] } })
}
