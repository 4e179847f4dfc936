use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// The id of a git object, SHA-1 or SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub(super) gix::ObjectId);

impl Oid {
    pub fn null() -> Self {
        Self(gix::ObjectId::null(gix::hash::Kind::Sha1))
    }

    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl Default for Oid {
    fn default() -> Self {
        Self::null()
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Oid({})", self.0)
    }
}

impl FromStr for Oid {
    type Err = ();

    fn from_str(hex: &str) -> Result<Self, ()> {
        gix::ObjectId::from_hex(hex.as_bytes()).map(Self).map_err(|_| ())
    }
}

impl From<gix::ObjectId> for Oid {
    fn from(id: gix::ObjectId) -> Self {
        Self(id)
    }
}

/// Serialized as bytes for caches, and in hex for JSON.
impl Serialize for Oid {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            to.collect_str(self)
        } else {
            to.serialize_bytes(self.0.as_bytes())
        }
    }
}

impl<'de> Deserialize<'de> for Oid {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let bytes = <&[u8]>::deserialize(from)?;
        gix::ObjectId::try_from(bytes).map(Self).map_err(D::Error::custom)
    }
}
