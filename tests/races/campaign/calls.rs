//! Commands, and the hook in a push, that are killed as they enter a system call that changes a file.

use std::{collections::BTreeMap, fs, process::Command};

use git_sq_test_support::program;

use super::{
    log::{ACTIONS, Action, Campaign},
    signals::push_with,
};

const CALLS: &str = "write,pwrite64,openat,?rename,renameat,renameat2,?unlink,unlinkat,?mkdir,mkdirat,?link,linkat,\
                     fsync,fdatasync,ftruncate,flock,fcntl,close,?chmod,fchmod";

/// A system call: its name, and which one of that name.
type Call = (String, usize);

/// Kills at so many calls; says how many those were.
pub fn kill(campaign: &mut Campaign, kills: u64) -> String {
    let probe = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    match probe {
        Ok(probe) if probe.status.success() => {}
        Ok(_) => return "0 at system calls (skipped: strace may not trace here)".to_owned(),
        Err(_) => return "0 at system calls (skipped: there is no strace)".to_owned(),
    }
    let mut killed = 0;
    let each = kills.div_ceil(ACTIONS.len() as u64);
    for action in ACTIONS {
        let calls = calls(campaign, action);
        let mut killed_here = 0;
        for turn in 0..4 * each {
            if killed_here == each {
                break;
            }
            // Spread over all of them; those that did not come this time are made up for at others.
            let place = turn * 1_000_003 % each * calls.len() as u64 / each + turn / each;
            let call = &calls[usize::try_from(place).unwrap() % calls.len()];
            killed_here += u64::from(kill_at(campaign, action, call));
            campaign.look();
        }
        killed += killed_here;
    }
    assert!(killed >= kills, "{killed} of {kills} were killed");
    format!("{killed} at system calls")
}

/// The calls of a command that is left alone.
fn calls(campaign: &mut Campaign, action: Action) -> Vec<Call> {
    let sid = campaign.prepare(action);
    let trace = campaign.team.world.root().join("trace");
    let options = format!("-e trace={CALLS} -o '{}'", trace.display());
    traced(campaign, action, &sid, &options);
    let mut counts = BTreeMap::new();
    let text = String::from_utf8_lossy(&fs::read(&trace).unwrap()).into_owned();
    let calls = text.lines().filter_map(|line| {
        let (name, _) = line.split_once('(')?;
        name.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(())?;
        let count: &mut usize = counts.entry(name.to_owned()).or_default();
        *count += 1;
        Some((name.to_owned(), *count))
    });
    let calls: Vec<Call> = calls.collect();
    assert!(calls.len() > 20, "{action:?}: {calls:?}");
    calls
}

fn kill_at(campaign: &mut Campaign, action: Action, (name, which): &Call) -> bool {
    let sid = campaign.prepare(action);
    let options = format!("-e trace={name} -e inject={name}:signal=KILL:when={which} -o /dev/null");
    traced(campaign, action, &sid, &options)
}

/// Runs it under strace; gives whether it was killed.
fn traced(campaign: &mut Campaign, action: Action, sid: &str, options: &str) -> bool {
    let strace = format!("strace {options} '{}' \"$@\"", program().display());
    if action == Action::Push {
        let script =
            format!("{strace}\ncode=$?\n[ $code -ne 137 ] || touch '{{killed}}'\nexit $code\n");
        return push_with(campaign, &script);
    }
    let shell = ["-c", &format!("exec {strace}"), "sh"].map(str::to_owned);
    let words = [&shell[..], &action.words(sid)].concat();
    let ran = campaign.run("sh".into(), &words).output().unwrap();
    let printed = String::from_utf8_lossy(&ran.stdout);
    campaign.tell(action, sid, ran.status.code(), &printed);
    ran.status.code().is_none()
}
