//! What is valid, and mutated.

fn owned(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A line of each kind.
pub fn lines() -> Vec<Vec<u8>> {
    owned(&[
        r#"{"ts":"2026-01-01T00:00:01.123Z","kind":"rederive","id":"01KDVDNA00TRP6G3Q2Y1DX3Z5A","sid":"s1","repo_head_sha":"abcdef0","v":1,"tool":"git-sq/0.1.0","agent":{"name":"a","model":"m"},"by":{"name":"Ada","email":"a@b"},"writer":"01KDVDNA00TRP6G3Q2Y1DX3Z5B","n":2,"prev":"aa","store":"8baef1b4abc478178b004d62031cf7fe6db6f903","head":{"branch":"m","tree":"8baef1b4abc478178b004d62031cf7fe6db6f903","dirty":true,"commits":["012345678901"]},"results":[{"q_id":"q1","last_rederived_ts":"2026-01-01T00:00:00.000Z","delta":true,"note":"n","q_version":2,"evidence":[{"path":"a.rs","lines":[1,3]}]}]}"#,
        r#"{"ts":"2026-01-01T00:00:02.000Z","kind":"state","id":"01KDVDNA00TRP6G3Q2Y1DX3Z5C","sid":"s1","repo_head_sha":"abcdef0","v":1,"status":"fine","done":["one"],"next":["two"],"note":"n","cites":[{"path":"a.rs","lines":[1,2],"blob":"8baef1b4abc478178b004d62031cf7fe6db6f903"}]}"#,
        r#"{"ts":"2026-01-01T00:00:03.000Z","kind":"session","id":"01KDVDNA00TRP6G3Q2Y1DX3Z5D","sid":"s1","repo_head_sha":"abcdef0","v":1,"event":"end","how":"end","started":"2026-01-01T00:00:00.000Z","last_sign":"2026-01-01T00:00:00.000Z","beats":3,"commits":2,"peak_context":0.5}"#,
        r#"{"ts":"2026-01-01T00:00:04.000Z","kind":"tension.open","id":"01KDVDNA00TRP6G3Q2Y1DX3Z5E","sid":"s1","repo_head_sha":"abcdef0","v":1,"topic":"Why?","type":"gap","source":"x","curiosity":0.8,"intrusiveness":0.4,"ttl":"14d"}"#,
        r#"{"ts":"2026-01-01T00:00:05.000Z","kind":"tension.close","id":"01KDVDNA00TRP6G3Q2Y1DX3Z5F","sid":"s1","repo_head_sha":"abcdef0","v":1,"tension":"01KDVDNA00TRP6G3Q2Y1DX3Z5E","as":"withdrawn","note":"n"}"#,
        r#"{"ts":"2026-01-01T00:00:06.000Z","kind":"alert","id":"01KDVDNA00TRP6G3Q2Y1DX3Z5G","sid":"s1","repo_head_sha":"abcdef0","v":1,"field":"status","limit":140,"length":141,"unit":"characters"}"#,
        r#"{"ts":"2026-01-01T00:00:07.000Z","kind":"weather","sid":"s1","repo_head_sha":"abcdef0","v":7,"text":"rain"}"#,
        r#"{"ts":"2026-01-01T00:00:08Z","kind":"rederive","sid":"s0","repo_head_sha":"abcdef0","results":[]}"#,
        "somebody's own note",
    ])
}

pub fn stores() -> Vec<Vec<u8>> {
    owned(&[
        r#"{"_schema":"standing_questions/v1","_note":"n","questions":[{"id":"q1","q":"Q?","importance":3,"status":"active","evidence_hint":"h"},{"id":"q2","q":"R?","importance":1,"status":"retired"}]}"#,
        r#"{"_schema":"standing_questions/v2","$schema":"x","x-own":1,"settings":{"staleness":{"max":3},"quiet":{"max_run":1,"accepted_through":"2026-01-01T00:00:00Z"},"tension":{"cap":5,"floor":0.1,"ttl":"14d","gate":0.9},"clock":{"tolerance":"5m"},"ignore_lines":["aa"]},"questions":[{"id":"q1","q":"Whät?","importance":3,"watch":["src/",":!a"],"lines":"^fn","trigger":{"every":"7d"},"shape":{"enum":["a","b"]},"severity":"error","max_staleness":2,"require_evidence":true,"probe":{"run":["cargo","test"]}},{"id":"q1","q":"?","importance":1,"version":2,"status":"trial","reason":"r","created":"2026-01-01"}]}"#,
    ])
}

pub fn pathspecs() -> Vec<Vec<u8>> {
    let specs = "|src/*.rs|:(glob)**/lib.rs|:(glob)docs/**/[a-z]?.md|:(icase)SRC/main.RS|:(literal)a[x].md|\
        :(exclude,glob)docs/*.md|:!docs/deep|:/src|:(top,icase)a|a\\*b|[!a-]*|[[:alpha:]]*|:(attr:binary)x|\
        :(prefix:3)x|*****************a";
    owned(&specs.split('|').collect::<Vec<_>>())
}

/// Keys of git's configuration that the program reads, each with a value.
pub const SETTINGS: [(&str, &str); 20] = [
    ("sq.questions", "standing_questions.json"),
    ("sq.grace", "2h 30m"),
    ("sq.pushTimeout", "10"),
    ("sq.hooks", "true"),
    ("remote.origin.url", "../remote.git"),
    ("remote.origin.pushurl", "../remote.git"),
    ("remote.origin.sq", "true"),
    ("remote.origin.sqRef", "refs/notes/sq"),
    ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
    ("branch.main.remote", "origin"),
    ("branch.main.merge", "refs/heads/main"),
    ("log.date", "iso"),
    ("color.sq", "auto"),
    ("color.ui", "auto"),
    ("core.fsync", "all,-loose-object"),
    ("core.hooksPath", "hooks"),
    ("notes.displayRef", "refs/notes/*"),
    ("notes.rewriteRef", "refs/notes/*"),
    ("init.defaultBranch", "main"),
    ("extensions.partialClone", "origin"),
];
