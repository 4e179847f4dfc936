//! The files that state the version of the project itself.

use super::{
    place::{MAY_HAVE_LABEL, Place, numbers, stated_at},
    tree::{Tree, first, pattern},
};
use crate::git;

pub const CHANGELOGS: &str = r"(?i)(^|/)(changelog|changes|history|news|releases)(\.\w+)?$";

/// The first heading with a version; one with a label is not out yet.
pub const HEADING: &str =
    r"(?-u)^(?:#{1,3} (?:[^\n]*?[^\w.\n-])?|\[?)v?(\d+\.\d+\.\d+)(?:[^\w.+-]|\.?$)";

/// A version without a label, as most files of a project state it.
const VERSION: &str = r"\d+\.\d+(?:\.\d+){0,2}";

/// One that is not out yet.
const LABELLED: &str = r"\d+\.\d+(?:\.\d+){0,2}[.+-]?[A-Za-z][\w.+-]*";

/// Patterns of paths, each with one whose first group is the version.
#[rustfmt::skip]
pub const MANIFESTS: &[(&str, &str)] = &[
    (r"(^|/)Cargo\.toml$", r#"^version\s*=\s*"(VERSION)""#),
    (r"(^|/)pyproject\.toml$", r#"^version\s*=\s*["'](VERSION)["']"#),
    (r"(^|/)setup\.cfg$", r"^version\s*=\s*(VERSION)\s*$"),
    (r"(^|/)setup\.py$", r#"\bversion\s*=\s*["'](VERSION)["']"#),
    (r"(^|/)(package|composer)\.json$", r#"^\s{1,4}"version":\s*"(VERSION)""#),
    (r"(^|/)pom\.xml$", r"</artifactId>\s*(?:<packaging>[^<]*</packaging>\s*)?<version>(VERSION)</version>"),
    (r"(^|/)build\.gradle(\.kts)?$", r#"^\s*version\s*=?\s*["'](VERSION)["']"#),
    (r"(^|/)gradle\.properties$", r"^(?:version|VERSION_NAME)\s*=\s*(VERSION)\s*$"),
    (r"(^|/)([^/]+\.[cf]sproj|Directory\.Build\.props)$", r"<(?:Version|VersionPrefix|PackageVersion)>(VERSION)<"),
    (r"(^|/)mix\.exs$", r#"(?:@version\s+|\bversion:\s*)"(VERSION)""#),
    (r"(^|/)pubspec\.yaml$", r#"^version:\s*["']?(VERSION)(?:\+\d+)?["']?\s*$"#),
    (r"(^|/)[^/]+\.gemspec$", r#"\.version\s*=\s*["'](VERSION)["']"#),
    (r"(^|/)CMakeLists\.txt$", r"(?i-u)^\s*project\s*\([^)]*?\bVERSION\s+(VERSION)\b"),
    (r"(^|/)meson\.build$", r"\bversion\s*:\s*'(VERSION)'"),
    (r"(?i)(^|/)version(\.txt)?$", r"\A\s*v?(VERSION)\s*\z"),
];

/// Those that repeat the version of a manifest, if there is one.
#[rustfmt::skip]
pub const REPEATED: &[(&str, &str)] = &[
    (r"(^|/)(plugin|jsr|deno|bower)\.jsonc?$", r#"^\s{1,4}"version":\s*"(VERSION)""#),
    (r"(?i)(^|/)_{0,2}version_{0,2}\.(rb|py|go|rs|tsx?|[cm]?js|ex|kt|java|php|swift|h|hpp|c|cc|cpp)$", r#"["'`]v?(VERSION)["'`]"#),
    (r"(^|/)__init__\.py$|^([^/]+/)?[^/]+\.(rb|py|go|rs|ts|[cm]?js|php)$", r#"(?i-u)\b_{0,2}version_{0,2}\b[ \t:A-Za-z]{0,20}=[ \t]*["'`]v?(VERSION)["'`]"#),
];

/// The places that state the version of the project, perhaps with a label; one of each file.
pub fn sources(tree: &Tree) -> git::Result<Vec<Place>> {
    let mut sources = Vec::<Place>::new();
    for (files, rule) in [MANIFESTS, REPEATED, &[(CHANGELOGS, HEADING)]].concat() {
        let labelled = rule.replace("(VERSION)", &format!("({LABELLED})"));
        let released = with_version(rule);
        for file in tree.own(files)? {
            let text = tree.text(file)?.unwrap_or_default();
            let found = first(&released, &text).or_else(|| first(&labelled, &text));
            let is_known = sources.iter().any(|known| known.file == **file);
            if let Some(at) = found.filter(|_| !is_known) {
                sources.push(stated_at(file, &text, &at, &released));
            }
        }
    }
    Ok(sources)
}

/// Its first heading is that of a release, which a new version does not rename.
pub fn is_changelog(file: &str) -> bool {
    pattern(CHANGELOGS).is_ok_and(|names| names.is_match(file.as_bytes()))
}

/// True if a changelog has an entry for a version, as far as both go.
pub fn has_entry(text: &str, version: &[u64]) -> git::Result<bool> {
    let heading = pattern(&HEADING.replace(r"|\[?)v?", r"|\[?|Version )v?"))?;
    let mut entries = heading.captures_iter(text.as_bytes()).filter_map(|found| found.get(1));
    Ok(entries.any(|entry| {
        numbers(&text[entry.range()]).iter().zip(version).all(|(one, two)| one == two)
    }))
}

/// The pattern for a version without a label.
pub fn with_version(rule: &str) -> String {
    rule.replace("(VERSION)", &format!("({VERSION}{MAY_HAVE_LABEL})"))
}
