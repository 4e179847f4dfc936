//! The kinds of facts that a manifest and other files state: a minimum toolchain, and the project's version.

/// A kind of fact.
pub struct Kind {
    /// For the question's id.
    pub word: &'static str,
    pub name: &'static str,
    /// The file names of manifests, each with a JSON pointer, or a pattern with the value as its first group.
    pub manifests: &'static [(&'static str, &'static str)],
    pub rules: &'static [Rule],
}

/// How other files state it.
pub struct Rule {
    pub files: Files,
    /// The version is its first group; `NAME` stands for the project's name.
    pub pattern: &'static str,
    pub take: Take,
}

pub enum Files {
    Guides,
    Changelogs,
    Workflows,
    Named(&'static [&'static str]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// Every minimum that prose states outside of code.
    Minimums,
    Every,
    First,
    /// The lowest version of the file, where lists begin with their lowest.
    Lowest,
}

/// A minimum is stated beside such words, or in a list or a table.
pub const MINIMUM: &str = r"(?i)\bminim|at least|\bor (?:later|newer|higher|above|greater|up|more recent)|\d\+|>=|≥|&gt;=|requir|prerequisit|\bneeds?\b|\bmsrv\b|\bsupport|^\s*(?:[-*+]|\d+\.|\|)\s";

/// What stands beside such words was true of another time or place.
pub const OTHER: &str = r"(?i)\bsince\b|\bbefore\b|\buntil\b|\bprior\b|\bolder\b|\bearlier\b|\bfix(?:ed|es)?\b|introduc|deprecat|\bdropp|\bbugs?\b|\bexamples?\b|\brecommend|\blatest\b|tested (?:on|with)";

pub const KINDS: [Kind; 5] = [
    Kind {
        word: "msrv",
        name: "minimum Rust version",
        manifests: &[
            ("Cargo.toml", "/package/rust-version"),
            ("Cargo.toml", "/workspace/package/rust-version"),
        ],
        rules: &[
            Rule {
                files: Files::Guides,
                pattern: r"(?i)\b(?:rust|rustc|msrv|cargo)\b[^\d\n;]{0,40}?\bv?(1\.\d{2,3}(?:\.\d+)?)\b",
                take: Take::Minimums,
            },
            Rule {
                files: Files::Named(&["clippy.toml", ".clippy.toml"]),
                pattern: r#"^msrv\s*=\s*"(1\.\d+(?:\.\d+)?)"#,
                take: Take::First,
            },
            Rule {
                files: Files::Workflows,
                pattern: r#"(?i)(?:msrv|rust\w*|toolchain)["']?\s*[:=@]\s*\[?\s*["']?(1\.\d{2,3}(?:\.\d+)?)\b"#,
                take: Take::Lowest,
            },
        ],
    },
    Kind {
        word: "go",
        name: "minimum Go version",
        manifests: &[("go.mod", r"^go (\d+\.\d+(?:\.\d+)?)\s*$")],
        rules: &[
            Rule {
                files: Files::Guides,
                pattern: r"\b(?:Go|[Gg]olang)\b[^\d\n;]{0,30}?\bv?(1\.\d{1,2}(?:\.\d+)?)\b",
                take: Take::Minimums,
            },
            Rule {
                files: Files::Workflows,
                pattern: r#"\bgo(?:-version)?["']?:\s*\[\s*["']?(1\.\d+(?:\.\d+)?)\b"#,
                take: Take::Lowest,
            },
        ],
    },
    Kind {
        word: "python",
        name: "minimum Python version",
        manifests: &[
            (
                "pyproject.toml",
                r#"^requires-python\s*=\s*["'](?:>=|~=|\^)\s*(3\.\d+)"#,
            ),
            (
                "pyproject.toml",
                r#"^python\s*=\s*["'](?:>=|~=?|\^)\s*(3\.\d+)"#,
            ),
            ("setup.cfg", r"^python_requires\s*=\s*>=\s*(3\.\d+)"),
            ("setup.py", r#"\bpython_requires\s*=\s*["']>=\s*(3\.\d+)"#),
        ],
        rules: &[
            Rule {
                files: Files::Guides,
                pattern: r"(?i)\bpython\b[^\d\n;]{0,30}?\bv?(3\.\d{1,2})\b",
                take: Take::Minimums,
            },
            Rule {
                files: Files::Named(&["pyproject.toml", "setup.cfg", "setup.py"]),
                pattern: r"Programming Language :: Python :: (3\.\d+)\b",
                take: Take::Lowest,
            },
            Rule {
                files: Files::Workflows,
                pattern: r#"\bpython(?:-version)?["']?:\s*\[\s*["']?(3\.\d+)\b"#,
                take: Take::Lowest,
            },
        ],
    },
    Kind {
        word: "node",
        name: "minimum Node version",
        manifests: &[(
            "package.json",
            r#""node":\s*"(?:>=|\^|~)?\s*v?(\d+(?:\.\d+){0,2})(?:\.x)?"\s*,?$"#,
        )],
        rules: &[
            Rule {
                files: Files::Guides,
                pattern: r"(?i)\bnode(?:\.?js)?\b[^\d\n;]{0,30}?\bv?(\d{2}(?:\.\d+){0,2})\b",
                take: Take::Minimums,
            },
            Rule {
                files: Files::Workflows,
                pattern: r#"\bnode(?:-version)?["']?:\s*\[\s*["']?(\d{2}(?:\.\d+){0,2})\b"#,
                take: Take::Lowest,
            },
        ],
    },
    Kind {
        word: "version",
        name: "version",
        manifests: &[
            ("Cargo.toml", "/package/version"),
            ("Cargo.toml", "/workspace/package/version"),
            ("pyproject.toml", "/project/version"),
            ("pyproject.toml", "/tool/poetry/version"),
            ("package.json", "/version"),
        ],
        rules: &[
            Rule {
                files: Files::Changelogs,
                pattern: r"^(?:#{1,3} [^\n]*?|\[?v?)\b(\d+\.\d+\.\d+)\b",
                take: Take::First,
            },
            Rule {
                files: Files::Guides,
                pattern: r#"(?:\bNAME["']?(?: ?= ?(?:\{[^}\n]*version ?= ?)?|[=@:_/-]{1,2})["']?v?|releases/download/v?|\brev:\s*["']?v?|--(?:version|tag|branch)[ =]["']?v?)(\d+\.\d+(?:\.\d+)?)\b"#,
                take: Take::Every,
            },
        ],
    },
];
