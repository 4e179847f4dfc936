//! What looks like a secret and what does not, and what happens to a text that has one.

use std::path::Path;

use git_sq::entry::{RULES, find_secret};
use git_sq_test_support::{World, original_line};

use crate::record_editor::edited;

const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// So many characters of an alphabet as a generator would choose them, but the same each time.
fn random(alphabet: &str, count: usize) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % alphabet.len()
    };
    (0..count)
        .map(|_| alphabet.as_bytes()[next()] as char)
        .collect()
}

/// A text with secrets written as `{H32}`: so many characters of an alphabet, by its first letter. No scanner shall
/// alarm on this file.
fn filled(text: &str) -> String {
    let mut parts = text.split('{');
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (what, rest) = part.split_once('}').unwrap();
        let alphabet = match &what[..1] {
            "H" => HEX,
            "U" => UPPER,
            "A" => ALNUM,
            _ => "0123456789",
        };
        out += &random(alphabet, what[1..].parse().unwrap());
        out += rest;
    }
    out
}

const SECRETS: &[(&str, &[&str])] = &[
    (
        "aws-access-key",
        &[
            "AKIA{U16}",
            "key ASIA{U16} is in the CI",
            "ABIA{U16}.",
            "(ACCA{U16})",
        ],
    ),
    (
        "aws-secret-key",
        &[
            "aws_secret_access_key = {A40}",
            "AWS_SECRET_KEY: \"{A40}\"",
            "aws.secretkey={A40}",
        ],
    ),
    ("google-api-key", &["AIza{A35}", "maps use key=AIza{A35}"]),
    ("google-client-secret", &["GOCSPX-{A28}"]),
    ("google-access-token", &["ya29.{A60}", "with ya29.a0{A120}"]),
    (
        "azure-account-key",
        &["AccountName=x;AccountKey={A86}==;EndpointSuffix=core"],
    ),
    (
        "azure-shared-key",
        &["Endpoint=sb://x/;SharedAccessKey={A43}="],
    ),
    (
        "azure-signature",
        &["https://x.blob/y?sv=2024&sig={A43}%3D", "?sp=r&sig={A43}="],
    ),
    ("azure-client-secret", &["it is {A3}8Q~{A34}"]),
    (
        "github-token",
        &[
            "ghp_{A36}",
            "\\nghp_{A36}",
            "GITHUB_ghp_{A36}",
            "token%3Dghp_{A36}",
            "gho_{A36}",
            "ghu_{A36}",
            "ghs_{A36}",
            "ghr_{A36}",
            "CI uses `ghp_{A36}`, it works",
            "https://ghp_{A36}@host/x",
        ],
    ),
    ("github-fine-grained-token", &["github_pat_{A22}_{A59}"]),
    (
        "gitlab-token",
        &[
            "glpat-{A20}",
            "gldt-{A20}",
            "glrt-{A20}",
            "glcbt-64_{A20}",
            "glptt-{H40}",
            "glft-{A20}",
            "glsoat-{A20}",
            "glagent-{A50}",
            "gloas-{A64}",
            "glimt-{A25}",
        ],
    ),
    (
        "slack-token",
        &[
            "xoxb-{N12}-{N13}-{A24}",
            "xoxp-{N12}-{N12}-{N12}-{H32}",
            "xoxe.xoxp-1-{A60}",
            "xoxa-2-{A40}",
            "xoxr-{A40}",
            "xoxs-{N12}-{A30}",
        ],
    ),
    ("slack-app-token", &["xapp-1-A{U10}-{N13}-{H64}"]),
    (
        "slack-webhook",
        &[
            "https://hooks.slack.com/services/T{U8}/B{U8}/{A24}",
            "https://hooks.slack.com/workflows/T{U8}/A{U8}/{N17}/{A24}",
        ],
    ),
    (
        "discord-webhook",
        &[
            "https://discord.com/api/webhooks/{N18}/{A68}",
            "discordapp.com/api/webhooks/{N18}/{A68}",
        ],
    ),
    ("npm-token", &["npm_{A36}", "_authToken is npm_{A36}"]),
    ("pypi-token", &["pypi-AgEIcHlwaS5vcmc{A70}"]),
    (
        "crates-io-token",
        &["cio{A32}", "publish with cio{A32} please"],
    ),
    ("rubygems-token", &["rubygems_{H48}"]),
    ("docker-token", &["dckr_pat_{A27}", "dckr_oat_{A32}"]),
    (
        "stripe-key",
        &[
            "sk_live_{A24}",
            "sk_test_{A24}",
            "rk_live_{A24}",
            "rk_test_{A99}",
        ],
    ),
    ("stripe-webhook-secret", &["whsec_{A32}"]),
    (
        "anthropic-key",
        &[
            "sk-ant-api03-{A93}AA",
            "sk-ant-admin01-{A93}AA",
            "sk-ant-oat01-{A80}",
        ],
    ),
    ("openrouter-key", &["sk-or-v1-{H64}"]),
    (
        "openai-key",
        &[
            "sk-proj-{A48}",
            "sk-svcacct-{A48}",
            "sk-admin-{A48}",
            "sk-{A20}T3BlbkFJ{A20}",
            "sk-{H32}",
            "OPENAI_API_KEY=sk-{A48}",
        ],
    ),
    ("huggingface-token", &["hf_{A34}"]),
    ("replicate-token", &["r8_{A37}"]),
    ("groq-key", &["gsk_{A52}"]),
    ("xai-key", &["xai-{A80}"]),
    ("perplexity-key", &["pplx-{A48}"]),
    (
        "telegram-token",
        &["{N9}:AA{A33}", "the bot is {N10}:AA{A33}"],
    ),
    ("sendgrid-key", &["SG.{A22}.{A43}"]),
    ("mailgun-key", &["key-{H32}"]),
    ("mailchimp-key", &["{H32}-us12"]),
    ("twilio-key", &["SK{H32}"]),
    (
        "shopify-token",
        &["shpat_{H32}", "shpca_{H32}", "shppa_{H32}", "shpss_{H32}"],
    ),
    ("square-token", &["sq0atp-{A22}", "sq0csp-{A43}"]),
    (
        "digitalocean-token",
        &["dop_v1_{H64}", "doo_v1_{H64}", "dor_v1_{H64}"],
    ),
    ("heroku-key", &["HRKU-{A60}"]),
    ("databricks-token", &["dapi{H32}"]),
    ("grafana-token", &["glsa_{A32}_{H8}"]),
    ("new-relic-key", &["NRAK-{U27}"]),
    ("sentry-token", &["sntrys_{A80}_{A43}", "sntryu_{H64}"]),
    ("vault-token", &["hvs.{A90}", "hvb.{A120}"]),
    ("terraform-token", &["{A14}.atlasv1.{A67}"]),
    ("linear-key", &["lin_api_{A40}"]),
    ("notion-token", &["ntn_{A46}"]),
    ("atlassian-token", &["ATATT3xFfGF0{A180}"]),
    ("age-key", &["AGE-SECRET-KEY-1{U58}"]),
    (
        "private-key",
        &[
            "-----BEGIN PRIVATE KEY-----\n{A64}\n{A64}",
            "-----BEGIN RSA PRIVATE KEY-----\\n{A64}\\n",
            "-----BEGIN OPENSSH PRIVATE KEY----- {A70}",
            "-----BEGIN EC PRIVATE KEY-----{A64}",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{A64}",
        ],
    ),
    (
        "jwt",
        &[
            "eyJ{A20}.eyJ{A60}.{A43}",
            "cookie: eyJ{A33}.eyJ{A160}.{A86};",
        ],
    ),
];

