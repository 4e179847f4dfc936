//! The Merkle root of a checkpoint, against the tree built level by level.

use git_sq::{
    entry::from_hex,
    proof::Checkpoint,
    store::{LogCommit, LogHistory, LogLine},
};
use sha2::{Digest as _, Sha256};

const ANCHOR: &str = "15cd9173c8a1b2c3d4e5f60718293a4b5c6d7e8f";

fn log(lines: usize) -> LogHistory {
    let line = |number: usize| LogLine {
        anchor: ANCHOR.parse().unwrap(),
        digest: from_hex(&format!("{number:064x}")).unwrap(),
        entry: None,
    };
    LogHistory {
        name: "refs/notes/sq".into(),
        commits: vec![LogCommit {
            id: ANCHOR.parse().unwrap(),
            time: None,
            parents: 0,
            added: (0..lines).map(line).collect(),
            removed: 0,
            unread: 0,
        }],
        is_cut: false,
    }
}

/// Pairs are joined level by level; what is left over goes up as it is.
fn slow_root(lines: usize) -> Vec<u8> {
    let mut level: Vec<Vec<u8>> = (0..lines)
        .map(|number| {
            Sha256::digest([b"\0", format!("{ANCHOR} {number:064x}").as_bytes()].concat()).to_vec()
        })
        .collect();
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [one, two] => Sha256::digest([b"\x01", &one[..], &two[..]].concat()).to_vec(),
                rest => rest[0].clone(),
            })
            .collect();
    }
    level.remove(0)
}

/// Base64, six bits a digit.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = text
        .trim_end_matches('=')
        .chars()
        .map(|digit| format!("{:06b}", DIGITS.find(digit).unwrap()));
    let bits: Vec<char> = bits.collect::<String>().chars().collect();
    bits.chunks_exact(8)
        .map(String::from_iter)
        .map(|bits| u8::from_str_radix(&bits, 2).unwrap())
        .collect()
}

#[test]
fn a_checkpoint_has_the_root_of_the_tree_of_all_lines() {
    for lines in (1..70).chain([255, 256, 257, 1000]) {
        let checkpoint = Checkpoint::of(&log(lines)).unwrap();
        let text = checkpoint.to_string();
        let [origin, size, root] = text.lines().collect::<Vec<_>>()[..] else {
            panic!("{text}");
        };
        assert_eq!((origin, size), (&*format!("git-sq/{ANCHOR}"), &*lines.to_string()));
        assert_eq!(decoded(root), slow_root(lines), "{lines}");
        assert_eq!(Checkpoint::parse(&text), Some(checkpoint.clone()));
        assert!(checkpoint.holds(&log(lines)) && checkpoint.holds(&log(lines + 3)));
        assert!(!checkpoint.holds(&log(lines - 1)));
    }
}
