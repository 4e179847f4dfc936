//! The minimums that manifests state, and the patterns of what else states them.

use self::Take::{Every, First, Label, Lock, Lowest, Minimums};
use super::sources::{CHANGELOGS, HEADING, MANIFESTS, REPEATED};

/// A kind of fact. In patterns, `GAP` is what may stand between a name and a version, `WRAP` the same over two lines,
/// `VERSION` a version without a label, and `(?:)` stands where a question takes a label along.
pub struct Kind<'k> {
    pub word: &'k str,
    pub name: &'k str,
    /// Patterns of manifests' paths, each with one whose first group is the version.
    pub manifests: &'k [(&'k str, &'k str)],
    /// Files that choose one version: they must not fall behind a manifest, and are one for documents where there is none.
    pub pins: &'k [(&'k str, &'k str)],
    /// Patterns of other files' paths, each with one for the version.
    pub rules: &'k [(&'k str, &'k str, Take)],
}

/// The statements of a file that count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// Those of a minimum in prose, outside of code.
    Minimums,
    Every,
    /// The first, unless it is unreleased: the manifest may be ahead of the last release.
    First,
    /// The only one: a list of releases has several.
    Label,
    /// The lowest, of lists that begin with their lowest.
    Lowest,
    /// The first, which may be newer than the manifest.
    Pin,
    /// The same, of a file so large that its history is read only if it differs.
    Lock,
}

/// What a chosen version may exceed.
pub const FLOOR: &str =
    r"(?i-u)\d\+|>=|≥|&gt;=|\bor (later|newer|higher|above|greater|up|more recent)\b";
/// Documents that say how to install, build or develop.
pub const GUIDES: &str = r"(?i)(^|/)(README|[^/]*(readme|contribut|install|set-?up|getting|start|build|develop|hacking|require|msrv|intro|agents|claude|gemini)[^/]*\.(md|mdx|markdown|mdown|mkdn?|rst|adoc|txt))$|^\.github/copilot-instructions\.md$|^\.cursor/rules/";
/// The project's own page.
pub const FRONT: &str = r"(?i)^readme[^/]*$";
pub const WORKFLOWS: &str = r"^\.github/workflows/[^/]+\.ya?ml$";
pub const DOCKERFILES: &str = r"(?i)(^|/)([\w.-]+\.)?(dockerfile|containerfile)(\.[\w.-]+)?$";
const CARGO: &str = r"(^|/)Cargo\.toml$";
const PACKAGE: &str = r"(^|/)package\.json$";
const PYPROJECT: &str = r"(^|/)pyproject\.toml$";
const ASDF: &str = r"(^|/)\.tool-versions$";
const MISE: &str = r"(^|/)\.?mise\.toml$";
/// The files that npm writes.
pub const LOCK: &str = r"(^|/)(package-lock|npm-shrinkwrap)\.json$";
/// Files that do nothing but choose versions.
pub const CHOICES: &str =
    r"(^|/)(\.nvmrc|\.[a-z]+-version|\.tool-versions|\.?mise\.toml|rust-toolchain(\.toml)?)$";
const GRADLE: &str = r"(^|/)build\.gradle(\.kts)?$";