const HARMLESS: &[&str] = &[
    "nothing changed",
    "make check: 41 tests pass, 2 are skipped",
    "the password is read from the environment",
    "password = os.environ['DB_PASSWORD']",
    "password: see the vault",
    "PASSWORD=${DB_PASSWORD}",
    "password=$PASSWORD",
    "password: <your password>",
    "password = \"changeme123\"",
    "password: ********",
    "passwd: xxxxxxxxxxxx",
    "secret: none, it is public",
    "secrets: inherit",
    "client_secret comes from config.clientSecret",
    "secret = settings.get_secret_value()",
    "token = self.next_token()",
    "token: Token::Identifier",
    "token: lexer.rs:120",
    "tokens: 128000",
    "max_tokens=200000",
    "the token: src/parser/token.rs:12-40",
    "api_key: str = Field(...)",
    "api_key=None",
    "api_key = load_api_key(path)",
    "access_key: required",
    "private_key: PathBuf",
    "private key: ~/.ssh/id_ed25519",
    "auth_key: sha256-rsa2048",
    "secret_key: base64url-encoded",
    "credentials: same-origin",
    "credentials: include",
    "the key: value pairs are sorted",
    "pwd: /srv/app/releases/2026-11-21",
    "pwd=/workspace/project1",
    "passphrase: prompt",
    "key = primary_key_2",
    "signing_key: ed25519",
    "encryption_key: aes-256-gcm",
    "token = \"csrf-token-v2\"",
    "token: refresh_token_expires_in",
    "secret: sqlalchemy.exc.OperationalError",
    "the bearer of this token",
    "bearer authentication is required",
    "Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Basic ${CREDENTIALS}",
    "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE",
    "basic understanding-of-the-parser is enough",
    "AKIA is how the ids of AWS keys begin",
    "AKIAIOSFODNN7EXAMPLE",
    "the docs use wJalrXUtnFEMI as an example",
    "aws_secret_access_key = <secret>",
    "aws s3 key=releases/2026/11/21/build.tar.gz",
    "commit 9d8b85c3b9f8caa0de417874e60aa30aecea075b",
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904 is empty",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "entry 01M7ZXRVN3A0K7Q5W8YB6CDE2F",
    "etag \"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "image@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "ghp_ is the prefix of personal tokens",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "github_pat_ tokens are fine-grained",
    "glpat-xxxxxxxxxxxxxxxxxxxx",
    "npm_config_registry=https://registry.npmjs.org/",
    "npm_lifecycle_event is set",
    "sk-learn is pinned to 1.5",
    "the task-0123456789abcdef0123456789abcdef is done",
    "risk-assessment-of-the-migration-to-postgres-17",
    "disk-usage-monitor-for-the-whole-cluster-v2",
    "xoxb- tokens are for bots",
    "hf_hub_download and hf_transfer are used",
    "hf_hub_enable_hf_transfer_by_default",
    "SK is the code of Slovakia",
    "whsec_ is checked in webhooks.rs:88",
    "eyJ is how a JSON Web Token begins",
    "-----BEGIN PRIVATE KEY----- is looked for in lint.rs",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada",
    "https://example.org:8443/path",
    "http://localhost:3000/@fs/src",
    "postgres://localhost:5432/app",
    "postgres://app:$PASSWORD@db/app",
    "postgres://app:${DB_PASS}@db:5432/app",
    "postgres://user:password@localhost/db",
    "redis://:<password>@cache:6379",
    "https://user:***@host/x",
    "https://x-access-token:{token}@github.com/o/r",
    "mysql://root:%PASSWORD%@db/x",
    "git@github.com:owner/repo.git",
    "ssh://git@host:2222/owner/repo.git",
    "https://github.com/o/r/blob/main/src/token.rs#L10-L20",
    "see https://docs.rs/regex/1.13.0/regex/struct.RegexSet.html",
    "crate::entry::secret::find_secret",
    "fn token(&self) -> Result<Token, Error>",
    "key: Option<&'static str>",
    "let secret = Secret::new(bytes);",
    "q4: 12.5 MiB, was 11.9 MiB",
    "v1.89.0-nightly-2026-11-21-x86_64-unknown-linux-gnu",
    "CVE-2026-12345 is fixed in 3.2.1",
    "the socioeconomic model in cio.py",
    "sig=abc is no signature",
    "Asia/Kolkata and Asia/Tokyo are tested",
    "discord.com/api/webhooks/ID/TOKEN is the form",
    "密码：请看保险库",
    "mot de passe : voir le coffre",
    "token：没有变化",
];

