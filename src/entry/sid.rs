//! Generated names of sessions: their form, and their abbreviations.

use ulid::Ulid;

/// Characters of a generated name that text shows.
const SHOWN: usize = 8;
/// Characters that text shows of a UUID that begins with the time: eight are the same for a minute, these end at the
/// millisecond.
const SHOWN_OF_TIME: usize = 13;
/// Characters of the shortest abbreviation, as git has it for object names.
const SHORTEST: usize = 4;
const LENGTH: u32 = 16;

/// A unique name: 16 letters from k to z, so that it is never mistaken for a commit's id.
pub fn new_sid() -> String {
    let random = Ulid::generate().random();
    let digit = |place: u32| u8::try_from(random >> (4 * place) & 0xf).unwrap_or(0);
    (0..LENGTH).map(|place| char::from(b'k' + digit(place))).collect()
}

/// Returns true for generated names: those of git sq, and UUIDs of harnesses.
fn is_made(sid: &str) -> bool {
    let is_ours = sid.len() == LENGTH as usize && sid.bytes().all(|c| matches!(c, b'k'..=b'z'));
    let groups: Vec<&str> = sid.split('-').collect();
    let is_uuid = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.concat().bytes().all(|c| c.is_ascii_hexdigit());
    is_ours || is_uuid
}

/// The name as text shows it: a generated one abbreviated, any other whole.
pub fn short_sid(sid: &str) -> &str {
    match is_made(sid) {
        false => sid,
        // The place of a UUID's version.
        true if sid.as_bytes().get(14) == Some(&b'7') => &sid[..SHOWN_OF_TIME],
        true => &sid[..SHOWN],
    }
}

pub fn may_abbreviate(short: &str) -> bool {
    let is_ours = short.bytes().all(|c| matches!(c, b'k'..=b'z'));
    let is_uuid = short.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-');
    short.len() >= SHORTEST && (is_ours || is_uuid)
}

/// Returns true if the generated name `sid` begins with `short`, or has it anywhere and it is as long as what is shown.
pub fn abbreviates(short: &str, sid: &str) -> bool {
    let is_part = sid.starts_with(short) || short.len() >= SHOWN && sid.contains(short);
    may_abbreviate(short) && short.len() < sid.len() && is_part && is_made(sid)
}
