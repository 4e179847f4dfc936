//! The forms of secrets: a name, words for people, literals of which a text has one, a pattern, and a least entropy.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

#[derive(Debug)]
pub struct Rule {
    /// The value for `--allow-secret`.
    pub name: &'static str,
    /// With its article: `a GitHub token`.
    pub what: &'static str,
    /// In lower case. A text without any of them has no such secret.
    pub(super) literals: &'static [&'static str],
    /// The secret is its first group.
    pattern: &'static str,
    /// Bits per character at least.
    pub(super) entropy: f64,
    compiled: OnceLock<Regex>,
}

impl Rule {
    /// Compiled when a text has one of the literals, which most texts have not.
    pub(super) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            // ASCII alone compiles in a fraction of the time. A test compiles them all.
            RegexBuilder::new(self.pattern)
                .unicode(false)
                .build()
                .unwrap_or_else(|error| panic!("{}: {error}", self.name))
        })
    }
}

const fn rule(
    name: &'static str,
    what: &'static str,
    literals: &'static [&'static str],
    entropy: f64,
    pattern: &'static str,
) -> Rule {
    Rule { name, what, literals, pattern, entropy, compiled: OnceLock::new() }
}

/// One rule for each kind of secret with a documented form. The forms are those that the issuers document.
#[rustfmt::skip]
pub static RULES: [Rule; 56] = [
    rule("aws-access-key", "an AWS access key", &["akia", "asia", "abia", "acca"], 3.0, r"((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b"),
    rule("aws-secret-key", "an AWS secret key", &["aws"], 4.1, r#"(?i)aws[\w.-]{0,20}key["']?\s*(?:=>|=|:)\s*["']?([A-Za-z0-9/+]{40})(?:(?u:[^A-Za-z0-9/+=])|$)"#),
    rule("google-api-key", "a Google API key", &["aiza"], 3.5, r"(AIza[\w-]{35})"),
    rule("google-client-secret", "a Google client secret", &["gocspx-"], 3.0, r"(GOCSPX-[\w-]{28})"),
    rule("google-access-token", "a Google access token", &["ya29."], 3.5, r"\b(ya29\.[\w-]{20,})"),
    rule("azure-account-key", "an Azure account key", &["accountkey="], 4.0, r"(?i)AccountKey=([A-Za-z0-9+/]{86}==)"),
    rule("azure-shared-key", "an Azure shared access key", &["sharedaccesskey="], 3.5, r"(?i)SharedAccessKey=([A-Za-z0-9+/]{43}=)"),
    rule("azure-signature", "an Azure shared access signature", &["sig="], 3.5, r"(?i)[?&]sig=([A-Za-z0-9%/+]{43,}(?:=|%3d))"),
    rule("azure-client-secret", "an Azure client secret", &["q~"], 3.5, r"(?:^|(?u:[^\w~.-]))([\w~.]{3}[0-9]Q~[\w~.-]{31,34})"),
    rule("github-token", "a GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], 3.0, r"(gh[pousr]_[A-Za-z0-9]{36,})"),
    rule("github-fine-grained-token", "a GitHub token", &["github_pat_"], 3.0, r"(github_pat_\w{36,})"),
    rule("gitlab-token", "a GitLab token", &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-", "glimt-"], 3.0, r"(gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt)-[\w-]{20,})"),
    rule("slack-token", "a Slack token", &["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], 2.5, r"(xox[abeoprs][.-][0-9A-Za-z.-]{20,})"),
    rule("slack-app-token", "a Slack app token", &["xapp-"], 3.0, r"(xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{20,})"),
    rule("slack-webhook", "a Slack webhook", &["hooks.slack.com/"], 3.0, r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,})"),
    rule("discord-webhook", "a Discord webhook", &["/api/webhooks/"], 3.5, r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([\w-]{60,})"),
    rule("npm-token", "an npm token", &["npm_"], 3.0, r"(npm_[A-Za-z0-9]{36})\b"),
    rule("pypi-token", "a PyPI token", &["pypi-age"], 3.5, r"(pypi-AgE[\w-]{50,})"),
    rule("crates-io-token", "a crates.io token", &["cio"], 3.5, r"\b(cio[A-Za-z0-9]{32})\b"),
    rule("rubygems-token", "a RubyGems key", &["rubygems_"], 3.0, r"(rubygems_[0-9a-f]{48})"),
    rule("docker-token", "a Docker token", &["dckr_pat_", "dckr_oat_"], 3.0, r"(dckr_[po]at_[\w-]{20,})"),
    rule("stripe-key", "a Stripe key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], 3.0, r"([sr]k_(?:live|test)_[A-Za-z0-9]{16,})"),
    rule("stripe-webhook-secret", "a Stripe webhook secret", &["whsec_"], 3.0, r"(whsec_[A-Za-z0-9+/]{24,})"),
    rule("anthropic-key", "an Anthropic key", &["sk-ant-"], 3.5, r"(sk-ant-[\w-]{30,})"),
    rule("openrouter-key", "an OpenRouter key", &["sk-or-"], 3.0, r"(sk-or-v1-[0-9a-f]{64})"),
    rule("openai-key", "an OpenAI key", &["sk-"], 3.5, r"\b(sk-(?:(?:proj|svcacct|admin)-[\w-]{30,}|[A-Za-z0-9]{32,}))"),
    rule("huggingface-token", "a Hugging Face token", &["hf_"], 3.5, r"\b(hf_[A-Za-z0-9]{30,})"),
    rule("replicate-token", "a Replicate token", &["r8_"], 3.5, r"\b(r8_[A-Za-z0-9]{37})\b"),
    rule("groq-key", "a Groq key", &["gsk_"], 3.5, r"\b(gsk_[A-Za-z0-9]{48,})"),
    rule("xai-key", "an xAI key", &["xai-"], 3.5, r"\b(xai-[A-Za-z0-9]{70,})"),
    rule("perplexity-key", "a Perplexity key", &["pplx-"], 3.5, r"\b(pplx-[A-Za-z0-9]{40,})"),
    rule("telegram-token", "a Telegram bot token", &[":aa"], 3.5, r"\b([0-9]{8,10}:AA[\w-]{33})"),
    rule("sendgrid-key", "a SendGrid key", &["sg."], 3.5, r"(SG\.[\w-]{22}\.[\w-]{43})"),
    rule("mailgun-key", "a Mailgun key", &["key-"], 3.0, r"\b(key-[0-9a-f]{32})\b"),
    rule("mailchimp-key", "a Mailchimp key", &["-us"], 3.0, r"\b([0-9a-f]{32}-us[0-9]{1,2})\b"),
    rule("twilio-key", "a Twilio key", &["sk"], 3.0, r"\b(SK[0-9a-f]{32})\b"),
    rule("shopify-token", "a Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], 3.0, r"(shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32})"),
    rule("square-token", "a Square token", &["sq0atp-", "sq0csp-"], 3.0, r"\b(sq0(?:atp|csp)-[\w-]{22,})"),
    rule("digitalocean-token", "a DigitalOcean token", &["_v1_"], 3.0, r"(do[opr]_v1_[0-9a-f]{64})"),
    rule("heroku-key", "a Heroku key", &["hrku-"], 3.0, r"\b(HRKU-[\w-]{36,})"),
    rule("databricks-token", "a Databricks token", &["dapi"], 3.0, r"\b(dapi[0-9a-f]{32})"),
    rule("grafana-token", "a Grafana token", &["glsa_"], 3.0, r"(glsa_[A-Za-z0-9]{32}_[0-9a-f]{8})"),
    rule("new-relic-key", "a New Relic key", &["nrak-"], 3.0, r"\b(NRAK-[A-Z0-9]{27})\b"),
    rule("sentry-token", "a Sentry token", &["sntrys_", "sntryu_"], 3.0, r"\b(sntry[su]_[\w+/=-]{40,})"),
    rule("vault-token", "a Vault token", &["hvs.", "hvb."], 3.5, r"\b(hv[sb]\.[\w-]{24,})"),
    rule("terraform-token", "a Terraform token", &[".atlasv1."], 3.5, r"\b([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,})"),
    rule("linear-key", "a Linear key", &["lin_api_"], 3.0, r"\b(lin_api_[A-Za-z0-9]{40})"),
    rule("notion-token", "a Notion token", &["ntn_"], 3.5, r"\b(ntn_[A-Za-z0-9]{40,})"),
    rule("atlassian-token", "an Atlassian token", &["atatt3"], 3.5, r"(ATATT3[\w=-]{50,})"),
    rule("age-key", "an age key", &["age-secret-key-"], 3.0, r"(AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{58})"),
    rule("url-password", "a password in a URL", &["//", r"\/\/"], 0.0, r"\\?/\\?/(?u:[^\s/?#@:])*:((?u:[^\s/?#@$<*{%\[])(?u:[^\s/?#@])*)@"),
    rule("url-token", "a token in a URL", &["access_token=", "x-amz-signature="], 3.0, r"(?i)[?&](?:access_token|X-Amz-Signature)=([\w.%+/-]{20,})"),
    rule("curl-password", "a password for curl", &["curl "], 0.0, r#"\bcurl (?u:[^\n|;&]* )?(?:-u|--user)[ =]?["']?(?u:[^\s:"'$<{])+:((?u:[^\s"'$<*{%\[])(?u:[^\s"'])*)"#),
    rule("putty-key", "a PuTTY private key", &["private-lines:"], 3.0, r"Private-Lines: [0-9]+(?:\s|\\[nr])+([A-Za-z0-9+/=]{20,})"),
    rule("private-key", "a private key", &["private key"], 3.0, r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*([A-Za-z0-9+/=]{20,})"),
    rule("jwt", "a JSON Web Token", &["eyj"], 3.5, r"(eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})"),
];
