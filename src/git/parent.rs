//! What can be known about the git that started this process: a hook is told neither of `--dry-run` nor of much else.

use std::fs;

/// How many processes may lie between git and its hook's command: shells, and a hook manager or two.
const MAX_STEPS: usize = 12;

/// Whether this process was started by a `git push --dry-run`; no where the system does not show that.
pub fn is_dry_run_push() -> bool {
    let mut process = std::process::id();
    for _ in 0..MAX_STEPS {
        let Some(parent) = parent_of(process) else {
            return false;
        };
        process = parent;
        let Ok(line) = fs::read(format!("/proc/{process}/cmdline")) else {
            return false;
        };
        let words: Vec<String> = line
            .split(|&byte| byte == 0)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        if let Some(options) = push_options(&words) {
            return is_dry_run(options);
        }
    }
    false
}

fn parent_of(process: u32) -> Option<u32> {
    // `PID (NAME) STATE PPID …`; the name may hold blanks and parentheses.
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// What follows `push` on git's command line; None where this is no `git push`.
fn push_options(words: &[String]) -> Option<&[String]> {
    let program = words.first()?.rsplit(['/', '\\']).next()?;
    if !["git", "git.exe"].contains(&program) {
        return None;
    }
    let at = words.iter().position(|word| word == "push")?;
    Some(&words[at + 1..])
}

fn is_dry_run(options: &[String]) -> bool {
    let mut dry = false;
    for option in options.iter().take_while(|option| *option != "--") {
        if let Some(long) = option.strip_prefix("--") {
            // Git takes any beginning of an option that is no other's.
            if long.len() >= 2 && "dry-run".starts_with(long) {
                dry = true;
            } else if long.len() >= 5 && "no-dry-run".starts_with(long) {
                dry = false;
            }
        } else if let Some(short) = option.strip_prefix('-') {
            // `-o` takes the rest for its value.
            dry |= short.split('o').next().unwrap_or_default().contains('n');
        }
    }
    dry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_is_told_from_a_push() {
        for (line, expected) in [
            ("git push --dry-run", Some(true)),
            ("/usr/bin/git push -fn origin", Some(true)),
            ("git -C x push origin main --dry", Some(true)),
            ("git push --dry-run --no-dry-run", Some(false)),
            ("git push -on origin", Some(false)),
            ("git push origin -- -n", Some(false)),
            ("git push", Some(false)),
            ("sh -c git push -n", None),
            ("git fetch", None),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(push_options(&words).map(is_dry_run), expected, "{line}");
        }
    }
}
