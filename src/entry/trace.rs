//! What a line of any kind tells about the commit that it was made on, for when that commit was rewritten.

use serde::Deserialize;

use super::{CarryRule, Ts, sha256_hex};

/// The longest id that is taken for one; ours have 26 characters.
const MAX_ID: usize = 128;

/// A line's id, and what it recorded of HEAD. What is not there, or can't be read, is left empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// The entry's id; of a line without one, the first 16 digits of its SHA-256.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub time: Option<i64>,
    /// The commit that it was made on; the rest is about that one.
    pub commit: Option<String>,
    /// The merge base with the default branch.
    pub base: Option<String>,
    pub tree: Option<String>,
    /// The stable patch-id of base..HEAD.
    pub patch_id: Option<String>,
    /// 12 hex digits of each commit of base..HEAD, newest first.
    pub commits: Vec<String>,
    /// What a carry entry says.
    pub carried: Option<Carried>,
}

/// Which entries were carried, from where to where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    pub from: String,
    pub to: String,
    pub rule: CarryRule,
    /// Their ids.
    pub entries: Vec<String>,
}

#[derive(Default, Deserialize)]
struct RawLine {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    ts: Option<String>,
    #[serde(default)]
    repo_head_sha: Option<String>,
    #[serde(default)]
    head: Option<RawHead>,
}

#[derive(Default, Deserialize)]
struct RawHead {
    #[serde(default)]
    base: Option<String>,
    #[serde(default)]
    tree: Option<String>,
    #[serde(default)]
    patch_id: Option<String>,
    #[serde(default)]
    commits: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct RawCarry {
    kind: String,
    from: String,
    to: String,
    rule: CarryRule,
    entries: Vec<String>,
}

/// Reads what a line tells; every line tells something.
pub fn trace(line: &[u8]) -> Trace {
    let raw: RawLine = serde_json::from_slice(line).unwrap_or_default();
    let id = raw
        .id
        .filter(|id| (1..=MAX_ID).contains(&id.len()))
        .unwrap_or_else(|| sha256_hex(line)[..16].to_owned());
    let head = raw.head.unwrap_or_default();
    let time = raw.ts.and_then(|ts| Ts::parse(&ts));
    Trace {
        id,
        time: time.map(|ts| ts.timestamp().as_second()),
        commit: raw.repo_head_sha,
        base: head.base,
        tree: head.tree,
        patch_id: head.patch_id,
        commits: head.commits.unwrap_or_default(),
        carried: carried(line),
    }
}

fn carried(line: &[u8]) -> Option<Carried> {
    let raw: RawCarry = serde_json::from_slice(line).ok()?;
    (raw.kind == "carry").then_some(Carried {
        from: raw.from,
        to: raw.to,
        rule: raw.rule,
        entries: raw.entries,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_tells_something() {
        let told = trace(
            br#"{"ts":"x","kind":"later","id":"01A","head":{"tree":"t","base":"b","commits":["c"]}}"#,
        );
        assert_eq!((told.id.as_str(), told.tree.as_deref()), ("01A", Some("t")));
        assert_eq!((told.base.as_deref(), told.patch_id), (Some("b"), None));
        assert_eq!(told.commits, ["c"]);
        assert_eq!((told.time, told.carried), (None, None));
        let told = trace(
            br#"{"ts":"1970-01-01T00:01:00.999Z","kind":"carry","from":"f","to":"t","rule":"merge-tree","entries":["01A"]}"#,
        );
        let carried = told.carried.unwrap();
        assert_eq!((told.time, carried.rule), (Some(60), CarryRule::MergeTree));
        assert_eq!((carried.from.as_str(), carried.to.as_str()), ("f", "t"));
        assert_eq!(carried.entries, ["01A"]);
        for line in [&b"not json \xff"[..], b"{\"id\":7}", b"{\"id\":\"\"}"] {
            let told = trace(line);
            assert_eq!(told.id, sha256_hex(line)[..16]);
            assert_eq!(told.tree, None);
        }
    }
}
