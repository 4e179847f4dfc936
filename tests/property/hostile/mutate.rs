//! Changes bytes as one does who wants to break their reader.

/// Numbers that look random and follow from a seed.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64, number: u64) -> Self {
        Self(seed.rotate_left(32) ^ number)
    }

    /// After `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number less than `end`, which is more than 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    pub fn is_one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// Control, bidirectional, invisible and broken characters, and what means something in JSON, paths and git.
const PIECES: [&[u8]; 40] = [
    b"\0",
    b"\n",
    b"\r\n",
    b"\x1b[2J\x1b]0;x\x07",
    b"\x7f",
    "\u{9b}31m".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2066}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{200b}\u{feff}".as_bytes(),
    "\u{e0041}".as_bytes(),
    "e\u{301}\u{301}\u{301}".as_bytes(),
    b"\xff\xfe",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\\ud800",
    b"\\u0000",
    b"\\u202e",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"-0.0",
    b"18446744073709551616",
    b"99999999999999999999999999",
    b"[]",
    b"{}",
    b"\"",
    b"\\",
    b",",
    b":",
    b"```\n",
    b"../",
    b"/",
    b":(glob)**",
    b":(attr:x)",
    b"+10000-01-01T00:00:00Z",
    b"9999-12-31T23:59:59.999Z",
    b"0000-00-00T00:00:00.000Z",
];

/// The longest that anything becomes.
const MOST: usize = 1 << 18;

/// One of the seeds, changed a few times.
pub fn mutated(seeds: &[Vec<u8>], noise: &mut Noise) -> Vec<u8> {
    let mut bytes = noise.pick(seeds);
    for _ in 0..=noise.below(4) {
        let other = noise.pick(seeds);
        change(&mut bytes, &other, noise);
        bytes.truncate(MOST);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], noise: &mut Noise) {
    let start = noise.below(bytes.len() + 1);
    let end = (start + noise.below(40)).min(bytes.len());
    // Now and then huge.
    let many = 1 << if noise.is_one_in(50) { 16 } else { noise.below(8) };
    match noise.below(9) {
        0 if start < bytes.len() => bytes[start] ^= 1 << noise.below(8),
        1 => bytes.truncate(start),
        2 => {
            let piece = bytes[start..end].repeat(many);
            bytes.splice(start..end, piece);
        }
        3 => drop(bytes.drain(start..end)),
        4 => drop(bytes.splice(start..end, noise.pick(&PIECES).iter().copied())),
        5 => replace(bytes, start, u8::is_ascii_digit, noise),
        6 => replace(bytes, start, |byte| !b"\"{}[]:, \n".contains(byte), noise),
        7 => {
            let nested = noise.pick(&[&b"["[..], b"{\"a\":", b"{\"results\":[", b"("]).repeat(many);
            bytes.splice(start..start, nested);
        }
        _ => {
            let from = noise.below(other.len() + 1);
            bytes.truncate(start);
            bytes.extend_from_slice(&other[from..]);
        }
    }
}

/// Replaces a run of bytes of a kind, behind `start`.
fn replace(bytes: &mut Vec<u8>, start: usize, is_of: impl Fn(&u8) -> bool, noise: &mut Noise) {
    let Some(first) = bytes[start..].iter().position(&is_of) else {
        return;
    };
    let first = start + first;
    let length = bytes[first..].iter().position(|byte| !is_of(byte));
    let end = length.map_or(bytes.len(), |length| first + length);
    bytes.splice(first..end, noise.pick(&PIECES).iter().copied());
}