#[test]
fn secrets_are_found() {
    let mut count = 0;
    for (rule, texts) in SECRETS {
        for text in *texts {
            let text = filled(text);
            for text in [format!("the answer is {text} since May"), text] {
                let found = find_secret(&text, &[]).map(|(rule, _)| rule.name);
                assert_eq!(found, Some(*rule), "{text}");
            }
            count += 1;
        }
    }
    assert!(count >= 100, "{count}");
    let tried: Vec<&str> = SECRETS.iter().map(|(rule, _)| *rule).collect();
    let all: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(tried, all);
}

#[test]
fn other_texts_are_none() {
    assert!(HARMLESS.len() >= 100, "{}", HARMLESS.len());
    for text in HARMLESS {
        let found = find_secret(text, &[]).map(|(rule, _)| rule.name);
        assert_eq!(found, None, "{text}");
    }
}

#[test]
fn the_sample_and_our_own_pages_hold_none() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md")];
    for folder in ["docs", "docs/rules", "seeds/demo", "seeds/questions"] {
        let found = std::fs::read_dir(root.join(folder)).unwrap();
        let found = found.map(|entry| entry.unwrap().path());
        files.extend(found.filter(|path| path.is_file()));
    }
    for file in files {
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let found = find_secret(line, &[]).map(|(rule, _)| rule.name);
            assert_eq!(found, None, "{}: {line}", file.display());
        }
    }
}

/// A text with a GitHub token at its thirteenth character.
fn leaky() -> String {
    format!("CI logs in: {}", filled("ghp_{A36}"))
}

