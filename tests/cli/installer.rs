//! The script that installs a release: only what has the right checksum gets in.

use std::{fs, process::Command};

use git_sq_test_support::{Ran, World, executable};

/// The targets that there are releases for on systems with a shell.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
];

pub fn can_install() -> bool {
    let can = cfg!(unix) && Command::new("curl").arg("--version").output().is_ok();
    if !can {
        println!("skipped: needs a shell and curl");
    }
    can
}

/// Makes a release of a script as the program, and gives the address of the releases.
pub fn release(world: &World, program: &str, spoil: impl Fn(String) -> String) -> String {
    let release = world.root().join("releases/download/v9");
    fs::create_dir_all(&release).unwrap();
    executable(&release.join("git-sq"), program);
    let shell = |script: &str| world.shell_in(&release, script).ok();
    for target in TARGETS {
        shell(&format!("tar -czf git-sq-{target}.tar.gz git-sq"));
    }
    let sums = shell(
        "if command -v sha256sum >/dev/null; then sha256sum *.gz; else shasum -a 256 *.gz; fi",
    );
    fs::write(release.join("SHA256SUMS"), spoil(sums)).unwrap();
    format!("file://{}/releases", world.root().display())
}

/// Runs the script against a release whose sums `spoil` has changed.
fn install(world: &World, spoil: impl Fn(String) -> String) -> Ran {
    let program = "#!/bin/sh\necho git-sq 9\necho \"$@\" >>\"$0.asked\"\n";
    let releases = release(world, program, spoil);
    let mut command = world.command("sh");
    command
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/install.sh"))
        .env("SQ_VERSION", "v9")
        .env("SQ_BIN", world.root().join("bin"))
        .env("SQ_RELEASES", releases);
    command.output().unwrap().into()
}

#[test]
fn a_release_is_installed_if_its_sum_is_right() {
    if !can_install() {
        return;
    }
    let world = World::without_repo();
    let program = world.root().join("bin/git-sq");
    for spoil in [|sums: String| sums.replace("  git", "0  git"), |_| String::new()] {
        let ran = install(&world, spoil);
        assert_eq!((ran.code, program.exists()), (1, false));
        assert_has!(ran.stderr, "the checksum of git-sq-");
    }
    let ran = install(&world, |sums| sums);
    assert_has!(ran.ok(), "Installed git-sq 9.\n");
    assert!(program.exists());
    let asked = fs::read_to_string(world.root().join("bin/git-sq.asked")).unwrap();
    assert_eq!(asked, "man --install\n-V\n");
}
