//! Starts detached processes, and waits for unrelated ones.

use std::{
    io,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use process_wrap::std::CommandWrap;

use super::interrupt;

/// The executable of this program.
pub fn this_program() -> io::Result<Command> {
    std::env::current_exe().map(Command::new)
}

/// Starts a program that keeps running: without a terminal, and with nothing inherited but the environment.
pub fn start_detached(mut command: Command) -> io::Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        /// `DETACHED_PROCESS` and `CREATE_NEW_PROCESS_GROUP`.
        const FLAGS: u32 = 0x0000_0008 | 0x0000_0200;
        command.creation_flags(FLAGS);
    }
    let mut wrap = CommandWrap::from(command);
    #[cfg(unix)]
    wrap.wrap(process_wrap::std::ProcessSession);
    interrupt::unblock(&mut wrap);
    wrap.spawn().map(drop)
}

/// Closes every inherited file except the three standard ones. Call it before any other file is opened.
#[cfg(unix)]
pub fn close_inherited() {
    let open = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let open: Vec<i32> = open.filter_map(|file| file.file_name().to_str()?.parse().ok()).collect();
    for file in open.into_iter().filter(|file| *file > 2) {
        // The listed folder itself is closed already.
        let _ = nix::unistd::close(file);
    }
}

/// On other systems a process inherits only the three standard files.
#[cfg(not(unix))]
pub fn close_inherited() {}

#[cfg(unix)]
struct Running {
    parent: u32,
    name: String,
}

#[cfg(unix)]
fn look_up(pid: u32) -> Option<Running> {
    let stat = match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat,
        Err(_) if std::path::Path::new("/proc/self/stat").exists() => return None,
        Err(_) => {
            let printed = Command::new("ps")
                .args(["-o", "comm=", "-o", "stat=", "-o", "ppid=", "-p"])
                .arg(pid.to_string())
                .output()
                .ok()?
                .stdout;
            let printed = String::from_utf8_lossy(&printed).into_owned();
            let (rest, parent) = printed.trim().rsplit_once(char::is_whitespace)?;
            let (path, state) = rest.trim().rsplit_once(char::is_whitespace)?;
            let name = path.trim().rsplit('/').next().unwrap_or_default();
            format!("{pid} ({name}) {state} {parent}")
        }
    };
    // `PID (NAME) STATE PARENT …`, and the name may contain any character.
    let (before, after) = stat.rsplit_once(") ")?;
    let mut words = after.split_whitespace();
    let state = words.next()?;
    let running =
        Running { parent: words.next()?.parse().ok()?, name: before.split_once('(')?.1.to_owned() };
    (!state.starts_with('Z')).then_some(running)
}

/// The nearest ancestor process with a name; `None` if there is none, or the system does not list processes.
#[cfg(unix)]
pub fn ancestor(name: &str) -> Option<u32> {
    let mut pid = look_up(std::os::unix::process::parent_id())?.parent;
    while pid > 1 {
        let running = look_up(pid)?;
        if running.name == name {
            return Some(pid);
        }
        pid = running.parent;
    }
    None
}

/// Unknown on this system.
#[cfg(not(unix))]
pub fn ancestor(_name: &str) -> Option<u32> {
    Some(0)
}

/// Waits until a process with a name ends, for at most `most`.
#[cfg(unix)]
pub fn wait_for_end(pid: u32, name: &str, most: Duration) {
    const PAUSE: Duration = Duration::from_millis(25);
    let start = std::time::Instant::now();
    while start.elapsed() < most && look_up(pid).is_some_and(|found| found.name == name) {
        thread::sleep(PAUSE);
    }
}

/// Waits for a fixed time, since this system does not list processes.
#[cfg(not(unix))]
pub fn wait_for_end(_pid: u32, _name: &str, most: Duration) {
    thread::sleep(most.min(Duration::from_secs(5)));
}
