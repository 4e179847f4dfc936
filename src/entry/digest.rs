use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// A SHA-256.
pub type Sum = [u8; 32];

pub fn sha256(bytes: &[u8]) -> Sum {
    Sha256::digest(bytes).into()
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

pub fn from_hex(text: &str) -> Option<Sum> {
    let mut sum = [0; 32];
    for (place, byte) in sum.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    (hex(&sum) == text).then_some(sum)
}

/// The digest of all that is read, and its length.
pub fn sha256_of(mut reader: impl Read) -> io::Result<(String, u64)> {
    let (mut digest, mut length) = (Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok((hex(&digest.finalize()), length)),
            Ok(read) => {
                digest.update(&buffer[..read]);
                length += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0, |number, byte| number << 8 | usize::from(*byte))
            << (8 * (3 - three.len()));
        for place in 0..4 {
            text.push(if place > three.len() {
                '='
            } else {
                char::from(DIGITS[number >> (18 - 6 * place) & 63])
            });
        }
    }
    text
}
