//! Receipts of transcripts: the log has the digest of a harness's own record of a session, this clone its place.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use serde::Deserialize;

use crate::{
    entry::{Transcript, sha256_of},
    file,
    git::Repo,
    store::{LocalState, RunningSession},
};

/// Bytes of a transcript that are read at most: the harness waits for the end of a session.
const MOST: u64 = 256 << 20;

/// Sessions whose transcripts are remembered at most.
const KNOWN: usize = 100;

/// A transcript now, compared with its receipt.
pub enum Compared {
    Same,
    /// It begins with what it had then; the number of bytes after that.
    Longer(u64),
    Changed,
    Unrecorded,
    Unreadable(io::Error),
}

/// The receipt of the file that the harness named, and the most tokens that the model read at once. `None` if it named no
/// file, or that can't be read.
pub(super) fn receipt(session: &RunningSession) -> Option<(Transcript, Option<u64>)> {
    let path = session.hook.as_ref()?.transcript.as_ref()?;
    let (file, size) = open(path).ok().filter(|(_, size)| *size <= MOST)?;
    let mut text = Vec::new();
    file.take(size).read_to_end(&mut text).ok()?;
    let (sha256, bytes) = sha256_of(text.as_slice()).ok()?;
    Some((Transcript { sha256, bytes }, peak_context(&text)))
}

/// A line of a transcript, as Claude Code and Codex write it.
#[derive(Deserialize)]
struct Line {
    message: Option<Message>,
    payload: Option<Payload>,
}

#[derive(Deserialize)]
struct Message {
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Payload {
    info: Option<TokenInfo>,
}

#[derive(Deserialize)]
struct TokenInfo {
    last_token_usage: Option<Usage>,
}

/// Tokens of the input; of Claude Code, those that no cache has stand apart.
#[derive(Deserialize)]
struct Usage {
    #[serde(rename = "input_tokens")]
    new: u64,
    #[serde(default, rename = "cache_creation_input_tokens")]
    cached_now: u64,
    #[serde(default, rename = "cache_read_input_tokens")]
    cached_before: u64,
}

fn peak_context(transcript: &[u8]) -> Option<u64> {
    let lines = transcript.split(|byte| *byte == b'\n');
    let lines = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    let usages = lines.filter_map(|Line { message, payload }| {
        let of_payload = || payload?.info?.last_token_usage;
        message.and_then(|message| message.usage).or_else(of_payload)
    });
    let read = usages.map(|Usage { new, cached_now, cached_before }| {
        new.saturating_add(cached_now).saturating_add(cached_before)
    });
    read.max()
}

pub(super) fn remember(state: &mut LocalState, session: &RunningSession) {
    let hook = session.hook.as_ref();
    if let Some(path) = hook.and_then(|hook| hook.transcript.as_ref()) {
        let known = &mut state.transcripts;
        known.retain(|(sid, _)| *sid != session.sid);
        known.push((session.sid.clone(), path.clone()));
        known.drain(..known.len().saturating_sub(KNOWN));
    }
}

/// The path of a transcript and what became of it; `None` if `writer` is not this clone, or it does not know the path.
pub fn compare(
    repo: &Repo,
    writer: Option<&str>,
    sid: &str,
    receipt: Option<&Transcript>,
) -> Option<(String, Compared)> {
    let state = LocalState::read(repo).ok()?;
    let known = state.transcripts.into_iter().filter(|_| state.writer.as_deref() == writer);
    let (_, path) = known.rev().find(|(known, _)| known == sid)?;
    let compare = || {
        let (file, size) = open(&path)?;
        Ok(match receipt {
            None => Compared::Unrecorded,
            Some(then) if read(file, then.bytes.min(MOST))? != *then => Compared::Changed,
            Some(then) if size > then.bytes => Compared::Longer(size - then.bytes),
            Some(_) => Compared::Same,
        })
    };
    let compared = compare().unwrap_or_else(Compared::Unreadable);
    Some((path, compared))
}

/// No link is followed to the file.
fn open(path: &str) -> io::Result<(File, u64)> {
    let path = Path::new(path);
    match path.parent().zip(path.file_name()).filter(|_| path.is_absolute()) {
        Some((folder, name)) => file::open(folder, name.as_ref()),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

/// The receipt of the first bytes of a file.
fn read(file: File, length: u64) -> io::Result<Transcript> {
    let (sha256, bytes) = sha256_of(file.take(length))?;
    Ok(Transcript { sha256, bytes })
}
