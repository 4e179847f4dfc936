//! What a release consists of: packed from a program that need not be built for it.

use std::{fs, path::Path, process::Command};

use git_sq_test_support::{Ran, World, executable};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn has(program: &str) -> bool {
    let has = cfg!(target_os = "linux") && Command::new(program).arg("--version").output().is_ok();
    if !has {
        println!("skipped: needs Linux and {program}");
    }
    has
}

/// Runs a command in the world's root, as those who pack do: with this machine's Rust.
fn run(world: &World, command: &[&str]) -> Ran {
    let mut run = world.command(command[0]);
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "PATH"] {
        if let Some(value) = std::env::var_os(name) {
            run.env(name, value);
        }
    }
    run.args(&command[1..]).current_dir(world.root());
    run.env("SOURCE_DATE_EPOCH", "1767225600").env("CARGO_NET_OFFLINE", "true");
    run.output().unwrap().into()
}

/// Packs a script as the program into a folder, and says which files that made.
fn pack(world: &World, folder: &str) -> Vec<String> {
    let program = "#!/bin/sh\necho \"said $*\"\n[ \"$1\" != die ] || kill -TERM $$\nexit \"$1\"\n";
    executable(&world.root().join("git-sq"), program);
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/dist");
    let script = |name: &str| scripts.join(name).display().to_string();
    let pack = script("pack.py");
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    run(world, &["python3", &pack, "target", &target, "git-sq", folder]).ok();
    run(world, &[&script("join"), folder, "ada/sq"]).ok();
    let files = fs::read_dir(world.root().join(folder)).unwrap();
    let mut files: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    files
}

#[test]
fn a_release_is_packed_for_those_who_install_it() {
    if !has("python3") {
        return;
    }
    let world = World::without_repo();
    let files = pack(&world, "dist");
    let arch = std::env::consts::ARCH;
    let npm = if arch == "x86_64" { "linux-x64" } else { "linux-arm64" };
    let wheel = format!(
        "git_sq-{VERSION}-py3-none-manylinux_2_17_{arch}.manylinux2014_{arch}.musllinux_1_1_{arch}.whl"
    );
    let mut expected = [
        "SHA256SUMS".to_owned(),
        "git-sq.rb".to_owned(),
        "install.sh".to_owned(),
        format!("git-sq-{VERSION}.tgz"),
        format!("git-sq-{arch}-unknown-linux-musl.tar.gz"),
        format!("git-sq-{npm}-{VERSION}.tgz"),
        wheel.clone(),
    ];
    expected.sort();
    assert_eq!(files, expected);
    let sh = |script: &str| run(&world, &["sh", "-c", script]).ok();
    sh("cd dist && sha256sum --check --strict SHA256SUMS");
    let read = |path: &str| fs::read_to_string(world.root().join(path)).unwrap();
    let sums = read("dist/SHA256SUMS");
    let sum = sums.lines().find(|line| line.ends_with(".tar.gz")).unwrap().split(' ').next();
    let formula = read("dist/git-sq.rb");
    assert_has!(formula, format!("sha256 \"{}\"", sum.unwrap()));
    assert_has!(formula, format!("ada/sq/releases/download/v{VERSION}/git-sq-{arch}-"));

    let listed = sh("tar -tzf dist/*.tar.gz");
    assert_eq!(listed, "git-sq\nREADME.md\nLICENSE\nTHIRD-PARTY.txt\n");
    let licences = sh("tar -xzOf dist/*.tar.gz THIRD-PARTY.txt");
    assert!(licences.contains("\nclap 4.") && !licences.contains("\ninsta 1."), "{licences}");

    // What pip does: files that are not as the record says are refused.
    let check = "import base64, csv, hashlib, io, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = next(it for it in wheel.namelist() if it.endswith('/RECORD'))
for name, digest, _ in csv.reader(io.StringIO(wheel.read(record).decode())):
    have = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode()
    assert name == record or digest == 'sha256=' + have.rstrip('='), name
    print(oct(wheel.getinfo(name).external_attr >> 16), name)
";
    let said = run(&world, &["python3", "-c", check, &format!("dist/{wheel}")]).ok();
    let info = format!("git_sq-{VERSION}.dist-info");
    let mut expected =
        ["licenses/LICENSE", "licenses/THIRD-PARTY.txt", "METADATA", "WHEEL", "RECORD"]
            .map(|name| format!("0o100644 {info}/{name}\n"))
            .concat();
    expected.insert_str(0, &format!("0o100755 git_sq-{VERSION}.data/scripts/git-sq\n"));
    assert_eq!(said, expected);

    // Whoever packs it again gets the same.
    pack(&world, "again");
    assert_eq!(read("again/SHA256SUMS"), sums);
}

#[test]
fn the_launcher_of_npm_is_the_program() {
    if !has("python3") || !has("node") {
        return;
    }
    let world = World::without_repo();
    pack(&world, "dist");
    let sh = |script: &str| run(&world, &["sh", "-c", script]);
    sh("for file in dist/*.tgz; do
            it=${file#dist/} && it=node_modules/${it%-*} && mkdir -p $it
            tar -xzf $file -C $it --strip-components=1
        done")
    .ok();
    let launcher = "node_modules/git-sq/bin/git-sq.js";
    assert_eq!(run(&world, &[launcher, "0", "two words"]).ok(), "said 0 two words\n");
    assert_eq!(run(&world, &[launcher, "3"]).code, 3);
    let died = sh(&format!("{launcher} die; echo $?"));
    assert_eq!(died.ok(), "said die\n143\n");
    fs::remove_dir_all(world.root().join("node_modules").join(if cfg!(target_arch = "x86_64") {
        "git-sq-linux-x64"
    } else {
        "git-sq-linux-arm64"
    }))
    .unwrap();
    let ran = run(&world, &[launcher, "0"]).exits(128);
    assert_has!(
        ran.stderr,
        "is missing: install git-sq again with `npm install --include=optional`\n"
    );
}
