//! Pushes beside remotes that refuse the log, vanish or hang, and publishers that are killed: the user's push is what it
//! is without us, the next one says what stayed behind, once, and a later sync brings it.

use std::{fs, path::Path, thread, time::Duration};

use git_sq_test_support::{Prepare, Ran, Team, executable, program};

use super::push::{as_without_us, comes_later, git_s_words, our_words};

/// The push went through without a word, and the next one says why the log did not; the one after that does not.
#[track_caller]
fn left_behind((team, ran): &(Team, Ran), why: &str) {
    assert_eq!((ran.code, our_words(ran).as_str()), (0, ""));
    take_away(team);
    let said = format!(
        "git sq: could not publish all of the log to origin: {why}\ngit sq: nothing is lost; `git sq sync` tries again\n"
    );
    for said in [&said, ""] {
        let next = team.try_git("push");
        assert_eq!((next.code, our_words(&next).as_str()), (0, said));
        team.settle(&team.clone);
    }
}

const TOO_LONG: &str = "origin timed out after 1 s (sq.pushTimeout)";

/// A hook on the remote that takes everything but notes.
const NO_NOTES: &str = "#!/bin/sh
while read -r old new ref; do
  case $ref in refs/notes/*) echo 'no notes here' >&2; exit 1;; esac
done
";

#[test]
fn a_remote_that_refuses_notes() {
    let pre_receive = |team: &Team| executable(&team.remote.join("hooks/pre-receive"), NO_NOTES);
    let transfer = |team: &Team| team.set_on_remote("transfer.hideRefs", "refs/notes");
    let rows: [(&str, Prepare); 2] =
        [("pre-receive hook declined", &pre_receive), ("deny updating a hidden ref", &transfer)];
    for (why, refuse) in rows {
        let pushed = as_without_us(refuse, "push");
        left_behind(&pushed, &format!("origin rejected refs/notes/sq: {why}"));
        let (team, _) = pushed;
        assert!(team.lines_on_remote().is_empty(), "{why}");
        team.sq(&team.clone, &["sync"]).exits(128);
        // The remote takes notes after all.
        let _ = fs::remove_dir_all(team.remote.join("hooks"));
        team.git(&team.remote, &["config", "--unset", "transfer.hideRefs"]);
        comes_later(&team);
    }
}

#[test]
fn a_refusal_is_told_once() {
    let team = Team::new();
    executable(&team.remote.join("hooks/pre-receive"), NO_NOTES);
    let told = |sid: &str| {
        team.work(&team.clone, sid);
        let ran = team.try_git("push").exits(0);
        team.settle(&team.clone);
        ran.stderr.contains("git sq: could not publish all of the log")
    };
    assert_eq!([told("s1"), told("s2"), told("s3")], [false, true, false]);
    // Once the remote took it, a refusal is news again.
    fs::remove_file(team.remote.join("hooks/pre-receive")).unwrap();
    assert!(!told("s4"));
    executable(&team.remote.join("hooks/pre-receive"), NO_NOTES);
    assert_eq!([told("s5"), told("s6")], [false, true]);
}

/// A program for the other side of `git push` or `git fetch` that answers `times` times and then does `then`.
fn answers(path: &Path, program: &str, times: usize, then: &str) {
    let count = path.with_extension("count");
    let count = count.display();
    let text = format!(
        "#!/bin/sh\necho x >>'{count}'\nif [ $(wc -l <'{count}') -gt {times} ]; then {then}; fi\nexec git {program} \"$@\"\n"
    );
    executable(path, &text);
}

/// Puts such a program before the remote of the clone.
fn put_before(team: &Team, program: &str, times: usize, then: &str) {
    let wrapper = team.world.root().join(program);
    answers(&wrapper, program, times, then);
    let key = format!("remote.origin.{}", program.replace('-', ""));
    team.git_ok(&format!("config '{key}' '{}'", wrapper.display()));
}

fn take_away(team: &Team) {
    for key in ["receivepack", "uploadpack"] {
        let key = format!("remote.origin.{key}");
        team.git(&team.clone, &["config", "--unset", &key]);
    }
    team.try_git("config --unset sq.pushTimeout");
}

#[test]
fn a_remote_that_takes_the_branch_and_then_no_more_calls() {
    let pushed = as_without_us(
        |team| put_before(team, "receive-pack", 1, "echo 'gone' >&2; exit 1"),
        "push",
    );
    let why = "origin could not be reached: Could not read from remote repository.";
    left_behind(&pushed, why);
    comes_later(&pushed.0);
}

#[test]
fn a_remote_that_is_down_altogether() {
    let down = |team: &Team| fs::rename(&team.remote, team.remote.with_extension("away")).unwrap();
    let (ours, plain) = (Team::new(), Team::without_hooks());
    let [ran, expected] = [&ours, &plain].map(|team| {
        team.work(&team.clone, "s1");
        down(team);
        team.try_git("push")
    });
    assert_eq!((ran.code, expected.code), (128, 128));
    assert_eq!(ran.transcript(), expected.transcript());
    ours.sq(&ours.clone, &["sync"]).exits(128);
    fs::rename(ours.remote.with_extension("away"), &ours.remote).unwrap();
    comes_later(&ours);
}

#[test]
fn a_remote_that_hangs_holds_nobody_up() {
    let pushed = as_without_us(
        |team| {
            let hang = "echo $$ >../helper; exec sleep 60";
            put_before(team, "receive-pack", 1, hang);
            team.git_ok("config sq.pushTimeout 1");
        },
        "push",
    );
    let team = &pushed.0;
    let helper = fs::read_to_string(team.world.root().join("helper")).unwrap();
    if cfg!(target_os = "linux") {
        // The helpers that git started are stopped with it. One that nobody has waited for yet is dead, too.
        let state = fs::read_to_string(format!("/proc/{}/stat", helper.trim()));
        assert!(state.is_err() || state.unwrap().contains(") Z "));
    }
    left_behind(&pushed, TOO_LONG);
    comes_later(team);
}

#[test]
fn a_push_timeout_of_zero_carries_nothing_and_says_nothing() {
    super::push::held_back(&as_without_us(
        |team| {
            team.git_ok("config sq.pushTimeout 0");
        },
        "push",
    ));
}

/// What is killed is killed; the next push does what this one did not.
#[cfg(target_os = "linux")]
#[test]
fn a_publisher_that_is_killed_midway_loses_nothing() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    let mark = team.world.root().join("waiting");
    let wait = format!("touch '{}'; exec sleep 60", mark.display());
    put_before(&team, "receive-pack", 1, &wait);
    team.git_ok("push --quiet");
    let publisher = publisher(&team, &team.clone);
    while !mark.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let kill = format!("kill -KILL {publisher}");
    let mut shell = team.world.command("sh");
    assert!(shell.args(["-c", &kill]).status().unwrap().success());
    assert!(team.lines_on_remote().is_empty());
    take_away(&team);
    team.work(&team.clone, "s2");
    let ran = team.try_git("push --quiet");
    assert_eq!(ran.transcript(), "--- exit 0\n");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 2);
    team.git_ok("fsck --strict");
}

/// It waits for a publisher that is at work, and nothing of ours comes back.
#[cfg(target_os = "linux")]
#[test]
fn an_undo_beside_a_publisher_leaves_nothing() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    put_before(&team, "upload-pack", 0, "sleep 1");
    team.git_ok("push --quiet");
    let publisher = Path::new("/proc").join(publisher(&team, &team.clone).to_string());
    team.world.person_ok_in(&team.clone, "init --undo");
    while publisher.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(!team.clone.join(".git/sq").exists());
    assert_eq!(team.git_ok("for-each-ref refs/sq/"), "");
}

/// It holds no terminal, no file of the user's, and no folder.
#[cfg(target_os = "linux")]
#[test]
fn the_publisher_keeps_nothing_of_whoever_pushed() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    // Until it was looked at.
    let go = team.world.root().join("go");
    let wait = format!("while [ ! -e '{}' ]; do sleep 0.02; done", go.display());
    put_before(&team, "upload-pack", 0, &wait);
    // A file that the shell opened, and that git and its hooks inherit.
    let mut shell = team.command(&team.clone, &[]);
    let path = shell.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
    shell = team.world.command("sh");
    shell.env("PATH", path).current_dir(&team.clone);
    let push = "exec 7>../held 9>../held; git push --quiet";
    assert!(shell.args(["-c", push]).status().unwrap().success());
    let publisher = publisher(&team, &team.clone);
    let proc = Path::new("/proc").join(publisher.to_string());
    let leads_to = |name: &str| fs::read_link(proc.join(name)).unwrap_or_default();
    assert_eq!(leads_to("cwd"), Path::new("/"));
    let holds = || {
        let files = fs::read_dir(proc.join("fd")).unwrap().flatten();
        let mut files = files.map(|entry| leads_to(&format!("fd/{}", entry.file_name().display())));
        files.any(|file| file.ends_with("held"))
    };
    // On a busy machine it may have only just begun.
    let mut tries = 0;
    while holds() && tries < 100 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        tries += 1;
    }
    assert!(!holds());
    for number in 0..3 {
        assert_eq!(leads_to(&format!("fd/{number}")), Path::new("/dev/null"));
    }
    let stat = fs::read_to_string(proc.join("stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    // Group and session are its own, and its terminal is none.
    assert_eq!(fields[2..5], [&publisher.to_string(), &publisher.to_string(), "0"]);
    fs::write(go, "").unwrap();
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 1);
}

/// By whoever pushes, where that needs no question.
#[cfg(unix)]
#[test]
fn what_is_published_is_signed_where_commits_are() {
    let team = Team::new();
    let key = team.world.root().join("key");
    let mut keygen = team.world.command("ssh-keygen");
    keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key);
    if !keygen.status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no ssh-keygen");
        return;
    }
    team.git_ok("config gpg.format ssh");
    team.git_ok(&format!("config user.signingKey '{}'", key.display()));
    team.git_ok("config commit.gpgSign true");
    team.publish("signed");
    let is_signed =
        || team.git_ok_in(&team.remote, "cat-file commit refs/notes/sq").contains("\ngpgsig ");
    assert!(is_signed());
    // A key that can't be used stops nothing.
    team.work(&team.clone, "not-signed");
    fs::remove_file(key).unwrap();
    team.push();
    assert_eq!(team.lines_on_remote().len(), 2);
    assert!(!is_signed());
    assert_eq!(team.log_on_remote(), [2, 0]);
}

/// The publisher of a clone.
#[cfg(target_os = "linux")]
fn publisher(team: &Team, dir: &Path) -> u32 {
    let wanted = format!("GIT_DIR={}", dir.join(".git").display());
    let found = |entry: fs::DirEntry| {
        let words = |name: &str| {
            let bytes = fs::read(entry.path().join(name)).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let is_ours = words("cmdline")?.ends_with("\0hook\0publish\0")
            && words("environ")?.split('\0').any(|word| word == wanted);
        is_ours.then(|| entry.file_name().to_str()?.parse().ok())?
    };
    for _ in 0..1000 {
        let found = fs::read_dir("/proc").unwrap().flatten().find_map(found);
        if let Some(pid) = found {
            return pid;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("no publisher in {}", team.world.root().display());
}

#[test]
fn without_the_program_git_pushes_as_ever() {
    let (ours, plain) = (Team::new(), Team::without_hooks());
    let [ran, expected] = [&ours, &plain].map(|team| {
        team.work(&team.clone, "s1");
        let mut push = team.world.command("git");
        // The world's own PATH does not lead to the program.
        push.arg("push").current_dir(&team.clone);
        team.anywhere(push)
    });
    assert_eq!(ran.transcript(), expected.transcript());
    assert_eq!(ran.code, 0);
    assert!(ours.lines_on_remote().is_empty());
    comes_later(&ours);
}

#[test]
fn a_log_that_can_t_be_read_is_said_and_the_push_goes_on() {
    let (_, ran) = as_without_us(
        |team| {
            // Held by a link, which is refused wherever the log is written.
            team.git_ok("update-ref -d refs/notes/sq");
            team.git_ok("symbolic-ref refs/notes/sq refs/heads/nowhere");
        },
        "push",
    );
    assert_eq!(
        our_words(&ran),
        "git sq: could not publish all of the log to origin: refs/notes/sq is a symbolic ref, so the log would be written somewhere else\ngit sq: nothing is lost; `git sq sync` tries again\n"
    );
}

/// A remote at which nobody may do anything without a password.
#[test]
fn nothing_is_ever_asked() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            refuse(stream);
        }
    });
    let team = Team::new();
    team.work(&team.clone, "s1");
    if !Path::new(team.world.git_ok("--exec-path").trim()).join("git-remote-http").exists()
        && cfg!(unix)
    {
        eprintln!("skipped: this git was built without HTTP");
        return;
    }
    let url = format!("http://127.0.0.1:{port}/repo.git");
    team.git_ok(&format!("remote set-url origin '{url}'"));
    let mark = team.world.root().join("asked");
    let ask = team.world.root().join("ask");
    let text = format!("#!/bin/sh\necho \"$1\" >>'{}'\necho secret\n", mark.display());
    executable(&ask, &text);
    let asking = |mut command: std::process::Command| {
        let ran: Ran = command
            .env("GIT_ASKPASS", &ask)
            .env("SSH_ASKPASS", &ask)
            .env("SSH_ASKPASS_REQUIRE", "force")
            .env("DISPLAY", ":9")
            .output()
            .unwrap()
            .into();
        ran
    };
    // Git itself asks where it may: what is tested is that we don't.
    let push = asking(team.command(&team.clone, &["push"])).exits(128);
    assert!(mark.exists(), "{}", push.transcript());
    fs::remove_file(&mark).unwrap();
    for core in [false, true] {
        if core {
            let set = ["config", "core.askPass", ask.to_str().unwrap()];
            team.git(&team.clone, &set).ok();
        }
        asking(pre_push(&team, &url)).ok();
        team.settle(&team.clone);
        assert_has!(team.sq(&team.clone, &[]).stdout, "Not published: origin could not be reached");
        assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());
    }
    assert_eq!(git_s_words(&push).lines().count(), 1);
}

/// The hook, as git runs it for a push of the main branch.
fn pre_push(team: &Team, url: &str) -> std::process::Command {
    let head = team.git_ok("rev-parse HEAD");
    let zeros = "0".repeat(40);
    let pushed = format!("refs/heads/main {} refs/heads/main {zeros}\n", head.trim());
    let input = team.world.root().join("pushed");
    fs::write(&input, pushed).unwrap();
    let mut hook = team.world.command(program().to_str().unwrap());
    hook.args(["hook", "pre-push", "origin", url])
        .current_dir(&team.clone)
        .stdin(fs::File::open(input).unwrap());
    hook
}

/// Answers every request with a demand for a password.
fn refuse(mut stream: std::net::TcpStream) {
    use std::io::{BufRead, BufReader, Write};
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    while lines.next().is_some_and(|line| line.is_ok_and(|l| !l.is_empty())) {}
    let _ = stream.write_all(
        b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"test\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
}

/// Ssh asks on the terminal of its session, or through a program of its own.
#[cfg(target_os = "linux")]
#[test]
fn ssh_has_no_terminal_to_ask_on() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.git_ok("remote set-url origin git@host.invalid:repo.git");
    let called = team.world.root().join("called");
    let ssh = team.world.root().join("bin/ssh");
    // The sixth field of `stat` is the session, and 'read' would wait for input.
    let text = format!(
        "#!/bin/sh\nread -r line </dev/tty && echo input\necho \"$@ ask=$SSH_ASKPASS require=$SSH_ASKPASS_REQUIRE session=$(cut -d' ' -f6 /proc/$$/stat)\" >>'{}'\nexit 255\n",
        called.display()
    );
    executable(&ssh, &text);
    let command = format!("{} -p 2222", ssh.display());
    team.git_ok(&format!("config core.sshCommand '{command}'"));
    let mut hook = pre_push(&team, "git@host.invalid:repo.git");
    let ran: Ran = hook.env("SSH_ASKPASS", "/bin/false").output().unwrap().into();
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    team.settle(&team.clone);
    let called = fs::read_to_string(called).unwrap();
    for words in ["-p 2222", "ask= ", "require=never"] {
        assert!(called.contains(words), "{words}: {called}");
    }
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let session = fields.split(' ').nth(3).unwrap();
    assert!(!called.contains(&format!("session={session}\n")), "{called}");
}

/// A clone that lacks much of what the remote has pushes and syncs all the same.
#[test]
fn shallow_and_partial_clones() {
    let team = Team::new();
    team.set_on_remote("uploadpack.allowFilter", "true");
    for round in 0..3 {
        team.work(&team.clone, &format!("before-{round}"));
    }
    team.git_ok("push");
    team.settle(&team.clone);
    for (number, how) in ["--depth=1", "--filter=tree:0"].into_iter().enumerate() {
        let name = format!("part-{number}");
        let part = team.cloned(how, &name);
        team.sq(&part, &["init"]).ok();
        // The remote's log moves on meanwhile, so that the push has to fetch and fold.
        team.git_ok("pull --quiet --rebase");
        team.work(&team.clone, &format!("meanwhile-{number}"));
        team.git_ok("push --quiet origin main:aside");
        team.settle(&team.clone);
        team.work(&part, &name);
        let ran: Ran = team.git(&part, &["push", "--quiet"]);
        assert_eq!(ran.transcript(), "--- exit 0\n", "{how}");
        team.settle(&part);
        let count = 3 + 3 * number + 2;
        assert_eq!(team.lines_on_remote().len(), count, "{how}");
        if how == "--depth=1" {
            // A shallow fetch cuts the history of the log as well.
            team.git(&part, &["fetch", "--quiet", "--depth=1"]).ok();
        }
        team.world.record_in(&part, &format!("more-{number}")).ok();
        team.settle(&part);
        team.sq(&part, &["sync"]).ok();
        assert_eq!(team.lines_on_remote().len(), count + 1, "{how}");
        assert_eq!(team.lines(&part), team.lines_on_remote(), "{how}");
        team.git_ok("push --quiet --delete origin aside");
    }
}

/// Who merges from a fork publishes what was recorded there.
#[test]
fn a_push_publishes_what_another_remote_has() {
    let team = Team::new();
    let fork = team.world.root().join("fork.git");
    let (remote, fork) = (team.remote.display().to_string(), fork.display().to_string());
    team.git_ok(&format!("clone --quiet --bare {remote} {fork}"));
    let contributor = team.cloned("", "contributor");
    team.git_ok_in(&contributor, &format!("remote set-url origin {fork}"));
    team.sq_ok_in(&contributor, "init");
    team.work(&contributor, "theirs");
    team.push_from(&contributor);
    team.settle(&contributor);
    team.git_ok(&format!("remote add fork {fork}"));
    team.git_ok("config remote.fork.sq true");
    team.sq_ok("init");
    team.git_ok("fetch --quiet fork");
    team.git_ok("merge --quiet --ff-only fork/main");
    team.git_ok("push --quiet origin main");
    team.settle(&team.clone);
    assert!(team.lines_on_remote().iter().any(|line| line.contains(r#""sid":"theirs""#)));
}
