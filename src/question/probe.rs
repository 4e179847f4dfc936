//! Probes, which derive an answer mechanically, as written in the store; running one is another room's work.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Value, value::RawValue};

use super::{RunOf, regex};

/// Numbers of a version at most.
const MOST_NUMBERS: usize = 4;

/// A probe: something that the tool itself reads from the objects of a commit, or a command to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields, remote = "Self")]
pub enum Probe {
    /// Lines of tracked files.
    Grep(Grep),
    /// Tracked files.
    Files(Files),
    /// The number of lines of all matching files.
    Lines(Paths),
    /// The id of the object at a path: of a file, or of a folder with all that is in it.
    Tree(String),
    /// A value in a file of JSON, TOML or YAML.
    Value(ValueOf),
    /// A part of a text file.
    Text(TextOf),
    /// The commits that touch these paths, as `git log -- <paths>` lists them.
    Log(LogOf),
    /// Two or more probes give the same value, or not.
    Agree(#[schemars(length(min = 2))] Vec<Probe>),
    /// The items that the first of two probes gives and the second does not.
    Subset(#[schemars(length(equal = 2))] Vec<Probe>),
    /// Paths that tracked files name, and that are absent.
    Exist(Exist),
    /// A command, whose keys stand beside `run`.
    #[schemars(untagged)]
    Run(RunOf),
}

impl Serialize for Probe {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Run(run) => run.serialize(serializer),
            _ => Self::serialize(self, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Probe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        // Also refuses what is nested too deep to read on.
        let value: Value = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        let read = if value.get("run").is_some() {
            serde_json::from_str(text.get()).map(Self::Run)
        } else {
            Self::deserialize(&mut serde_json::Deserializer::from_str(text.get()))
        };
        read.map_err(D::Error::custom)
    }
}

/// Git pathspecs, from the root of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Paths {
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
}

/// The lines that match, by path and place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Grep {
    /// A regular expression, matched against each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Or a text, taken literally.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Git pathspecs, from the root of the repository.
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
    #[serde(default)]
    pub take: GrepTake,
    /// Takes each match of this group of the pattern in place of the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<usize>,
}

/// The part of the matching lines that is the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrepTake {
    #[default]
    Lines,
    Count,
    Exists,
    First,
}

/// The files that match, by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Files {
    /// Git pathspecs, from the root of the repository.
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
    #[serde(default)]
    pub take: FilesTake,
}

/// The part of the matching files that is the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FilesTake {
    #[default]
    List,
    Count,
    Exists,
}

/// A value in a file, whose name says whether it is JSON, TOML or YAML.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ValueOf {
    pub file: String,
    /// A JSON pointer, as in `/package/version`.
    pub pointer: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub take: ValueTake,
    /// Reads the text as something that can be written in several ways.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<TextKind>,
    /// The number of numbers of a version that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4))]
    pub precision: Option<usize>,
}

/// The part of a value that is the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValueTake {
    /// The value itself: a single one, or a list of these.
    #[default]
    Value,
    /// The keys of an object.
    Keys,
}

/// A part of a text file: exactly one of these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct TextOf {
    pub file: String,
    /// The first and the last line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u32; 2]>,
    /// The first match of a regular expression, which may span lines: its first group, or all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub take: TextTake,
    /// A heading of a Markdown file, without its `#`: what stands under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Reads the text as something that can be written in several ways.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<TextKind>,
    /// The number of numbers of a version that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4))]
    pub precision: Option<usize>,
}

/// The matches of a pattern that are the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextTake {
    #[default]
    First,
    /// All values, each once if they differ; in `agree`, each has to agree.
    Every,
}

/// A text that can be written in several ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextKind {
    /// `v1.70.0`, `^1.70` and `>= 1.70` are the version 1.70.0: of a range, its lowest bound. In `agree`, versions are
    /// compared as far as both go.
    Version,
    /// The same of the project itself. In `agree`, one that is not out yet, as `1.4.0-dev`, also agrees with one that is
    /// lower and out: the last release.
    Release,
}

/// The texts that match, each the path of a file or folder, or a pattern of paths such as `src/*.rs`, from the root of the
/// repository or from the folder of the file that names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Exist {
    /// A regular expression; the path is its first group, or all of it.
    pub pattern: String,
    /// Git pathspecs of the files that name paths, from the root of the repository.
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
    /// A name without a folder may be that of a file or folder anywhere.
    #[serde(default, skip_serializing_if = "is_default")]
    pub anywhere: bool,
}

/// Commits that touch certain paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct LogOf {
    /// Git pathspecs, from the root of the repository.
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
    #[serde(default)]
    pub take: LogTake,
}

/// The part of the commits that is the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogTake {
    /// The id of the newest one.
    #[default]
    Last,
    Count,
    /// The names of their authors, each once, in the order of the alphabet.
    Authors,
}

impl Probe {
    /// Returns true if the tool itself reads the answer.
    pub fn is_built_in(&self) -> bool {
        !matches!(self, Self::Run(_))
    }

