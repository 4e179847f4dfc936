//! Paths that documents name, and that are not there.

use std::collections::HashMap;

use regex::escape;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    claim::{Claim, From, Target, Topic},
    document::Document,
    names::{Form, Name, Spot, names},
    place::Place,
    tree::{NONE, Tree, first, last, pattern},
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

/// The beginning of a path that is no part of another one.
pub const BEFORE: &str = r"(?:^|[^\w./-])(?:\./)?";

/// The beginning of another site's address without its scheme.
const HOST: &str = r"(?i-u)^((?:www\.[\w.-]+|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|io|dev|app|info))(?:[/:]|$))";

/// Branches whose files are those of HEAD, sooner or later.
const BRANCHES: [&str; 7] = ["main", "master", "HEAD", "trunk", "develop", "dev", "next"];

/// Endings that sites add to the targets of links.
const ENDINGS: [&str; 7] = [".md", ".mdx", ".rst", ".adoc", ".html", "/index.md", "/README.md"];

/// The names in documents whose paths are absent; with `is_all`, less certain ones, too.
pub fn absent(
    tree: &Tree,
    documents: &[Document],
    url: &str,
    is_all: bool,
) -> git::Result<Vec<Claim>> {
    let mut claims = Vec::new();
    for document in documents.iter().filter(|document| !document.is_news) {
        let is_read = document.is_entrance || is_all;
        if !is_read && !pattern(url)?.is_match(document.text.as_bytes()) {
            continue;
        }
        let asks = (&document.file, is_read, tree.answers.question(url.to_owned()));
        let question = format!("names {asks:?}");
        let find = || named(document, url, is_read);
        for Named { name, spots, is_to_make } in
            tree.answers.value(document.blob, question, find)?
        {
            let is_bare = name.form == Form::Bare && is_all;
            let mut lines: Vec<usize> = spots.iter().map(|spot| spot.line).collect();
            lines.dedup();
            let claim = claim(tree, document, name).map(|claim| Claim {
                is_broken_anyway: claim.is_broken_anyway && !is_to_make,
                place: Place { lines, spots, ..claim.place },
                ..claim
            });
            let anywhere = claim.iter().filter(|_| is_bare).map(|claim| Claim {
                is_likely: false,
                target: Target::Anywhere(claim.place.says.clone()),
                place: claim.place.clone(),
                ..*claim
            });
            claims.extend(anywhere.collect::<Vec<_>>());
            claims.extend(claim);
        }
    }
    Ok(claims)
}

/// A name, and where the document says that it is there.
#[derive(Serialize, Deserialize)]
struct Named {
    name: Name,
    spots: Vec<Spot>,
    /// True if words beside a link say that its target is yet to be made.
    is_to_make: bool,
}

/// The names in a document; without `is_read`, only those in URLs.
fn named(document: &Document, url: &str, is_read: bool) -> git::Result<Vec<Named>> {
    let lines = document.lines()?;
    let (mut named, mut numbers) = (Vec::<Named>::new(), HashMap::new());
    for line in &lines.lines {
        for name in names(document, line, url)? {
            let (form, column) = (name.form, name.column);
            if !is_read && form != Form::Url {
                continue;
            }
            let number = *numbers.entry((form, name.says.clone())).or_insert(named.len());
            if number == named.len() {
                named.push(Named { name, spots: Vec::new(), is_to_make: false });
            }
            let known = &mut named[number];
            known.is_to_make |= form.is_link() && lines.is_to_make(line, column)?;
            if !(form.is_words() && lines.is_told(line, column, form == Form::Bare)?) {
                known.spots.push(Spot { line: line.number, column, form });
            }
        }
    }
    named.retain(|named| !named.spots.is_empty());
    Ok(named)
}

/// `None` if it is there, or need not be.
fn claim(tree: &Tree, document: &Document, name: Name) -> Option<Claim> {
    let Document { file, is_for_agents, is_entrance, .. } = document;
    let Name { form, says, path, .. } = name;
    let is_link = form.is_link();
    let from = match form {
        Form::Url => From::Root,
        Form::Bare => From::Document,
        Form::Code | Form::Link | Form::Import => From::Either,
    };
    let paths: Vec<String> =
        from.folders(file).filter_map(|folder| joined(folder, &path)).collect();
    let is_there = |path: &String| {
        path.is_empty() || tree.has(path) || is_link && is_there_on_a_site(tree, path)
    };
    if paths.iter().any(|path| is_there(path) || tree.is_made(path)) {
        return None;
    }
    // A path that leaves the repository is a mistake for one that is there.
    let inside = path.trim_start_matches("../");
    if paths.is_empty() && !(is_link && tree.has(inside)) {
        return None;
    }
    let is_of_site = path.starts_with('/');
    let is_elsewhere = is_of_site || !is_link && form != Form::Url;
    if is_elsewhere && tree.has_anywhere(path.trim_start_matches('/')) {
        return None;
    }
    let is_anywhere = form == Form::Bare && *is_for_agents;
    Some(Claim {
        place: Place { file: file.clone(), says, ..Place::default() },
        topic: if form == Form::Url { Topic::Urls } else { Topic::Paths },
        // Pages of HTML are often made from the sources of a site.
        is_broken_anyway: is_link
            && *is_entrance
            && !is_of_site
            && first(HOST, &path).is_none()
            && path.strip_suffix(".html").is_none(),
        is_likely: *is_entrance || form == Form::Url,
        target: if is_anywhere { Target::Anywhere(path) } else { Target::Path { path, from } },
    })
}

/// Sites show a page under the name of its source without the ending, or with another one.
fn is_there_on_a_site(tree: &Tree, path: &str) -> bool {
    let stem = path.strip_suffix(".html").unwrap_or(path).trim_end_matches('/');
    !last(stem).contains('.') && ENDINGS.iter().any(|ending| tree.has(&format!("{stem}{ending}")))
}

/// A pattern of URLs of files of this repository up to the path.
pub fn own_url(tree: &Tree) -> git::Result<String> {
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
    let hosts = if hosts.is_empty() { NONE } else { &hosts };
    Ok(format!("(?i-u:{hosts})/(?:refs/heads/)?(?:{branches})/"))
}

/// A probe of the paths that a document names, and that are absent; before each stands `before`.
pub fn probe(file: &str, before: &str, places: &[Place]) -> Value {
    let paths = places.iter().map(|place| escape(&place.says)).collect::<Vec<_>>().join("|");
    let pattern = format!(r"{before}({paths})/?(?:[^\w/.-]|\.(?:\W|$)|$)");
    json!({ "exist": { "pattern": pattern, "paths": [file] } })
}
