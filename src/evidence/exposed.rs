//! Whether what an answer depends on changed.

use regex::bytes::Regex;

use crate::{
    git::{Changes, Oid, Pathspecs, Repo, Result},
    question::lines_pattern,
    timeline::Watch,
};

/// Whether anything that is watched is among the changes between two commits. Where a pattern says which lines matter,
/// whether any such line came or went; a line that only moved, or was indented, did not.
///
/// # Errors
/// Where a pathspec is invalid, or a file can't be read.
pub fn is_exposed(repo: &Repo, changes: &Changes, watch: Watch) -> Result<bool> {
    let mut specs = Pathspecs::parse(watch.pathspecs)?;
    let Some(pattern) = watch.lines.and_then(|lines| lines_pattern(lines).ok()) else {
        return Ok(specs.match_any(changes));
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let matching = changes.matching(&mut specs);
    let blobs: Vec<Oid> = matching.iter().flatten().copied().flatten().collect();
    repo.bring(&blobs);
    for [old, new] in matching {
        collect(repo, old, &pattern, &mut before)?;
        collect(repo, new, &pattern, &mut after)?;
    }
    before.sort_unstable();
    after.sort_unstable();
    Ok(before != after)
}

/// Adds the lines of a file that match.
fn collect(
    repo: &Repo,
    blob: Option<Oid>,
    pattern: &Regex,
    lines: &mut Vec<Vec<u8>>,
) -> Result<()> {
    if let Some(blob) = blob {
        let bytes = repo.blob(blob)?;
        let matching = bytes.split(|&byte| byte == b'\n');
        let matching = matching.filter(|line| pattern.is_match(line));
        lines.extend(matching.map(|line| line.trim_ascii().to_vec()));
    }
    Ok(())
}
