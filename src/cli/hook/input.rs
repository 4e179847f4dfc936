//! Standard input of a hook, which the program that runs it may leave open: nobody waits for its end.

use std::{
    io::{self, Read, StdinLock},
    iter,
    sync::mpsc,
    thread,
    time::Duration,
};

/// The time to wait for the next part.
const PATIENCE: Duration = Duration::from_secs(2);

/// The parts that standard input is split into, up to its end or a part that does not come in time.
pub fn arriving<P, T>(
    split: impl FnOnce(StdinLock<'static>) -> P + Send + 'static,
) -> impl Iterator<Item = T>
where
    P: Iterator<Item = T>,
    T: Send + 'static,
{
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || split(io::stdin().lock()).try_for_each(|part| sender.send(part)));
    iter::from_fn(move || receiver.recv_timeout(PATIENCE).ok())
}

/// The bytes of an input, as they come.
pub fn parts(mut input: impl Read) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    iter::from_fn(move || {
        let mut part = vec![0; 64 << 10];
        let read = input.read(&mut part).map(|length| part.truncate(length));
        Some(read.map(|()| part)).filter(|part| !part.as_ref().is_ok_and(Vec::is_empty))
    })
}
