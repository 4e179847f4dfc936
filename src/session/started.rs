//! Sessions that were started in a worktree and have not ended: one file each, in a folder of the worktree's.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use ulid::Ulid;

use super::Error;
use crate::{
    entry::{Agent, Ts, sha256_hex},
    file::write_atomically,
    store::WritersLock,
};

/// What a session's file begins with; further lines are added to it, and nothing in it is changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    pub sid: String,
    /// This clone's id.
    pub writer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// HEAD at the start; None before the first commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    pub started: Ts,
}

/// One heartbeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    pub beat: Ts,
    /// The share of the context that is used, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<f64>,
}

/// Any other line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Event {
    Beat(Beat),
    /// It became the current session; the greatest number is the current one's, so that no clock decides.
    Current {
        current: u64,
        at: Ts,
    },
    /// Another one became the current session, with HEAD here.
    Left {
        left: Ts,
        head: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    },
}

impl Event {
    /// Another one than `start` has, or takes, its place.
    fn left(start: &Start) -> Self {
        Self::Left {
            left: start.started.clone(),
            head: start.head.clone(),
            branch: start.branch.clone(),
        }
    }
}

/// HEAD when another session took one's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub at: Ts,
    pub head: Option<String>,
    pub branch: Option<String>,
}

/// A session that has not ended, as its file tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Started {
    pub start: Start,
    pub beats: u64,
    /// The greatest share of the context that was reported.
    pub peak_context: Option<f64>,
    pub last_beat: Option<Ts>,
    /// Its signs of life: its start, when it went on, its beats.
    pub signs: Vec<Ts>,
    /// None where it is the current one, again or still.
    pub left: Option<Left>,
    /// 0 for one that never became the current one by a start.
    number: u64,
    path: PathBuf,
}

/// The sessions of a worktree that have not ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NotEnded {
    /// The current one last.
    pub sessions: Vec<Started>,
    pub broken: Vec<Broken>,
}

/// What has the name of a session's file and holds none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub path: PathBuf,
    pub why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { path, why } = self;
        write!(f, "{} does not hold a session: {why}", path.display())
    }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |error| Error::File { doing, path, error }
}

impl Started {
    /// The turn to change the sessions of a worktree.
    ///
    /// # Errors
    /// When the folder can't be made.
    pub fn turn(folder: &Path) -> Result<WritersLock, Error> {
        Ok(WritersLock::in_folder(folder)?)
    }

    /// Every session of a worktree that has not ended, and what only looks like one.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn all(folder: &Path) -> Result<NotEnded, Error> {
        let mut found = NotEnded::default();
        let files = match fs::read_dir(folder) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            Err(error) => return Err(failed("read", folder)(error)),
        };
        for file in files {
            let path = file.map_err(failed("read", folder))?.path();
            if path
                .extension()
                .is_none_or(|extension| extension != "jsonl")
            {
                continue;
            }
            match read(&path) {
                Ok(session) => found.sessions.push(session),
                // It ended meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => found.broken.push(Broken {
                    path,
                    why: error.to_string(),
                }),
            }
        }
        let order = |one: &Self| (one.number, one.start.started.clone(), one.start.sid.clone());
        found.sessions.sort_by_key(order);
        if let Some(current) = found.sessions.last_mut() {
            // Whatever took its place has ended since.
            current.left = None;
        }
        found.broken.sort_by(|one, two| one.path.cmp(&two.path));
        Ok(found)
    }

    /// Makes `start` the current session of a worktree: a new one, or the one of that name if it has not ended. Gives
    /// the session, and whether it goes on.
    ///
    /// # Errors
    /// When a file can't be read or written.
    pub fn begin(folder: &Path, start: &Start) -> Result<(Self, bool), Error> {
        let NotEnded {
            mut sessions,
            broken,
        } = Self::all(folder)?;
        let number = sessions.last().map_or(0, |current| current.number);
        let number = number.saturating_add(1);
        let event = Event::Current {
            current: number,
            at: start.started.clone(),
        };
        let known = sessions.iter().find(|known| known.sid() == start.sid);
        let goes_on = known.is_some();
        let path = if let Some(known) = known {
            known.add(&event)?;
            known.path.clone()
        } else {
            make(folder, start, Some(&event), &broken)?
        };
        if let Some(other) = sessions.pop().filter(|other| other.sid() != start.sid) {
            other.add(&Event::left(start))?;
        }
        Ok((read(&path).map_err(failed("read", &path))?, goes_on))
    }

    /// A further stretch of a session that was swept up though it is alive, or the one that it has by now. It is the
    /// current session only as long as the worktree has no other.
    ///
    /// # Errors
    /// When a file can't be read or written.
    pub fn come_back(folder: &Path, start: &Start) -> Result<Self, Error> {
        let NotEnded { sessions, broken } = Self::all(folder)?;
        let (mut same, others): (Vec<Self>, Vec<Self>) = sessions
            .into_iter()
            .partition(|known| known.sid() == start.sid);
        if let Some(known) = same.pop() {
            return Ok(known);
        }
        let left = (!others.is_empty()).then(|| Event::left(start));
        let path = make(folder, start, left.as_ref(), &broken)?;
        read(&path).map_err(failed("read", &path))
    }

    /// Its name.
    pub fn sid(&self) -> &str {
        &self.start.sid
    }

    /// Counts a heartbeat: a line is added in one write, so that beats of several processes are all kept.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn beat(&self, beat: Beat) -> Result<(), Error> {
        self.add(&Event::Beat(beat))
    }

    /// Forgets a session that has ended.
    ///
    /// # Errors
    /// When the file can't be removed.
    pub fn remove(&self) -> Result<(), Error> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("remove", &self.path)(error))
            }
            _ => Ok(()),
        }
    }

    fn add(&self, event: &Event) -> Result<(), Error> {
        // What a crash cut off ends at this line feed, and is passed over.
        let text = "\n".to_owned() + &line(event);
        File::options()
            .append(true)
            .open(&self.path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(failed("write", &self.path))
    }
}

