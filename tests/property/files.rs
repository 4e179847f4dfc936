//! The files at a commit that pathspecs match, compared with `git ls-files` of an index that equals the commit.

use git_sq::git::{FileAt, Pathspecs, Repo};
use git_sq_test_support::{World, executable, refs, words};

/// Pathspecs that are looked up together, and then the next ones.
const SPECS: &str = " | src | src/ | src/lib.rs Cargo.toml | *.rs | src/*.rs | :(glob)src/*.rs | :(glob)**/lib.rs \
    | :(glob)docs/**/b.md | :(icase)SRC/main.RS | :(literal)docs/deep/er/[x].md | docs/deep/er/[x].md \
    | docs :!docs/deep | :(exclude)src | *.md :(exclude,glob)docs/*.md | a | a* | vendor | vendor/module \
    | src/link.rs | ü | no/such/path | :/src | s?c/g*/mod.rs";

/// Git's words for the same: the blob, whether it is executable, and the path.
fn ls_files(world: &World, specs: &[&str]) -> Vec<(String, bool, String)> {
    let args = [&["ls-files", "--stage", "-z", "--"], specs].concat();
    let listed = world.git(&args).ok();
    let files = listed.split_terminator('\0').filter_map(|line| {
        let (head, path) = line.split_once('\t')?;
        let (mode, rest) = head.split_once(' ')?;
        let (blob, _) = rest.split_once(' ')?;
        mode.starts_with("100").then(|| (blob.to_owned(), mode == "100755", path.to_owned()))
    });
    let mut files: Vec<_> = files.collect();
    files.sort_by(|file, other| file.2.cmp(&other.2));
    files
}

#[test]
fn pathspecs_match_the_files_that_git_lists() {
    let world = World::new();
    for path in [
        "Cargo.toml",
        "a.rs",
        "a/b.rs",
        "a.b/c",
        "docs/a.md",
        "docs/deep/er/b.md",
        "docs/deep/er/[x].md",
        "src/lib.rs",
        "src/lib.rs.orig",
        "src/Main.rs",
        "src/git/mod.rs",
        "src-old/lib.rs",
        "ü/leer zeichen.md",
    ] {
        world.write(path, path);
    }
    executable(&world.dir.join("src/run.sh"), "#!/bin/sh\n");
    let target = world.blob(b"src/lib.rs");
    let commit = world.commit("First");
    for entry in [
        "100755,".to_owned() + &world.blob(b"#!/bin/sh\n") + ",src/run.sh",
        format!("120000,{target},src/link.rs"),
        format!("160000,{commit},vendor/module"),
    ] {
        world.git_ok(&format!("update-index --add --cacheinfo {entry}"));
    }
    world.git_ok("commit --quiet -m All");
    let repo = Repo::open(&world.dir).unwrap();
    let head = repo.head().unwrap().commit.unwrap();
    let mut matched = 0;
    for line in SPECS.split(" | ") {
        let owned = words(line);
        let specs = refs(&owned);
        let mut pathspecs = Pathspecs::parse(&owned).unwrap();
        let found: Vec<_> = repo
            .files_at(head, &mut pathspecs)
            .unwrap()
            .into_iter()
            .map(|file: FileAt| (file.blob.to_string(), file.executable, file.path))
            .collect();
        assert_eq!(found, ls_files(&world, &specs), "{specs:?}");
        matched += found.len();
    }
    assert!(matched > 50, "{matched}");
}
