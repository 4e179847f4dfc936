//! Reads json input from a file or standard input.

use std::{fs, io, path::Path};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Failure;

/// The object in a JSON file, `-` for standard input; `kind` names it in messages, `form` is the hint.
pub fn read_object<T: DeserializeOwned>(path: &Path, kind: &str, form: &str) -> Result<T, Failure> {
    let is_stdin = path == Path::new("-");
    let read = if is_stdin {
        io::read_to_string(io::stdin().lock())
    } else {
        fs::read_to_string(path)
    };
    let place = if is_stdin {
        "on standard input".to_owned()
    } else {
        format!("in {}", path.display())
    };
    let text = read.map_err(|error| {
        Failure::refused(format!("could not read the {kind} {place}: {error}"), form)
    })?;
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    // Derived types also accept an array of the values in the order of the fields.
    let object = serde_json::from_str::<Map<String, Value>>(text);
    object
        .and_then(|_| serde_json::from_str(text))
        .map_err(|error| Failure::refused(format!("invalid {kind} {place}: {error}"), form))
}
