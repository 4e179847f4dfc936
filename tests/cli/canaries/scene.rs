//! A clone in whose configuration each setting with which git starts a program names a canary.

use std::{collections::BTreeSet, fs};

use git_sq_test_support::{Ran, Team, executable, store_v2};

/// The settings that git-config(1) and gitattributes(5) name, and each of their values is a program.
const SETTINGS: &str = "core.fsmonitor core.editor core.askPass core.sshCommand core.gitProxy core.pager \
    core.alternateRefsCommand credential.helper credential.https://example.org.helper \
    diff.external diff.planted.command diff.planted.textconv \
    filter.planted.clean filter.planted.smudge filter.long.process merge.planted.driver \
    gpg.program gpg.openpgp.program gpg.x509.program gpg.ssh.program gpg.ssh.defaultKeyCommand \
    uploadpack.packObjectsHook remote.origin.uploadpack remote.origin.receivepack \
    remote.secure.uploadpack remote.secure.receivepack \
    sequence.editor sendemail.sendmailCmd sendemail.toCmd sendemail.ccCmd sendemail.headerCmd \
    interactive.diffFilter difftool.planted.cmd difftool.planted.path mergetool.planted.cmd mergetool.planted.path \
    guitool.planted.cmd trailer.planted.command trailer.planted.cmd hook.planted.command \
    web.browser browser.planted.cmd browser.planted.path man.planted.cmd instaweb.httpd imap.tunnel gc.recentObjectsHook \
    tar.planted.command bundle.planted.uri submodule.planted.update alias.rev-parse alias.status alias.sq \
    pager.rev-parse pager.status pager.log pager.diff-tree pager.config pager.var pager.fetch pager.push \
    pager.web--browse pager.ls-files";

const HOOKS: &str = "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg \
    commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive \
    post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate \
    fsmonitor-watchman post-index-change";

