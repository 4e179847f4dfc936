//! Where git itself would put notes in a tree, so that the first append has nothing to rearrange.

/// The path of each note, by git's rule.
///
/// Git splits a folder by the next two digits once each value of the next digit is shared by two notes or more (see
/// `determine_fanout` in its notes.c).
pub fn note_paths(mut ids: Vec<&str>) -> Vec<(&str, String)> {
    ids.sort_unstable();
    let mut paths = Vec::with_capacity(ids.len());
    place(&ids, 0, &mut paths);
    paths
}

/// Places ids that share their first `depth` pairs of digits.
fn place<'i>(ids: &[&'i str], depth: usize, paths: &mut Vec<(&'i str, String)>) {
    let digits = depth * 2;
    let next_digit = |id: &str| id.as_bytes()[digits];
    let crowded = (b'0'..=b'9').chain(b'a'..=b'f').all(|digit| {
        let first = ids.partition_point(|id| next_digit(id) < digit);
        let end = ids.partition_point(|id| next_digit(id) <= digit);
        end - first > 1
    });
    if crowded {
        let pair = |id: &&str| id.as_bytes()[digits..digits + 2].to_vec();
        for group in ids.chunk_by(|id, next| pair(id) == pair(next)) {
            place(group, depth + 1, paths);
        }
        return;
    }
    for id in ids {
        let path: Vec<&str> =
            (0..depth).map(|level| &id[level * 2..level * 2 + 2]).chain([&id[digits..]]).collect();
        paths.push((*id, path.join("/")));
    }
}
