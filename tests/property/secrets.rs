//! What looks like a secret and what does not.

use std::{fs, path::Path};

use git_sq::entry::{RULES, find_secret};

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
    (0..count).map(|_| alphabet.as_bytes()[next()] as char).collect()
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

/// Texts with secrets, by the rule that finds them; `|n|` is the end of a line in them.
const SECRETS: &str = r#"
aws-access-key: AKIA{U16} || key ASIA{U16} is in the CI || ABIA{U16}. || (ACCA{U16})
aws-secret-key: aws_secret_access_key = {A40} || AWS_SECRET_KEY: "{A40}" || aws.secretkey={A40}
google-api-key: AIza{A35} || maps use key=AIza{A35}
google-client-secret: GOCSPX-{A28}
google-access-token: ya29.{A60} || with ya29.a0{A120}
azure-account-key: AccountName=x;AccountKey={A86}==;EndpointSuffix=core
azure-shared-key: Endpoint=sb://x/;SharedAccessKey={A43}=
azure-signature: https://x.blob/y?sv=2024&sig={A43}%3D || ?sp=r&sig={A43}=
azure-client-secret: it is {A3}8Q~{A34}
github-token: ghp_{A36} || \nghp_{A36} || GITHUB_ghp_{A36} || token%3Dghp_{A36} || gho_{A36} || ghu_{A36}
github-token: ghs_{A36} || ghr_{A36} || CI uses `ghp_{A36}`, it works || https://ghp_{A36}@host/x
github-fine-grained-token: github_pat_{A22}_{A59}
gitlab-token: glpat-{A20} || gldt-{A20} || glrt-{A20} || glcbt-64_{A20} || glptt-{H40} || glft-{A20} || glsoat-{A20}
gitlab-token: glagent-{A50} || gloas-{A64} || glimt-{A25}
slack-token: xoxb-{N12}-{N13}-{A24} || xoxp-{N12}-{N12}-{N12}-{H32} || xoxe.xoxp-1-{A60} || xoxa-2-{A40} || xoxr-{A40}
slack-token: xoxs-{N12}-{A30}
slack-app-token: xapp-1-A{U10}-{N13}-{H64}
slack-webhook: https://hooks.slack.com/services/T{U8}/B{U8}/{A24}
slack-webhook: https://hooks.slack.com/workflows/T{U8}/A{U8}/{N17}/{A24}
discord-webhook: https://discord.com/api/webhooks/{N18}/{A68} || discordapp.com/api/webhooks/{N18}/{A68}
npm-token: npm_{A36} || _authToken is npm_{A36}
pypi-token: pypi-AgEIcHlwaS5vcmc{A70}
crates-io-token: cio{A32} || publish with cio{A32} please
rubygems-token: rubygems_{H48}
docker-token: dckr_pat_{A27} || dckr_oat_{A32}
stripe-key: sk_live_{A24} || sk_test_{A24} || rk_live_{A24} || rk_test_{A99}
stripe-webhook-secret: whsec_{A32}
anthropic-key: sk-ant-api03-{A93}AA || sk-ant-admin01-{A93}AA || sk-ant-oat01-{A80}
openrouter-key: sk-or-v1-{H64}
openai-key: sk-proj-{A48} || sk-svcacct-{A48} || sk-admin-{A48} || sk-{A20}T3BlbkFJ{A20} || sk-{H32}
openai-key: OPENAI_API_KEY=sk-{A48}
huggingface-token: hf_{A34}
replicate-token: r8_{A37}
groq-key: gsk_{A52}
xai-key: xai-{A80}
perplexity-key: pplx-{A48}
telegram-token: {N9}:AA{A33} || the bot is {N10}:AA{A33}
sendgrid-key: SG.{A22}.{A43}
mailgun-key: key-{H32}
mailchimp-key: {H32}-us12
twilio-key: SK{H32}
shopify-token: shpat_{H32} || shpca_{H32} || shppa_{H32} || shpss_{H32}
square-token: sq0atp-{A22} || sq0csp-{A43}
digitalocean-token: dop_v1_{H64} || doo_v1_{H64} || dor_v1_{H64}
heroku-key: HRKU-{A60}
databricks-token: dapi{H32}
grafana-token: glsa_{A32}_{H8}
new-relic-key: NRAK-{U27}
sentry-token: sntrys_{A80}_{A43} || sntryu_{H64}
vault-token: hvs.{A90} || hvb.{A120}
terraform-token: {A14}.atlasv1.{A67}
linear-key: lin_api_{A40}
notion-token: ntn_{A46}
atlassian-token: ATATT3xFfGF0{A180}
age-key: AGE-SECRET-KEY-1{U58} || AGE-SECRET-KEY-PQ-1{U58}
url-password: postgres://app:{A12}@db.example.org/app || redis://:{A8}@cache:6379 || https://ada:{A6}@host
url-password: amqp+ssl://ada%40x:p%2F{A8}@host:5671/x || mysql://root:root@db || ssh://ada:pässwort@host
url-password: //ada:{A8}@host/x || https:\/\/ada:{A8}@host
url-token: https://host/x?access_token={A40} || https://b.host/x?a=b&X-Amz-Signature={H64}
curl-password: curl -u ada:{A8} https://host || curl -s --user 'ada:{A8}' https://host
putty-key: Private-Lines: 1|n|{A64}
private-key: -----BEGIN PRIVATE KEY-----|n|{A64}|n|{A64} || -----BEGIN RSA PRIVATE KEY-----\n{A64}\n
private-key: -----BEGIN OPENSSH PRIVATE KEY----- {A70} || -----BEGIN EC PRIVATE KEY-----{A64}
private-key: -----BEGIN PGP PRIVATE KEY BLOCK-----|n||n|{A64}
jwt: eyJ{A20}.eyJ{A60}.{A43} || cookie: eyJ{A33}.eyJ{A160}.{A86};
"#;

