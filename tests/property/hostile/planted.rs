//! What anybody who can push could have planted, one thing a round: lines, notes trees, refs and blobs.

use std::{fs, path::Path, rc::Rc};

use super::{
    Target, corpus,
    mutate::{Noise, mutated},
    victim::Victim,
};

pub fn targets(victim: &Rc<Victim>) -> Vec<Target> {
    vec![
        ("planted lines", Box::new(lines(victim.clone()))),
        ("planted notes trees", Box::new(notes_trees(victim.clone()))),
        ("planted refs", Box::new(refs(victim.clone()))),
        ("planted blobs", Box::new(blobs(victim.clone()))),
    ]
}

const LOG: &str = "refs/notes/sq";

/// Where a log can be planted: here, as if it had been fetched, and on the remote.
const PLACES: [&str; 4] =
    [LOG, LOG, "refs/notes/remotes/origin/sq", "../../remote.git/refs/notes/sq"];

const WHO: &str = "Eve <eve@example.org> 1767225600 +0000";

/// A commit of this tree and these parents, as git writes it.
fn commit(tree: &str, parents: &[&str]) -> Vec<u8> {
    let parents = parents.iter().map(|id| format!("parent {id}\n"));
    let parents: String = parents.collect();
    format!("tree {tree}\n{parents}author {WHO}\ncommitter {WHO}\n\nNotes\n").into_bytes()
}

impl Victim {
    /// Plants a notes tree of this object on one of the commits.
    fn plant(&self, mode: &str, id: &str, noise: &mut Noise) {
        let anchor = noise.pick(&self.commits);
        let entry = [format!("{mode} {anchor}\0").as_bytes(), &bytes_of(id)].concat();
        let tree = self.object("tree", &entry);
        let base = self.base(LOG);
        let before = String::from_utf8_lossy(&base[0].1);
        let parents = if noise.is_one_in(2) { vec![before.trim()] } else { Vec::new() };
        let commit = self.object("commit", &commit(&tree, &parents));
        self.write(noise.pick(&PLACES), (commit + "\n").as_bytes());
    }

    /// Valid lines, with the commit that they are to be found on.
    fn seeds(&self) -> Vec<Vec<u8>> {
        corpus::lines()
            .iter()
            .map(|line| {
                String::from_utf8_lossy(line).replace("abcdef0", &self.commits[0]).into_bytes()
            })
            .collect()
    }
}

/// Some of these lines as they are, and some changed.
fn note(seeds: &[Vec<u8>], noise: &mut Noise) -> Vec<u8> {
    let mut note = Vec::new();
    for _ in 0..=noise.below(4) {
        let line = if noise.is_one_in(3) { noise.pick(seeds) } else { mutated(seeds, noise) };
        note.extend(line);
        note.push(b'\n');
    }
    note
}

fn lines(victim: Rc<Victim>) -> impl FnMut(&mut Noise) {
    let seeds = victim.seeds();
    move |noise| {
        victim.restore();
        let note = note(&seeds, noise);
        let blob = victim.object("blob", &note);
        victim.plant("100644", &blob, noise);
        victim.read_or_write(noise, &note);
    }
}

fn notes_trees(victim: Rc<Victim>) -> impl FnMut(&mut Noise) {
    let seeds = victim.seeds();
    move |noise| {
        victim.restore();
        let note = note(&seeds, noise);
        let blob = victim.object("blob", &note);
        let mut tree = victim.object("tree", b"");
        for _ in 0..=noise.below(3) {
            let mut bytes = tree_of(&victim.commits[0], &blob, &tree, noise);
            if noise.is_one_in(8) {
                bytes = mutated(&[bytes], noise);
            }
            tree = victim.object("tree", &bytes);
        }
        let mut commit = commit(&tree, &[]);
        if noise.is_one_in(6) {
            commit = mutated(&[commit], noise);
        }
        let commit = victim.object("commit", &commit);
        victim.write(noise.pick(&PLACES), (commit + "\n").as_bytes());
        victim.read_or_write(noise, &note);
    }
}

fn bytes_of(id: &str) -> Vec<u8> {
    (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()).collect()
}

const MODES: [&str; 7] = ["100644", "100755", "120000", "160000", "40000", "0", "7777777"];

/// The bytes of a tree in which the blob annotates HEAD, or nearly.
fn tree_of(head: &str, blob: &str, below: &str, noise: &mut Noise) -> Vec<u8> {
    let (upper, zeros) = (head.to_uppercase(), "0".repeat(64));
    let odd = [&*upper, &zeros, "00", "a/b", ".git", "\u{202e}"];
    let mut entries = Vec::new();
    for _ in 0..=noise.below(4) {
        let name = match noise.below(8) {
            0 => noise.pick(&odd),
            1 => &head[..2],
            2 => &head[2..],
            _ => head,
        };
        let (mode, id) = match noise.below(4) {
            0 => ("40000", below),
            1 => (noise.pick(&MODES), noise.pick(&[head, below, blob])),
            _ => ("100644", blob),
        };
        entries.push((name, mode, id));
    }
    if !noise.is_one_in(4) {
        entries.sort_unstable();
    }
    entries
        .iter()
        .flat_map(|(name, mode, id)| {
            [format!("{mode} {name}\0").as_bytes(), &bytes_of(id)].concat()
        })
        .collect()
}

