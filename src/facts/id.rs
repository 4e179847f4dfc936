//! Names of facts that stay while other facts come and go.

use std::collections::HashMap;

use crate::entry::sha256;

/// The least number of letters.
const LETTERS: usize = 4;

/// Without vowels, so that no id is a word.
const ALPHABET: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";

/// An id for each key: as many letters of its digest as tell it from the others. Equal keys are told apart by their order.
pub fn ids(keys: &[String]) -> Vec<String> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let whole: Vec<String> = keys
        .iter()
        .map(|key| {
            let number = seen.entry(key).and_modify(|number| *number += 1).or_default();
            letters(&format!("{key}\n{number}"))
        })
        .collect();
    let length = |id: &String| {
        let is_own = |length: &usize| {
            whole.iter().filter(|other| other.starts_with(&id[..*length])).count() == 1
        };
        (LETTERS..id.len()).find(is_own).unwrap_or(id.len())
    };
    whole.iter().map(|id| id[..length(id)].to_owned()).collect()
}

fn letters(key: &str) -> String {
    let letters = sha256(key.as_bytes()).map(|byte| ALPHABET[usize::from(byte) % ALPHABET.len()]);
    letters.map(char::from).iter().collect()
}
