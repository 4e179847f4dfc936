//! What the chains of writers have to be.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// How many lines each writer has; an error where one has a number twice or lacks one, or a line names another digest
/// than that of the line before. A line on several commits counts once.
pub fn chains(lines: &[String]) -> Result<BTreeMap<String, u64>, String> {
    let mut chains: BTreeMap<String, BTreeMap<u64, &str>> = BTreeMap::new();
    for text in lines {
        let line: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Some(writer) = line["writer"].as_str() else {
            continue;
        };
        let n = line["n"].as_u64().ok_or(format!("no number: {text}"))?;
        let known = chains.entry(writer.to_owned()).or_default().insert(n, text);
        if known.is_some_and(|known| known != text) {
            return Err(format!("{writer} has {n} twice"));
        }
    }
    for (writer, chain) in &chains {
        let mut before = Value::Null;
        for (place, (n, text)) in (1..).zip(chain) {
            if place != *n {
                return Err(format!("{writer} lacks {place}"));
            }
            let line: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            if line["prev"] != before {
                return Err(format!("{writer}: {n} does not follow the line before"));
            }
            let hex: String =
                Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
            before = Value::from(hex);
        }
    }
    Ok(chains.into_iter().map(|(writer, chain)| (writer, chain.len() as u64)).collect())
}