/// Gives what only looks like a session's file another name, beside it.
///
/// # Errors
/// When it can't be renamed.
pub fn set_aside(path: &Path) -> Result<(), Error> {
    let aside = path.with_extension(format!("{}.broken", Ulid::generate()));
    fs::rename(path, aside).map_err(failed("rename", path))
}

/// A session's file; its name is a digest, because a session's may be no file's name.
fn path_of(folder: &Path, sid: &str) -> PathBuf {
    let name = &sha256_hex(sid.as_bytes())[..32];
    folder.join(format!("{name}.jsonl"))
}

/// Makes the file of a session that has none, or only what looks like one.
fn make(
    folder: &Path,
    start: &Start,
    event: Option<&Event>,
    broken: &[Broken],
) -> Result<PathBuf, Error> {
    let path = path_of(folder, &start.sid);
    if broken.iter().any(|broken| broken.path == path) {
        set_aside(&path)?;
    }
    let text = line(start) + &event.map(line).unwrap_or_default();
    write_atomically(&path, text.as_bytes()).map_err(failed("write", &path))?;
    Ok(path)
}

fn line(value: &impl Serialize) -> String {
    // Our own types have no key that is not a string.
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

fn read(path: &Path) -> io::Result<Started> {
    // A pipe would keep whoever reads it waiting.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(parse(path, &fs::read(path)?)?)
}

fn parse(path: &Path, bytes: &[u8]) -> serde_json::Result<Started> {
    let mut lines = bytes.split(|&byte| byte == b'\n').filter(|l| !l.is_empty());
    let start: Start = serde_json::from_slice(lines.next().unwrap_or_default())?;
    let mut session = Started {
        signs: vec![start.started.clone()],
        start,
        beats: 0,
        peak_context: None,
        last_beat: None,
        left: None,
        number: 0,
        path: path.to_owned(),
    };
    for line in lines {
        match serde_json::from_slice(line) {
            Ok(Event::Beat(Beat { beat, context })) => {
                session.beats += 1;
                let known = session.peak_context.into_iter().chain(context);
                session.peak_context = known.reduce(f64::max);
                session.signs.push(beat.clone());
                session.last_beat = session.last_beat.max(Some(beat));
            }
            Ok(Event::Current { current, at }) => {
                session.number = current;
                session.signs.push(at);
                session.left = None;
            }
            Ok(Event::Left { left, head, branch }) => {
                let at = left;
                session.left = Some(Left { at, head, branch });
            }
            Err(_) => {}
        }
    }
    Ok(session)
}