/// A ref, or what git and the program keep beside refs, that leads nowhere good.
fn refs(victim: Rc<Victim>) -> impl FnMut(&mut Noise) {
    let git = victim.path("");
    let mut names: Vec<String> = [victim.base("refs/"), victim.base("HEAD")]
        .concat()
        .into_iter()
        .map(|(path, _)| {
            let path: &Path = path.strip_prefix(&git).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let more = "packed-refs shallow info/grafts FETCH_HEAD refs/notes/sq/x refs/notes/sq-x
        refs/notes/remotes/origin/sq/x refs/notes/remotes/origin/sq-x ../../remote.git/refs/notes/sq
        ../../remote.git/refs/notes/sq/x ../../remote.git/HEAD";
    names.extend(more.split_whitespace().map(str::to_owned));
    names.extend(victim.commits.iter().map(|id| format!("refs/replace/{id}")));
    let values = values(&victim);
    move |noise| {
        victim.restore();
        let value = noise.pick(&values);
        let value = if noise.is_one_in(3) { mutated(&values, noise) } else { value };
        let name = noise.pick(&names);
        victim.write(&name, &value);
        let hostile = format!("{name}: {}", value.escape_ascii());
        victim.read_or_write(noise, hostile.as_bytes());
    }
}

/// What could stand in such a file: the id of an object of each kind, and of none, a symbolic ref, and what git writes there.
fn values(victim: &Victim) -> Vec<Vec<u8>> {
    let head = &victim.commits[0];
    let blob = victim.object("blob", b"{}\n");
    let tree = victim.object("tree", b"");
    let tag = format!("object {head}\ntype commit\ntag v1\ntagger {WHO}\n\nTag\n");
    let tag = victim.object("tag", tag.as_bytes());
    let missing = "8baef1b4abc478178b004d62031cf7fe6db6f903";
    let zeros = "0".repeat(40);
    let mut values: Vec<String> = [head, &victim.commits[1], &blob, &tree, &tag, missing, &zeros]
        .iter()
        .map(|id| format!("{id}\n"))
        .collect();
    let symbolic = ["refs/heads/main", "refs/notes/sq", "refs/none", "../../x"];
    values.extend(symbolic.map(|name| format!("ref: {name}\n")));
    values.push(String::new());
    values.push(format!("# pack-refs with: peeled fully-peeled sorted \n{head} refs/notes/sq\n^{tree}\n{missing} refs/notes/remotes/origin/sq\n"));
    values.push(format!("{zeros} {head} {WHO}\tnotes: x\n{head} {missing} {WHO}\tnotes: y\n"));
    values.push(format!("{head} {missing}\n"));
    values.push(format!("{head}\t\tbranch 'main' of ../remote.git\n{tree}\tnot-for-merge\t\n"));
    values.into_iter().map(String::into_bytes).collect()
}

/// A question store or a note of any kind and size, or an object that is damaged.
fn blobs(victim: Rc<Victim>) -> impl FnMut(&mut Noise) {
    let seeds = victim.seeds();
    let objects = victim.base("objects/");
    let values = values(&victim);
    move |noise| {
        victim.restore();
        let mut hostile = Vec::new();
        match noise.below(4) {
            0 => {
                hostile = mutated(&corpus::stores(), noise);
                let mode = if noise.is_one_in(4) { noise.pick(&MODES) } else { "100644" };
                ask(&victim, mode, &hostile);
            }
            1 => {
                hostile = huge(&note(&seeds, noise), noise);
                let blob = victim.object("blob", &hostile);
                victim.plant("100644", &blob, noise);
            }
            2 => {
                let id = String::from_utf8(noise.pick(&values[..7])).unwrap();
                victim.plant(noise.pick(&MODES), id.trim(), noise);
            }
            _ => {
                let (path, bytes) = noise.pick(&objects);
                fs::remove_file(&path).unwrap();
                if !noise.is_one_in(4) {
                    hostile = mutated(&[bytes], noise);
                    fs::write(path, &hostile).unwrap();
                }
            }
        }
        hostile.truncate(1 << 16);
        victim.read_or_write(noise, &hostile);
    }
}

/// Commits a question store, and has it in the worktree, too.
fn ask(victim: &Victim, mode: &str, store: &[u8]) {
    let blob = victim.object("blob", store);
    let name = format!("{mode} standing_questions.json\0");
    let tree = victim.object("tree", &[name.as_bytes(), &bytes_of(&blob)].concat());
    let commit = victim.object("commit", &commit(&tree, &[&victim.commits[0]]));
    victim.write("refs/heads/main", (commit + "\n").as_bytes());
    victim.world.write("standing_questions.json", store);
}

/// A few MiB of it: on one line, on many lines, or nested.
fn huge(note: &[u8], noise: &mut Noise) -> Vec<u8> {
    match noise.below(5) {
        0 => format!("{{\"kind\":\"rederive\",\"x\":\"{}\"}}\n", "x".repeat(1 << 22)).into_bytes(),
        1 => b"\n".repeat(1 << noise.below(20)),
        2 => b"{}\n".repeat(1 << noise.below(20)),
        3 => b"{\"results\":[".repeat(1 << noise.below(18)),
        _ => note.repeat(1 << noise.below(10)),
    }
}