const OTHERS: &str = "
    core.hooksPath ROOT/bin/hooks
    hook.planted.event reference-transaction
    hook.planted.event pre-push
    submodule.planted.update !ROOT/bin/submodule.planted.update
    web.browser planted
    diff.tool planted
    merge.tool planted
    commit.gpgSign true
    log.showSignature true
    diff.renames copies
    protocol.allow always
    remote.ext.url ext::ROOT/bin/remote.ext.url
    remote.ext.fetch +refs/heads/*:refs/remotes/ext/*
    remote.ext.sq true
    remote.vcs.url anything
    remote.vcs.vcs planted
    remote.vcs.sq true
    remote.secure.url ssh://nobody@example.invalid/repo
    remote.secure.sq true
    remote.plain.url git://example.invalid/repo
    remote.plain.sq true
    include.path ROOT/included
";

const FILES: [&str; 5] = ["a.txt", "z.long", "a.included", "a.raw", "a.users"];

const ATTRIBUTES: &[u8] = b"*.txt filter=planted diff=planted merge=planted\n*.long filter=long\n\
    *.included filter=included\n*.raw filter=r\xffw\n*.users filter=users\n";

pub struct Scene {
    pub team: Team,
    base: String,
}

impl Scene {
    /// A program that leaves a trace, and does what the real one does as far as that is simple.
    pub fn canary(&self, name: &str) -> String {
        let real = match name {
            name if name.starts_with("filter.") && !name.ends_with("process") => "exec cat",
            name if name.ends_with(".uploadpack") => "exec git-upload-pack \"$@\"",
            name if name.ends_with(".receivepack") => "exec git-receive-pack \"$@\"",
            name if name.starts_with("hooks/") => "exit 0",
            "core.editor"
            | "core.pager"
            | "core.alternateRefsCommand"
            | "diff.external"
            | "diff.planted.command" => "exit 0",
            _ => "exit 1",
        };
        let trace =
            self.team.world.root().join("ran").join(name.replace("https://", "").replace('/', " "));
        let path = self.team.world.root().join("bin").join(name.replace("https://", ""));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        executable(&path, &format!("#!/bin/sh\n: >'{}'\n{real}\n", trace.display()));
        path.to_str().unwrap().to_owned()
    }

    /// What ran since the last call.
    pub fn ran(&self) -> BTreeSet<String> {
        let folder = self.team.world.root().join("ran");
        let names = fs::read_dir(&folder).unwrap();
        let names = names.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        names
    }

    /// Leaves files that git can only compare by reading them.
    pub fn touch(&self) {
        for file in FILES {
            fs::write(self.team.clone.join(file), "two\n").unwrap();
        }
        fs::write(self.team.clone.join("inner/a.txt"), "two\n").unwrap();
    }
}

impl Scene {
    pub fn new() -> Self {
        let team = Team::without_hooks();
        let scene = Self { base: String::new(), team };
        let world = &scene.team.world;
        let ok = |line: &str| scene.team.git_ok(line);
        let write = |path: &str, text: &[u8]| {
            let file = scene.team.clone.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        fs::create_dir(world.root().join("ran")).unwrap();
        let watch = r#""importance":2,"watch":["*.txt"]"#;
        let questions = format!(
            r#"{{"id":"q1","q":"One?",{watch}}},
            {{"id":"run","q":"Run?",{watch},"probe":{{"run":["true"]}}}},
            {{"id":"probed","q":"Probed?",{watch},"probe":{{"grep":{{"pattern":"one","paths":["*.txt"],"take":"count"}}}}}}"#
        );
        write("standing_questions.json", store_v2(&questions).as_bytes());
        write(".gitattributes", ATTRIBUTES);
        for file in FILES {
            write(file, b"one\n");
        }
        let long: String = (0..50).map(|number| format!("{number}\n")).collect();
        write("long.txt", long.as_bytes());
        let inner = scene.team.clone.join("inner");
        ok("init --quiet inner");
        write("inner/.gitattributes", b"*.txt filter=inner\n");
        write("inner/a.txt", b"one\n");
        for line in ["add --all", "commit --quiet -m inner"] {
            scene.team.git_ok_in(&inner, line);
        }
        ok("add --all");
        ok("commit --quiet -m one");
        for (sid, given) in [("s1", "q1=one run=0"), ("s2", "--same q1")] {
            world.sq_ok_in(&scene.team.clone, &format!("record --sure --sid {sid} {given}"));
        }
        let base = scene.team.git_ok("rev-parse HEAD").trim().to_owned();
        ok("branch base");
        fs::rename(scene.team.clone.join("long.txt"), scene.team.clone.join("moved.txt")).unwrap();
        write("copied.txt", long.as_bytes());
        write("a.txt", b"more than one\n");
        ok("add --all");
        ok("commit --quiet -m two");
        ok("push --quiet origin main");
        world.sq_ok_in(&scene.team.clone, "sync");
        scene.sign_the_log();
        ok("clone --quiet . ../other");
        let alternate = world.root().join("other/.git/objects");
        write(".git/objects/info/alternates", format!("{}\n", alternate.display()).as_bytes());
        fs::write(world.root().join("signers"), "").unwrap();
        fs::write(world.root().join("import.jsonl"), "").unwrap();
        let scene = Self { base, ..scene };
        scene.person("question approve run", "yes\n");
        scene
    }

    /// Puts commits with signatures of each kind on top of the log, here and at the remote.
    fn sign_the_log(&self) {
        let git = |args: &[&str]| self.team.git(&self.team.clone, args).ok().trim().to_owned();
        let log = "refs/notes/remotes/origin/sq";
        git(&["fetch", "--quiet", "origin", &format!("+refs/notes/sq:{log}")]);
        for kind in ["PGP SIGNATURE", "SSH SIGNATURE", "SIGNED MESSAGE"] {
            let name = "Ada Example <ada@example.org> 1767225600 +0000";
            let tree = git(&["rev-parse", &format!("{log}^{{tree}}")]);
            let parent = git(&["rev-parse", log]);
            let commit = format!(
                "tree {tree}\nparent {parent}\nauthor {name}\ncommitter {name}\n\
                gpgsig -----BEGIN {kind}-----\n \n AAAA\n -----END {kind}-----\n\nNotes\n"
            );
            let file = self.team.world.root().join("commit");
            fs::write(&file, commit).unwrap();
            let made = git(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
            git(&["update-ref", log, &made]);
        }
        git(&["push", "--quiet", "origin", &format!("{log}:refs/notes/sq")]);
    }

    /// Puts the canaries into the repository's own configuration, and one into the user's.
    pub fn plant(&self) {
        let root = self.team.world.root();
        for hook in HOOKS.split_whitespace() {
            self.canary(&format!("hooks/{hook}"));
        }
        self.canary("remote.ext.url");
        let settings: Vec<(String, String)> = SETTINGS
            .split_whitespace()
            .map(|key| (key.to_owned(), self.canary(key)))
            .chain(OTHERS.trim().lines().map(|line| {
                let (key, value) = line.trim().split_once(' ').unwrap();
                (key.to_owned(), value.replace("ROOT", root.to_str().unwrap()))
            }))
            .collect();
        let included =
            format!("[filter \"included\"]\n\tclean = {}\n", self.canary("filter.included.clean"));
        fs::write(root.join("included"), included).unwrap();
        for (key, value) in &settings {
            self.team.git(&self.team.clone, &["config", "--add", key, value]).ok();
        }
        let mut config = fs::read(self.team.clone.join(".git/config")).unwrap();
        let raw = self.canary("filter.raw.clean");
        config.extend(b"[filter \"r\xffw\"]\n\tclean = ");
        config.extend(raw.as_bytes());
        config.extend(b"\n");
        fs::write(self.team.clone.join(".git/config"), config).unwrap();
        let inner = self.canary("filter.inner.clean");
        self.team.git_ok_in(
            &self.team.clone.join("inner"),
            &format!("config filter.inner.clean {inner}"),
        );
        let users = self.canary("filter.users.clean");
        self.team.git_ok(&format!("config --global filter.users.clean {users}"));
    }

    pub fn line(&self, line: &str) -> String {
        let world = &self.team.world;
        let root = world.root();
        let log = world.git_in(&self.team.clone, &["grep", "-h", "", "refs/notes/sq"]).ok();
        let id = |kind: &str| {
            let found = log.lines().find(|line| line.contains(&format!("\"kind\":\"{kind}")));
            let line: serde_json::Value = serde_json::from_str(found.unwrap_or("{}")).unwrap();
            line["id"].as_str().unwrap_or_default().to_owned()
        };
        line.replace("BASE", &self.base)
            .replace("REMOTE", &format!("file://{}", self.team.remote.display()))
            .replace("SIGNERS", root.join("signers").to_str().unwrap())
            .replace("ENTRY", &id("rederive"))
            .replace("TENSION", &id("tension"))
    }

    pub fn person(&self, line: &str, typed: &str) -> Ran {
        self.team.world.person_typing_in(&self.team.clone, &self.line(line), typed)
    }

    /// Runs a command, and says which canaries sang that must not.
    pub fn sang(&self, line: &str, allowed: &[&str], ran: &Ran) -> Vec<String> {
        assert_ne!(ran.code, 129, "{line}: {}", ran.transcript());
        self.team.settle(&self.team.clone);
        self.ran()
            .into_iter()
            .filter(|name| !allowed.iter().any(|allowed| name.starts_with(allowed)))
            .map(|name| format!("{line}: {name}"))
            .collect()
    }
}
