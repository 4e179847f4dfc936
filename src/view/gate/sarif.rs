//! SARIF 2.1.0: the results of one run, as code scanning reads them.

use std::collections::BTreeSet;

use clap::ValueEnum as _;
use serde_json::{Value, json};

use super::{Gate, Remark, RemarkKind};
use crate::{finding::Rule, quote, view::Explanation};

pub fn text(gate: &Gate) -> String {
    let ids: BTreeSet<&str> = gate.remarks.iter().map(|remark| remark.rule.as_str()).collect();
    let rules = ids.into_iter().map(rule);
    let results = gate.remarks.iter().map(result);
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "git sq",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<Value>>(),
            } },
            "results": results.collect::<Vec<Value>>(),
        }],
    });
    format!("{document:#}\n")
}

fn rule(id: &str) -> Value {
    let [short, help] = match (Rule::from_str(id, false), id) {
        (Ok(rule), _) => {
            let explained = Explanation::of(rule);
            [explained.means(), explained.page]
        }
        (_, "verify") => [
            "A recorded answer contradicts the repository, or could not be verified.",
            "`git sq show` has the entry; derive the answer again.",
        ],
        (_, "facts/differs") => [
            "Two places state a fact differently, and agreed before.",
            "`git sq facts` says since when; `git sq facts --fix` writes the value of the side that changed.",
        ],
        (_, "facts/fails") => [
            "A fact that is asked does not hold.",
            "`git sq facts` shows what its places say: fix the files.",
        ],
        (_, "facts/more") => {
            ["More facts broke than are shown.", "The command in the message shows all."]
        }
        (_, id) if id.starts_with("facts/") => [
            "A document names a path that is not there.",
            "`git sq facts` says since when, and whether git knows its new name.",
        ],
        (_, id) if id.starts_with("proof/") => [
            "A proof of the log fails, or could not be told.",
            "`git sq verify --log` says what it looked at and what it cannot show.",
        ],
        _ => [
            "Something could not be determined, so the gate cannot pass.",
            "Do what the message says, and run it again.",
        ],
    };
    json!({
        "id": id,
        "shortDescription": { "text": short },
        "fullDescription": { "text": short },
        "help": { "text": help, "markdown": help },
    })
}

fn result(remark: &Remark) -> Value {
    let level = match remark.kind {
        RemarkKind::Error | RemarkKind::Unknown => "error",
        RemarkKind::Warning => "warning",
    };
    let locations = remark.place.iter().map(|(path, line)| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": quote::percent(path, b"-._~/") },
            "region": { "startLine": line.unwrap_or(1) },
        } })
    });
    json!({
        "ruleId": remark.rule,
        "level": level,
        "message": { "text": remark.whole() },
        "locations": locations.collect::<Vec<Value>>(),
    })
}
