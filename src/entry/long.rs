//! Long answers, of which a line keeps a digest and the beginning.

use serde_json::{Value, json};

use super::sha256_hex;

/// Bytes of the longest JSON of an answer that is recorded whole, and of the beginning of a longer one.
const WHOLE: usize = 1000;

/// Bytes of the beginnings in a line at most, which share them: no line is refused as too long because of them.
const BEGINNINGS: usize = 16 << 10;

/// An answer as it is recorded: of a long one a digest, and its beginning.
pub fn recorded(answer: &Value) -> Value {
    let json = answer.to_string();
    if json.len() <= WHOLE || answer.is_object() {
        return answer.clone();
    }
    let begins = beginning(answer, WHOLE);
    json!({ "sha256": sha256_hex(json.as_bytes()), "bytes": json.len(), "begins": begins })
}

/// The beginning of a long answer, if the line has it.
pub fn begins(answer: &Value) -> Option<&Value> {
    answer.get("begins").filter(|begins| begins.is_string() || begins.is_array())
}

/// Returns true if two recorded answers are the same; their beginnings may end at different places.
pub fn is_same_recorded(one: &Value, two: &Value) -> bool {
    let (Some(digest), Some(other)) = (one.get("sha256"), two.get("sha256")) else {
        return one == two;
    };
    let [one, two] = [one, two].map(|answer| {
        let mut json = begins(answer).map(Value::to_string).unwrap_or_default();
        json.pop();
        json
    });
    digest == other && (one.starts_with(&two) || two.starts_with(&one))
}

/// Cuts the beginnings of the answers of one line so that they fit there.
pub fn fit<'a>(answers: impl Iterator<Item = &'a mut Value>) {
    let mut long: Vec<&mut Value> = answers.filter_map(|answer| answer.get_mut("begins")).collect();
    let share = BEGINNINGS / long.len().max(1);
    for begins in &mut long {
        **begins = beginning(begins, share);
    }
}

fn beginning(answer: &Value, most: usize) -> Value {
    match answer {
        Value::Array(items) => {
            let mut length = 0;
            let fits = items.iter().take_while(|item| {
                length += item.to_string().len() + 1;
                length <= most
            });
            let fits: Vec<Value> = fits.cloned().collect();
            let first = items.first().filter(|_| fits.is_empty());
            first.map_or(fits, |first| vec![beginning(first, most)]).into()
        }
        Value::String(text) => {
            let fits = text.char_indices().take_while(|(at, c)| at + c.len_utf8() <= most);
            fits.map(|(_, c)| c).collect::<String>().into()
        }
        other => other.clone(),
    }
}
