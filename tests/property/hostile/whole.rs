//! The whole program on files of its own, settings and standard input that are hostile.

use std::{fs, rc::Rc};

use super::{
    Target, corpus,
    mutate::{Noise, mutated},
    victim::Victim,
};

pub fn targets(victim: &Rc<Victim>) -> Vec<Target> {
    vec![
        ("files of its own", Box::new(own_files(victim.clone()))),
        ("settings", Box::new(settings(victim.clone()))),
        ("standard input", Box::new(standard_input(victim.clone()))),
    ]
}

fn own_files(victim: Rc<Victim>) -> impl FnMut(&mut Noise) {
    let base = victim.base("sq/");
    let state = base.iter().find(|(path, _)| path.ends_with("state.json")).unwrap().clone();
    move |noise| {
        victim.restore();
        let (path, bytes) = if noise.is_one_in(3) { noise.pick(&base) } else { state.clone() };
        let bytes = mutated(&[bytes], noise);
        fs::write(path, &bytes).unwrap();
        victim.read_or_write(noise, &bytes);
    }
}

fn settings(victim: Rc<Victim>) -> impl FnMut(&mut Noise) {
    let path = victim.path("config");
    let base = fs::read(&path).unwrap();
    move |noise| {
        victim.restore();
        let mut config = base.clone();
        for _ in 0..=noise.below(3) {
            let (key, value) = noise.pick(&corpus::SETTINGS);
            let value = mutated(&[value.as_bytes().to_vec()], noise);
            config.extend(setting(key, &value));
        }
        if noise.is_one_in(8) {
            config = mutated(&[config], noise);
        }
        fs::write(&path, &config).unwrap();
        victim.read_or_write(noise, &config);
    }
}

/// A value as git's configuration has it.
fn setting(key: &str, value: &[u8]) -> Vec<u8> {
    let (section, name) = key.rsplit_once('.').unwrap();
    let section = match section.split_once('.') {
        Some((section, subsection)) => format!("{section} \"{subsection}\""),
        None => section.to_owned(),
    };
    let mut text = format!("[{section}]\n\t{name} = \"").into_bytes();
    for &byte in value {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'"' | b'\\' => text.extend([b'\\', byte]),
            byte => text.push(byte),
        }
    }
    text.extend(b"\"\n");
    text
}

fn standard_input(victim: Rc<Victim>) -> impl FnMut(&mut Noise) {
    let [new, old] = &victim.commits;
    let zeros = "0".repeat(40);
    let rewritten = [(old, new), (new, old), (&zeros, new), (old, &zeros)]
        .map(|(old, new)| format!("{old} {new}\n{new} {new} more\n").into_bytes());
    let commands = [
        ("hook post-rewrite rebase", rewritten.to_vec()),
        ("record --json -", corpus::lines()),
        ("state set --json -", corpus::lines()),
    ];
    move |noise| {
        let (line, seeds) = noise.pick(&commands);
        let input = mutated(&seeds, noise);
        victim.restore();
        let code = victim.survives(line, Some(&input), &input);
        let stops_git = line.starts_with("hook") && code != 0;
        assert!(!stops_git, "{line}: {}", input.escape_ascii());
    }
}
