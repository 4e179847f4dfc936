//! An object's id, owned by this crate.

use std::{fmt, str::FromStr};

/// The id of a git object, SHA-1 or SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub(super) gix::ObjectId);

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

    /// Reads a full id of either hash.
    fn from_str(hex: &str) -> Result<Self, ()> {
        gix::ObjectId::from_hex(hex.as_bytes())
            .map(Self)
            .map_err(|_| ())
    }
}

impl From<gix::ObjectId> for Oid {
    fn from(id: gix::ObjectId) -> Self {
        Self(id)
    }
}