#[test]
fn each_command_that_writes_refuses_and_tells_no_secret() {
    let world = World::asked();
    world.record("s1");
    let before = world.lines();
    let text = leaky();
    let tried = |args: &[&str]| {
        let ran = world.sq(args);
        assert_eq!(ran.code, 128, "{}", ran.transcript());
        assert!(!ran.transcript().contains("ghp_"), "{}", ran.transcript());
        ran.stderr.lines().next().unwrap().to_owned()
    };
    let delta = format!("q1={text}");
    insta::assert_snapshot!(world.sq(&["record", "--delta", &delta]).transcript(), @"
    --- stderr
    fatal: the note of q1 holds what looks like a GitHub token (github-token) at character 13
    hint: nothing was written: the log is as public as the repository; leave it out, or say where it is kept
    hint: if it is not one, a person can add --allow-secret github-token on a terminal
    --- exit 128
    ");
    let refused = [
        tried(&["record", &delta, "--delta", "q1=new"]),
        tried(&["state", "set", "--handover", &text]),
        tried(&["state", "set", "--done", "one", "--done", &text]),
        tried(&[
            "tension",
            "open",
            &text,
            "--type",
            "gap",
            "--source",
            "tests",
            "--curiosity",
            "0.5",
            "--intrusiveness",
            "0.5",
        ]),
        tried(&["record", "--sid", &text[12..], "--same", "q1=new"]),
    ];
    insta::assert_snapshot!(refused.join("\n"), @"
    fatal: the answer of q1 holds what looks like a GitHub token (github-token) at character 13
    fatal: the handover holds what looks like a GitHub token (github-token) at character 13
    fatal: item 2 of done holds what looks like a GitHub token (github-token) at character 13
    fatal: the topic holds what looks like a GitHub token (github-token) at character 13
    fatal: the session's name holds what looks like a GitHub token (github-token) at character 1
    ");
    assert_eq!(world.lines(), before);
}

#[test]
fn only_a_person_lets_one_through() {
    let world = World::asked();
    let note = format!("q1={}", leaky());
    let args = ["record", "--same", &note, "--allow-secret", "github-token"];
    insta::assert_snapshot!(world.sq(&args).transcript(), @"
    --- stderr
    fatal: --allow-secret is for people only, and there is no terminal
    hint: nothing was changed; run it in a terminal, without redirecting it
    --- exit 128
    ");
    let ran = world.sq(&["record", "--same", "q1=a", "--allow-secret", "weather"]);
    assert_eq!(ran.code, 129, "{}", ran.transcript());
    let on_terminal = |rule: &str| {
        let line = format!("sq record --same '{note}' --allow-secret {rule}");
        edited(&world, &line, "true").map(|ran| ran.code)
    };
    if let Some(code) = on_terminal("npm-token") {
        assert_eq!(code, 128);
        assert_eq!(on_terminal("github-token"), Some(0));
        assert!(world.lines()[0].contains("ghp_"));
    }
}

#[test]
fn a_probes_answer_is_screened() {
    let world = World::new();
    world.write("config", format!("{}\n", leaky()));
    world.write("standing_questions.json", r#"{"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": "How?", "importance": 3, "probe": {"grep": {"text": "CI", "paths": ["config"], "take": "lines"}}}]}"#);
    world.commit("Ask");
    insta::assert_snapshot!(world.sq(&["record"]).transcript(), @"
    --- stderr
    fatal: the note of q1 holds what looks like a GitHub token (github-token) at character 16
    hint: nothing was written: the log is as public as the repository; leave it out, or say where it is kept
    hint: if it is not one, a person can add --allow-secret github-token on a terminal
    --- exit 128
    ");
    assert!(world.lines().is_empty());
}

#[test]
fn an_import_warns_and_a_session_ends() {
    let world = World::asked();
    let head = world.head();
    let line = original_line("s1", "2026-05-04T09:12:00Z", &head);
    world.write("log.jsonl", line.replace("as it was", &leaky()) + "\n");
    let ran = world.sq(&["import", "log.jsonl"]);
    insta::assert_snapshot!(ran.transcript(), @"
    Imported 1 entry of log.jsonl.
    --- stderr
    warning: the note of q1 holds what looks like a GitHub token (github-token) at character 13; `git sq redact 01KQS44ER000003MFQK94YGNMF` hides it
    --- exit 0
    ");
    world.sq_ok("session start --sid s2");
    world.commit(&leaky());
    world.sq_ok("session end");
    let lines = world.lines();
    let end = lines
        .iter()
        .find(|line| line.contains("\"kind\":\"session\""));
    assert!(end.is_some_and(|end| end.contains("\"commits\":1") && !end.contains("ghp_")));
}