// `-u`: with the classes of Unicode, long gaps match slowly in texts that are not ASCII.
#[rustfmt::skip]
pub const KINDS: [Kind<'static>; 12] = [
    Kind { word: "msrv", name: "minimum Rust version",
        manifests: &[(CARGO, r#"^rust-version\s*=\s*"(\d+(?:\.\d+)+)"#)],
        pins: &[
            (r"(^|/)rust-toolchain(\.toml)?$", r#"^(?:channel\s*=\s*")?(1\.\d+(?:\.\d+)?)"#),
            (DOCKERFILES, r"(?i-u)^(?:FROM\s(?:[^\s#]*\s)*?(?:\S+/)?rust:|ARG\s+RUST_VERSION=)(1\.\d+(?:\.\d+)?)"),
        ],
        rules: &[
            (GUIDES, r"(?i-u)\b(?:rust|rustc|msrv|cargo)\bWRAP\bv?(1\.\d{2,3}(?:\.\d+)?)\b", Minimums),
            (r"(^|/)\.?clippy\.toml$", r#"^msrv\s*=\s*"(1\.\d+(?:\.\d+)?)"#, First),
            (WORKFLOWS, r#"(?i-u)(?:msrv|rust\w*|toolchain)["']? *[:=@] *\[? *["']?(1\.\d{2,3}(?:\.\d+)?)\b"#, Lowest),
        ] },
    Kind { word: "go", name: "minimum Go version",
        manifests: &[(r"(^|/)go\.mod$", r"^go (\d+\.\d+(?:\.\d+)?)\s*$")],
        pins: &[
            (ASDF, r"^go(?:lang)?\s+(\d+\.\d+(?:\.\d+)?)"),
            (MISE, r#"^go\s*=\s*"(\d+\.\d+(?:\.\d+)?)"#),
            (DOCKERFILES, r"(?i-u)^(?:FROM\s(?:[^\s#]*\s)*?(?:\S+/)?golang:|ARG\s+GO(?:LANG)?_VERSION=)(\d+\.\d+(?:\.\d+)?)"),
        ],
        rules: &[
            (GUIDES, r"(?-u)\b(?:Go|[Gg]olang)\bWRAP\bv?(1\.\d{1,2}(?:\.\d+)?)\b", Minimums),
            (WORKFLOWS, r#"(?-u)\bgo(?:-version)?["']?:\s*(?:\[|-\s)\s*["']?(1\.\d+(?:\.\d+)?)\b"#, Lowest),
        ] },
    Kind { word: "python", name: "minimum Python version",
        manifests: &[
            (PYPROJECT, r#"^(?:requires-python|python)\s*=\s*["'](?:>=|~=?|\^)\s*(3\.\d+)"#),
            (r"(^|/)setup\.cfg$", r"^python_requires\s*=\s*>=\s*(3\.\d+)"),
            (r"(^|/)setup\.py$", r#"\bpython_requires\s*=\s*["']>=\s*(3\.\d+)"#),
        ],
        pins: &[
            (r"(^|/)\.python-version$", r"\A\s*(3\.\d+)"),
            (ASDF, r"^python\s+(3\.\d+)"),
            (MISE, r#"^python\s*=\s*"(3\.\d+)"#),
            (r"(^|/)(pyproject\.toml|setup\.cfg|\.?mypy\.ini)$", r#"^python_version\s*=\s*["']?(3\.\d+)"#),
            (r"(^|/)(pyproject\.toml|pyrightconfig\.json)$", r#"^\s*"?pythonVersion"?\s*[:=]\s*"(3\.\d+)"#),
            (DOCKERFILES, r"(?i-u)^(?:FROM\s(?:[^\s#]*\s)*?(?:\S+/)?python:|ARG\s+PYTHON_VERSION=)(3\.\d+)"),
        ],
        rules: &[
            (GUIDES, r"(?i-u)\bpython\bWRAP\bv?(3\.\d{1,2})\b", Minimums),
            (r"(^|/)(pyproject\.toml|setup\.cfg|setup\.py)$", r"Programming Language :: Python :: (3\.\d+)\b", Lowest),
            (WORKFLOWS, r#"(?-u)\bpython(?:-version)?["']?:\s*(?:\[|-\s)\s*["']?(3\.\d+)\b"#, Lowest),
        ] },
    Kind { word: "node", name: "minimum Node version",
        manifests: &[(PACKAGE, r#""engines":\s*\{[^}]*"node":\s*"[^\d"<]*(\d+(?:\.\d+){0,2}(?:[^"]*\|[^"]*)?)"#)],
        pins: &[
            (r"(^|/)\.(nvmrc|node-version)$", r"\A\s*v?(\d+(?:\.\d+){0,2})"),
            (ASDF, r"^nodejs\s+(\d+(?:\.\d+){0,2})"),
            (MISE, r#"^node(?:js)?\s*=\s*"(\d+(?:\.\d+){0,2})"#),
            (DOCKERFILES, r"(?i-u)^(?:FROM\s(?:[^\s#]*\s)*?(?:\S+/)?node:|ARG\s+NODE_VERSION=)(\d+(?:\.\d+){0,2})"),
        ],
        rules: &[
            (GUIDES, r"(?i-u)\bnode(?:\.?js)?\bGAP\bv?(\d{1,2}(?:\.\d+){0,2})\b", Minimums),
            (WORKFLOWS, r#"(?-u)\bnode(?:-version)?["']?:\s*(?:\[|-\s)\s*["']?(\d{1,2}(?:\.\d+){0,2})\b"#, Lowest),
        ] },
    Kind { word: "pnpm", name: "pnpm version",
        manifests: &[(PACKAGE, r#""packageManager":\s*"pnpm@(\d+(?:\.\d+){0,2})"#)],
        pins: &[],
        rules: &[(GUIDES, r"(?i-u)\bpnpm\bGAP\bv?(\d{1,2}(?:\.\d+){0,2})\b", Minimums)] },
    Kind { word: "yarn", name: "yarn version",
        manifests: &[(PACKAGE, r#""packageManager":\s*"yarn@(\d+(?:\.\d+){0,2})"#)],
        pins: &[],
        rules: &[(GUIDES, r"(?i-u)\byarn\bGAP\bv?(\d{1,2}(?:\.\d+){0,2})\b", Minimums)] },
    Kind { word: "php", name: "minimum PHP version",
        manifests: &[(r"(^|/)composer\.json$", r#""require":\s*\{[^}]*"php":\s*"[^\d"<]*(\d+(?:\.\d+){0,2}(?:[^"]*\|[^"]*)?)"#)],
        pins: &[
            (ASDF, r"^php\s+(\d+\.\d+(?:\.\d+)?)"),
            (DOCKERFILES, r"(?i-u)^(?:FROM\s(?:[^\s#]*\s)*?(?:\S+/)?php:|ARG\s+PHP_VERSION=)(\d+\.\d+(?:\.\d+)?)"),
        ],
        rules: &[
            (GUIDES, r"(?i-u)\bphp\bGAP\bv?(\d(?:\.\d+){0,2})\b", Minimums),
            (WORKFLOWS, r#"(?-u)\bphp(?:-versions?)?["']?:\s*(?:\[|-\s)\s*["']?(\d\.\d+)\b"#, Lowest),
        ] },
    Kind { word: "ruby", name: "minimum Ruby version",
        manifests: &[(r"(^|/)[^/]+\.gemspec$", r#"\.required_ruby_version\s*=[^"'\n]*["'](?:>=|~>)\s*(\d+\.\d+(?:\.\d+)?)"#)],
        pins: &[
            (r"(^|/)\.ruby-version$", r"\A\s*(?:ruby-)?(\d+\.\d+(?:\.\d+)?)"),
            (ASDF, r"^ruby\s+(\d+\.\d+(?:\.\d+)?)"),
            (MISE, r#"^ruby\s*=\s*"(\d+\.\d+(?:\.\d+)?)"#),
            (DOCKERFILES, r"(?i-u)^(?:FROM\s(?:[^\s#]*\s)*?(?:\S+/)?ruby:|ARG\s+RUBY_VERSION=)(\d+\.\d+(?:\.\d+)?)"),
        ],
        rules: &[
            (GUIDES, r"(?-u)\b(?:Ruby|ruby|MRI)\bWRAP\bv?(\d\.\d+(?:\.\d+)?)\b", Minimums),
            (WORKFLOWS, r#"(?-u)\bruby(?:-version)?["']?:\s*(?:\[|-\s)\s*["']?(\d\.\d+)\b"#, Lowest),
        ] },
    Kind { word: "elixir", name: "minimum Elixir version",
        manifests: &[(r"(^|/)mix\.exs$", r#"\belixir:\s*"(?:>=|~>)\s*(\d+\.\d+(?:\.\d+)?)"#)],
        pins: &[
            (ASDF, r"^elixir\s+(\d+\.\d+(?:\.\d+)?)"),
            (MISE, r#"^elixir\s*=\s*"(\d+\.\d+(?:\.\d+)?)"#),
            (DOCKERFILES, r"(?i-u)^(?:FROM\s(?:[^\s#]*\s)*?(?:\S+/)?elixir:|ARG\s+ELIXIR_VERSION=)(\d+\.\d+(?:\.\d+)?)"),
        ],
        rules: &[
            (GUIDES, r"(?i-u)\belixir\bWRAP\bv?(1\.\d{1,2}(?:\.\d+)?)\b", Minimums),
            (WORKFLOWS, r#"(?-u)\belixir(?:-version)?["']?:\s*(?:\[|-\s)\s*["']?(1\.\d+)\b"#, Lowest),
        ] },
    Kind { word: "terraform", name: "minimum Terraform version",
        manifests: &[(r"(^|/)(versions|terraform|main|providers)\.tf$", r#"\brequired_version\s*=\s*"(?:>=|~>)\s*v?(\d+\.\d+(?:\.\d+)?)"#)],
        pins: &[
            (r"(^|/)\.terraform-version$", r"\A\s*(\d+\.\d+(?:\.\d+)?)"),
            (ASDF, r"^terraform\s+(\d+\.\d+(?:\.\d+)?)"),
        ],
        rules: &[(GUIDES, r"(?i-u)\bterraform\bWRAP\bv?(\d\.\d+(?:\.\d+)?)\b", Minimums)] },
    Kind { word: "java", name: "minimum Java version",
        manifests: &[
            (r"(^|/)pom\.xml$", r"<(?:maven\.compiler\.(?:release|source)|java\.version)>(?:1\.)?(\d+)<"),
            (GRADLE, r#"\bsourceCompatibility\s*=\s*(?:JavaVersion\.VERSION_(?:1_)?|["']?(?:1\.)?)(\d+)\b"#),
        ],
        pins: &[(DOCKERFILES, r"(?i-u)^FROM\s(?:[^\s#]*\s)*?(?:\S+/)?(?:openjdk|eclipse-temurin|amazoncorretto):(\d+)")],
        rules: &[(GUIDES, r"(?-u)\b(?:Java|JDK|JRE|jdk)\bGAP\b(?:1\.)?(\d{1,2})\b", Minimums)] },
    // A version with a label, as in `1.2.0-dev`, is not out yet.
    Kind { word: "version", name: "version",
        manifests: MANIFESTS,
        pins: REPEATED,
        rules: &[
            (CHANGELOGS, HEADING, First),
            (LOCK, r#"\A\{\s*"name":\s*"[^"]*",\s*"version":\s*"(VERSION)""#, Lock),
            // A label, the step of an action and a badge say what their number is; all else has to agree twice.
            (FRONT, r"(?i-u)^[ \t>|*_]*(?:current |latest |stable )?(?:version|release)[ \t*_]*[:|][ \t*_`]*v?(\d+\.\d+\.\d+(?:))\b", Label),
            (FRONT, r"(?-u)\buses:[ \t]*[\w.-]+/[\w./-]+@v?(\d+\.\d+\.\d+(?:))\b", Every),
            (GUIDES, r"(?i-u)badge/(?:version|release)-v?(\d+\.\d+(?:\.\d+)?(?:))-[a-z]", Every),
        ] },
];