    /// Returns true if it reads the history, so that the same files may give another answer.
    pub fn reads_history(&self) -> bool {
        matches!(self, Self::Log(_)) || self.parts().iter().any(Self::reads_history)
    }

    /// The pathspecs that it was given.
    pub(super) fn paths(&self) -> &[String] {
        match self {
            Self::Grep(Grep { paths, .. })
            | Self::Files(Files { paths, .. })
            | Self::Lines(Paths { paths })
            | Self::Exist(Exist { paths, .. })
            | Self::Log(LogOf { paths, .. }) => paths,
            _ => &[],
        }
    }

    /// The one path that it was given.
    pub fn file(&self) -> Option<&String> {
        match self {
            Self::Tree(file)
            | Self::Value(ValueOf { file, .. })
            | Self::Text(TextOf { file, .. }) => Some(file),
            _ => None,
        }
    }

    /// Returns true if it names a file or folder, by itself or in a part, rather than looks for some.
    pub fn names_place(&self) -> bool {
        self.file().is_some() || self.parts().iter().any(Self::names_place)
    }

    /// The pathspecs of what it reads.
    pub fn reads(&self) -> Vec<String> {
        if let Self::Exist(_) = self {
            // Any path can come and go.
            return vec![".".into()];
        }
        let parts = self.parts().iter().flat_map(|part| {
            // Another part may read a path that this one excludes.
            let mut paths = part.reads();
            paths.retain(|path| !is_exclusion(path));
            if paths.is_empty() {
                paths.push(".".into());
            }
            paths
        });
        let file = self.file().map(|file| format!(":(literal){file}"));
        self.paths().iter().cloned().chain(file).chain(parts).collect()
    }

    /// Reads a probe as it stands in the store.
    pub fn read(text: &str) -> Result<Self, String> {
        let probe: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        probe.mistake().map_or(Ok(probe), Err)
    }

    /// The probes that it compares.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Agree(probes) | Self::Subset(probes) => probes,
            _ => &[],
        }
    }

    /// Checks rules that the types do not express.
    pub fn mistake(&self) -> Option<String> {
        match self {
            Self::Run(run) => return run.mistake(),
            Self::Agree(probes) if probes.len() < 2 => {
                return Some("`agree` needs at least two probes".into());
            }
            Self::Subset(probes) if probes.len() != 2 => {
                return Some("`subset` needs two probes".into());
            }
            Self::Agree(probes) | Self::Subset(probes) => {
                return probes.iter().find_map(Self::mistake_inside);
            }
            _ => {}
        }
        let (paths, file) = (self.paths(), self.file());
        if let Some(file) = file.filter(|file| !is_path(file)) {
            return Some(format!("{file:?} is no path from the root of the repository"));
        }
        if file.is_none() && (paths.is_empty() || paths.iter().any(String::is_empty)) {
            return Some("expected non-empty pathspecs".into());
        }
        match self {
            Self::Grep(grep) => grep.matcher().err(),
            Self::Exist(exist) => regex(&exist.pattern).err(),
            Self::Text(text) => text.part().err().or_else(|| precision(text.kind, text.precision)),
            Self::Value(value)
                if !(value.pointer.starts_with('/')
                    || value.pointer.is_empty() && value.take == ValueTake::Keys) =>
            {
                Some("`pointer` begins with `/`, as in \"/package/version\"".into())
            }
            Self::Value(value) => precision(value.kind, value.precision),
            _ => None,
        }
    }

    fn mistake_inside(&self) -> Option<String> {
        match self {
            Self::Agree(_) => Some("a part takes no `agree`".into()),
            Self::Subset(_) => Some("a part takes no `subset`".into()),
            Self::Run(_) => Some("a part takes no `run`".into()),
            _ => self.mistake(),
        }
    }
}

/// Not written, so that a probe from before there was such a key keeps its digest.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn precision(kind: Option<TextKind>, precision: Option<usize>) -> Option<String> {
    match precision {
        Some(one) if !(1..=MOST_NUMBERS).contains(&one) => {
            Some(format!("expected a precision from 1 to {MOST_NUMBERS}"))
        }
        Some(_) if kind.is_none() => Some("`precision` needs `\"as\": \"version\"`".into()),
        _ => None,
    }
}

/// Returns true if a pathspec takes files out: `:!docs`, `:^docs`, `:(exclude)docs`.
fn is_exclusion(path: &str) -> bool {
    let Some(magic) = path.strip_prefix(':') else {
        return false;
    };
    if let Some(words) = magic.strip_prefix('(') {
        return words
            .split(')')
            .next()
            .unwrap_or_default()
            .split(',')
            .any(|word| word.trim() == "exclude");
    }
    magic.chars().take_while(|sign| "/!^".contains(*sign)).any(|sign| sign != '/')
}

fn is_path(path: &str) -> bool {
    path.trim_end_matches('/').split('/').all(|part| !matches!(part, "" | "." | ".."))
}