const HARMLESS: &str = r#"
make check: 41 tests pass, 2 are skipped
the password is read from the environment
password = os.environ['DB_PASSWORD']
PASSWORD=${DB_PASSWORD}
password=$PASSWORD
password: <your password>
password = "changeme123"
passwd: xxxxxxxxxxxx
secrets: inherit
client_secret comes from config.clientSecret
secret = settings.get_secret_value()
token = self.next_token()
token: Token::Identifier
token: lexer.rs:120
max_tokens=200000
the token: src/parser/token.rs:12-40
api_key: str = Field(...)
api_key = load_api_key(path)
private_key: PathBuf
private key: ~/.ssh/id_ed25519
auth_key: sha256-rsa2048
secret_key: base64url-encoded
credentials: same-origin
the key: value pairs are sorted
pwd: /srv/app/releases/2026-11-21
passphrase: prompt
key = primary_key_2
encryption_key: aes-256-gcm
token = "csrf-token-v2"
token: refresh_token_expires_in
secret: sqlalchemy.exc.OperationalError
Bearer <token>
curl -u user:$PASSWORD https://host
curl -u user:<password> https://host
https://host/x?access_token=$TOKEN
// see a: b@c
Authorization: Bearer $TOKEN
Authorization: Bearer YOUR_ACCESS_TOKEN_HERE
basic understanding-of-the-parser is enough
AKIA is how the ids of AWS keys begin
AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = <secret>
aws s3 key=releases/2026/11/21/build.tar.gz
commit 9d8b85c3b9f8caa0de417874e60aa30aecea075b
tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904 is empty
sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
uuid 123e4567-e89b-12d3-a456-426614174000
entry 01M7ZXRVN3A0K7Q5W8YB6CDE2F
etag "33a64df551425fcc55e4d42a148795d9f25f89d4"
image@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
ghp_ is the prefix of personal tokens
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
glpat-xxxxxxxxxxxxxxxxxxxx
npm_config_registry=https://registry.npmjs.org/
sk-learn is pinned to 1.5
the task-0123456789abcdef0123456789abcdef is done
risk-assessment-of-the-migration-to-postgres-17
hf_hub_download and hf_transfer are used
hf_hub_enable_hf_transfer_by_default
eyJ is how a JSON Web Token begins
-----BEGIN PRIVATE KEY----- is looked for in lint.rs
-----BEGIN PUBLIC KEY-----|n|MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada
https://example.org:8443/path
http://localhost:3000/@fs/src
postgres://localhost:5432/app
postgres://app:$PASSWORD@db/app
postgres://app:${DB_PASS}@db:5432/app
redis://:<password>@cache:6379
https://user:***@host/x
https://x-access-token:{token}@github.com/o/r
mysql://root:%PASSWORD%@db/x
ssh://git@host:2222/owner/repo.git
https://example.org/a:b@c
http://[::1]:8080/@vite/client
scheme://user:<password>@host
https://github.com/o/r/blob/main/src/token.rs#L10-L20
crate::entry::secret::find_secret
let secret = Secret::new(bytes);
v1.89.0-nightly-2026-11-21-x86_64-unknown-linux-gnu
the socioeconomic model in cio.py
Asia/Kolkata and Asia/Tokyo are tested
discord.com/api/webhooks/ID/TOKEN is the form
密码：请看保险库
token：没有变化
"#;

fn rule_of(text: &str) -> Option<&'static str> {
    find_secret(text, &[]).map(|(rule, _)| rule.name)
}

#[test]
fn secrets_are_found() {
    let mut tried = Vec::new();
    for line in SECRETS.trim().lines() {
        let (rule, texts) = line.split_once(": ").unwrap();
        for text in texts.split(" || ") {
            let text = filled(text).replace("|n|", "\n");
            for text in [format!("the answer is {text} since May"), text] {
                assert_eq!(rule_of(&text), Some(rule), "{text}");
            }
        }
        tried.push(rule);
    }
    tried.dedup();
    let all: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(tried, all);
}

#[test]
fn other_texts_are_none() {
    for text in HARMLESS.trim().lines() {
        assert_eq!(rule_of(&text.replace("|n|", "\n")), None, "{text}");
    }
}

#[test]
fn the_sample_and_our_own_pages_hold_none() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["docs", "docs/rules", "seeds/demo", "seeds/questions"]
        .map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .into_iter()
        .flatten()
        .map(|file| file.unwrap().path())
        .filter(|path| path.is_file())
        .chain([root.join("README.md")])
    {
        for line in fs::read_to_string(&file).unwrap().lines() {
            assert_eq!(rule_of(line), None, "{}: {line}", file.display());
        }
    }
}
