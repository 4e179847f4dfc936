//! Reads json input from a file or standard input.

use std::{fmt, fs, io, marker::PhantomData, path::Path};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::Failure;

/// The object in a JSON file, `-` for standard input; `kind` names it in messages, `form` is the hint.
pub fn read_object<T: DeserializeOwned>(path: &Path, kind: &str, form: &str) -> Result<T, Failure> {
    let is_stdin = path == Path::new("-");
    let read =
        if is_stdin { io::read_to_string(io::stdin().lock()) } else { fs::read_to_string(path) };
    let place =
        if is_stdin { "on standard input".to_owned() } else { format!("in {}", path.display()) };
    let text = read.map_err(|error| {
        Failure::refused(format!("could not read the {kind} {place}: {error}"), form)
    })?;
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match serde_json::from_str(text) {
        Ok(Object(object)) => Ok(object),
        Err(error) => Err(Failure::refused(format!("invalid {kind} {place}: {error}"), form)),
    }
}

/// An object: serde's derived types also accept an array of the values in the order of the fields.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfKeys<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for OfKeys<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_map(OfKeys(PhantomData))
    }
}
