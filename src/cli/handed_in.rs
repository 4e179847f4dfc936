//! What is handed in as json: where it is read from, and that its records are objects.

use std::{
    fmt, fs,
    io::{self, Read as _},
    marker::PhantomData,
    path::Path,
};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::Failure;

/// What is in a file, `-` for standard input: what to call it, and its text. `form` says what it should hold.
///
/// # Errors
/// When it can't be read.
pub fn read_text(path: &Path, form: &str) -> Result<(String, String), Failure> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().read_to_string(&mut text).map(|_| ())
    } else {
        fs::read_to_string(path).map(|read| text = read)
    };
    let what = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    read.map_err(|error| Failure::refused(format!("could not read {what}: {error}"), form))?;
    // Some editors begin a file with a byte order mark.
    let text = text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text);
    Ok((what, text))
}

/// A record that is an object: left to itself, serde takes a list of the values in the order of the fields too.
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
