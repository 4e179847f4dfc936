//! Commands and pushes on a disk that is full, or full but for a few kilobytes.

use std::{fs, process::Command};

use super::log::{ACTIONS, Action, Campaign};
use super::noise;

/// Fills the disk, but for some kilobytes, runs a command, and frees it.
const FILL: &str = r#"
mount -t tmpfs -o size=48m tmpfs "$root/disk"
cp -a "$root/clone" "$root/disk/"
cd "$root/disk/clone"
mkdir ../tmp
export TMPDIR=$root/disk/tmp
fill() {
  cat /dev/zero >../fill 2>/dev/null
  truncate -s "-$1K" ../fill
}
# Number, kilobytes, command.
full() {
  number=$1 left=$2
  shift 2
  fill "$left"
  "$@" >"$root/out" 2>"$root/err"
  code=$?
  rm ../fill
  echo "$number $code $(wc -c <"$root/out") $(tr '\n' ' ' <"$root/err")" >>"$root/codes"
}
free() {
  "$@" >"$root/out" 2>&1 || { echo "with a free disk: $*"; cat "$root/out"; exit 1; }
}
"#;

/// Copies the clone back once its publisher is done.
const KEEP: &str = r#"
for _ in $(seq 100); do
  [ -z "$(ls .git/sq/publish 2>/dev/null)" ] || sleep 0.1
done
cp -a "$root/disk/clone" "$root/kept"
"#;

/// Runs on so many full disks; says how many those were.
pub fn fill(campaign: &mut Campaign, disks: u64) -> String {
    let mut probe = Command::new("unshare");
    let probe = probe.args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        return "0 full disks (skipped: file systems can't be mounted here)".to_owned();
    }
    let root = campaign.team.world.root();
    fs::create_dir(root.join("disk")).unwrap();
    let mut script = format!("root='{}'\n{FILL}", root.display());
    for number in 0..disks {
        script += &lines_of(number);
    }
    script += KEEP;
    let words = ["-rm", "sh", "-c", &script].map(str::to_owned);
    let ran = campaign.run("unshare".into(), &words).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");

    let (mut failed, mut without) = (0, None);
    for line in fs::read_to_string(root.join("codes")).unwrap().lines() {
        let mut words = line.splitn(4, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (number, code, printed) = (word(), word().parse().ok(), word());
        let Ok(number) = number.parse() else {
            without = code;
            continue;
        };
        let action = action(number);
        if action == Action::Push {
            campaign.compare(code, without, line);
        } else {
            assert!(matches!(code, Some(0 | 128)), "{action:?}: {line}");
            let printed = if printed == "0" { "" } else { printed };
            campaign.tell(action, &sid(number), code, printed);
        }
        failed += u64::from(code != Some(0));
    }
    assert!(failed > disks / 8, "{failed} of {disks} failed");
    campaign.dir = root.join("kept");
    campaign.look();
    format!("{disks} full disks")
}

fn action(number: u64) -> Action {
    ACTIONS[usize::try_from(number).unwrap() % ACTIONS.len()]
}

fn sid(number: u64) -> String {
    format!("d{number}")
}

/// What is done on the disk of this number, and that all works again once it is free.
fn lines_of(number: u64) -> String {
    let (action, sid) = (action(number), sid(number));
    let left = noise(number) % 8 * 4;
    let words = action.words(&sid).join(" ");
    let after = format!("free git sq record --sid after-{sid} --same q1=x\n");
    let before = match action {
        Action::End => format!("free git sq session start --sid {sid}\n"),
        Action::Push => {
            return format!(
                "free git commit --quiet --allow-empty -m {sid}
                free git sq record --sid p{sid} --same q1=x
                full without {left} git {words} --no-verify twin HEAD:refs/heads/{sid}
                full {number} {left} git {words} origin HEAD:refs/heads/{sid}
                {after}"
            );
        }
        _ => String::new(),
    };
    format!("{before}full {number} {left} git sq {words}\n{after}")
}
