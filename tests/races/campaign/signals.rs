//! Commands, pushes and the hook in a push that are killed at any moment.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use git_sq_test_support::{executable, program};

use super::{
    log::{ACTIONS, Action, Campaign},
    noise,
};

/// Kills so many that were at work.
pub fn kill(campaign: &mut Campaign, kills: u64) -> u64 {
    let mut took = BTreeMap::new();
    let (mut killed, mut tries) = (0, 0);
    while killed < kills {
        let turn = usize::try_from(tries).unwrap();
        let action = ACTIONS[turn % ACTIONS.len()];
        tries += 1;
        assert!(tries < 10 * kills + 100, "nothing is at work for long enough");
        // How long it takes when it is left alone.
        let whole = *took.entry(turn % ACTIONS.len()).or_insert_with(|| alone(campaign, action));
        let sid = campaign.prepare(action);
        let moment = whole.mul_f64(u32::try_from(noise(tries) % 1_200).unwrap().into()) / 1_000;
        let is_killed = if action == Action::Push && noise(tries + kills).is_multiple_of(2) {
            the_hook(campaign, moment)
        } else {
            the_command(campaign, action, &sid, moment)
        };
        killed += u64::from(is_killed);
        campaign.look();
    }
    killed
}

fn command(campaign: &Campaign, action: Action, sid: &str) -> Command {
    let mut words = action.words(sid);
    if action == Action::Push {
        words.extend(["origin".to_owned(), campaign.destination()]);
        campaign.run("git".into(), &words)
    } else {
        campaign.program(&words)
    }
}

fn alone(campaign: &mut Campaign, action: Action) -> Duration {
    let sid = campaign.prepare(action);
    let start = Instant::now();
    let ran = command(campaign, action, &sid).output().unwrap();
    let took = start.elapsed();
    let printed = String::from_utf8_lossy(&ran.stdout);
    campaign.tell(action, &sid, ran.status.code(), &printed);
    took
}

/// Kills a command, or git itself in a push.
fn the_command(campaign: &mut Campaign, action: Action, sid: &str, moment: Duration) -> bool {
    let out = campaign.team.world.root().join("out");
    let mut child = command(campaign, action, sid)
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(out.with_extension("err")).unwrap())
        .spawn()
        .unwrap();
    if noise(moment.subsec_nanos().into()).is_multiple_of(2) {
        thread::sleep(moment);
    } else {
        // Around the moment at which the line lands.
        let lock = campaign.dir.join(".git/refs/notes/sq.lock");
        wait_for(&lock, &mut child);
        thread::sleep(moment / 20);
    }
    let was_alive = matches!(child.try_wait(), Ok(None));
    let _ = child.kill();
    let status = child.wait().unwrap();
    let printed = fs::read_to_string(&out).unwrap();
    campaign.tell(action, sid, status.code(), &printed);
    was_alive && status.code().is_none()
}

fn wait_for(lock: &Path, child: &mut Child) {
    while !lock.exists() && matches!(child.try_wait(), Ok(None)) {
        thread::yield_now();
    }
}

/// Kills our program in a push, which ends as it would without us.
fn the_hook(campaign: &mut Campaign, moment: Duration) -> bool {
    let script = format!(
        "exec 3<&0\n'{}' \"$@\" <&3 3<&- &\nsleep {}\nkill -KILL $! && touch '{{killed}}'\nwait $!\n",
        program().display(),
        (moment / 8).as_secs_f64()
    );
    push_with(campaign, &script)
}

/// Pushes with a script in place of our program; gives whether it made the file `{killed}`.
pub fn push_with(campaign: &mut Campaign, script: &str) -> bool {
    let folder = campaign.team.world.root().join("instead");
    let killed = folder.join("killed");
    let script = script.replace("{killed}", killed.to_str().unwrap());
    executable(&folder.join("git-sq"), &format!("#!/bin/sh\n{script}"));
    let _ = fs::remove_file(&killed);
    let without = campaign.twin();
    let mut push = command(campaign, Action::Push, "");
    let mut path = push
        .get_envs()
        .find(|(name, _)| *name == "PATH")
        .and_then(|(_, value)| value)
        .unwrap()
        .to_owned();
    path = [folder.as_os_str(), ":".as_ref(), &path].into_iter().collect();
    let ran = push.env("PATH", path).output().unwrap();
    campaign.compare(ran.status.code(), without, &String::from_utf8_lossy(&ran.stderr));
    killed.exists()
}
