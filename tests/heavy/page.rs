//! Pages in a real browser: Debian's package `chromium`, with puppeteer-core and axe-core from npm.
//!
//! `SQ_SHOTS=FOLDER` keeps pictures of them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use git_sq_test_support::{World, event_line, texts_of_page};
use serde_json::{Value, json};

/// The browser and a folder with what drives it; `None`, and says so, where one is missing.
fn driver(world: &World) -> Option<(PathBuf, PathBuf)> {
    let path = env::var_os("PATH")?;
    let mut names = ["chromium", "chromium-browser", "google-chrome"].into_iter();
    let found = names.find_map(|name| {
        env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    });
    let Some(browser) = found else {
        println!("skipped: no chromium on the path (Debian's package chromium has it)");
        return None;
    };
    let folder = world.root().join("npm");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("page.mjs"), include_str!("page.mjs")).unwrap();
    // In the environment of whoever runs this: npm's registry and its certificates are set there.
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"]);
    let ran = npm.arg(&folder).args(["puppeteer-core", "axe-core"]).output();
    if !ran.is_ok_and(|ran| ran.status.success()) {
        println!("skipped: npm could not install puppeteer-core and axe-core");
        return None;
    }
    Some((browser, folder))
}

#[track_caller]
fn assert_sound(world: &World, files: &[PathBuf]) {
    let Some((browser, folder)) = driver(world) else {
        return;
    };
    let mut node = Command::new("node");
    let ran = node.arg(folder.join("page.mjs")).arg(browser).args(files).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let failed = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.is_empty(), "{said}{failed}");
    println!("{} pages, nothing wrong", files.len());
}

const QUESTIONS: usize = 15;

/// A world whose log holds so many sessions, with texts that `text` makes one after another.
fn world(sessions: usize, mut text: impl FnMut() -> String) -> World {
    let world = World::new();
    let questions = (0..QUESTIONS).map(|number| {
        json!({"id": format!("q{number}"), "q": text(), "importance": 1 + number % 3, "watch": ["a"]})
    });
    let store =
        json!({"_schema": "standing_questions/v2", "questions": questions.collect::<Vec<_>>()});
    world.write("standing_questions.json", store.to_string());
    world.write("a", "one\ntwo\n");
    let head = world.commit("ask");
    let mut lines: Vec<String> = Vec::new();
    let mut add = |kind: &str,
                   seconds: usize,
                   body: Value,
                   sid: &str,
                   (agent, by): (&str, &str)| {
        let mut body = body;
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        body["ts"] =
            json!(format!("2026-01-01T{:02}:{:02}:{seconds:02}.000Z", minutes / 60, minutes % 60));
        body["sid"] = json!(sid);
        body["agent"] = json!({"name": agent});
        body["by"] = json!({"name": by, "email": "ada@example.com"});
        let id = format!("01KDVDNA00TRP6G3Q2{:08}", lines.len());
        lines.push(event_line(&head, kind, &id, &body));
    };
    for session in 0..sessions {
        let is_last = session + 1 == sessions;
        let results = (0..QUESTIONS).filter(|number| is_last || !(session + number).is_multiple_of(5)).map(|number| {
            let delta = (session * number) % 7 == 1;
            json!({"q_id": format!("q{number}"), "delta": delta, "note": if is_last { text() } else { "n".into() }})
        });
        let results: Vec<Value> = results.collect();
        let (sid, agent, by) = (text(), text(), text());
        add("rederive", 60 * session, json!({"results": results}), &sid, (&agent, &by));
        if session + 3 >= sessions {
            let state = json!({"status": text(), "handover": text(), "done": [text()], "next": [text()], "blocked": [text()]});
            add("state", 60 * session + 1, state, &sid, (&agent, &by));
            let tension = json!({"topic": text(), "type": "gap", "source": "a", "curiosity": 0.8, "intrusiveness": 0.4});
            add("tension.open", 60 * session + 2, tension, &sid, (&agent, &by));
        }
    }
    world.plant_lines(&lines);
    world.write("a", "two\n");
    world.commit("two");
    world.pass(2 * 24 * 3600);
    world
}

fn page(world: &World, folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(format!("{name}.html"));
    world.sq(&["report", "-o", &file.display().to_string()]).ok();
    let page = fs::read_to_string(&file).unwrap();
    drop(texts_of_page(&page));
    println!("{name}: {} bytes", page.len());
    assert!(page.len() < 300 * 1024);
    file
}

#[test]
fn a_browser_shows_pages_of_any_size() {
    let folder = World::without_repo();
    let root = folder.root();
    let mut files: Vec<PathBuf> = [0, 1, 60, 1000]
        .map(|sessions| {
            let mut number = 0;
            page(
                &world(sessions, || {
                    number += 1;
                    format!("text {number}")
                }),
                &root,
                &format!("sessions-{sessions}"),
            )
        })
        .into();
    files.push(page(
        &world(60, || "هل يعود كل خطأ إلى المتصل؟ yes (src/a.rs:3)".to_owned()),
        &root,
        "right-to-left",
    ));
    let mut number = 0;
    files.push(page(
        &world(5, || {
            number += 1;
            if number % 2 == 0 { "x".repeat(2000) } else { "word ".repeat(400) }
        }),
        &root,
        "long",
    ));
    assert_sound(&folder, &files);
}

const BEFORE: [&str; 10] =
    ["", "\"", "'", "\">", "'>", "</bdi>", "</title>", "-->", "]]>", "\u{202e}"];
const MARKUP: [&str; 29] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe src=//example.com>",
    "<a href=javascript:alert(1)>x</a>",
    "<style>*{display:none}</style>",
    "<base href=//example.com>",
    "<link rel=stylesheet href=//example.com/x.css>",
    "<meta http-equiv=refresh content=0;url=//example.com>",
    "<form action=//example.com><button>x",
    "<object data=//example.com>",
    "<embed src=//example.com>",
    "<video src=//example.com autoplay>",
    "<details open ontoggle=alert(1)>",
    "<body onload=alert(1)>",
    "<math><mtext></table><img src=x>",
    "<table><tr><td>",
    "</table></section></main>",
    "</details></summary>",
    "<!--",
    "<![CDATA[",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "\u{1b}[2J",
    "\u{0}",
    "<plaintext>",
    "<textarea>",
    "\" autofocus onfocus=alert(1) x=\"",
    "${alert(1)}{{7*7}}",
];
const AFTER: [&str; 15] = [
    "",
    "\"",
    "'",
    ">",
    "\"'>",
    "<",
    "&",
    "\\",
    "\u{2028}",
    "\u{2066}",
    "\t",
    "\n<b>",
    "<!-- x",
    "</style>",
    "</bdo><bdo dir=rtl>",
];

#[test]
fn no_text_leaves_its_box() {
    let folder = World::without_repo();
    let root = folder.root();
    let mut texts = MARKUP.iter().flat_map(|markup| {
        BEFORE.iter().flat_map(move |before| {
            AFTER.iter().map(move |after| format!("{before}{markup}{after}"))
        })
    });
    let mut files = Vec::new();
    let mut last = String::new();
    while last != "done" {
        let world = world(60, || {
            texts.next().unwrap_or_else(|| {
                last = "done".to_owned();
                last.clone()
            })
        });
        files.push(page(&world, &root, &format!("hostile-{}", files.len())));
    }
    assert_sound(&folder, &files);
}
