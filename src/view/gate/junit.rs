//! A test report in the XML of `JUnit`: a test for each question, and one for each remark.

use std::collections::HashMap;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Gate, Remark, RemarkKind};

/// A question without an error is a test that passes, and one of which nothing is known a test that was skipped.
pub fn text(gate: &Gate) -> String {
    let mut suite = TestSuite::new("git sq");
    let is_told = |name: &String| {
        gate.remarks.iter().filter(|remark| remark.kind != RemarkKind::Warning).any(|remark| {
            remark.about.as_deref().unwrap_or_default().split('@').next() == Some(name)
        })
    };
    let others =
        gate.questions.iter().filter(|(name, _)| !is_told(name)).map(|(name, is_known)| {
            let mut status = TestCaseStatus::success();
            if !is_known {
                status = TestCaseStatus::skipped();
                status.set_message("it is unknown where this question stands");
            }
            TestCase::new(name, status)
        });
    // Viewers take tests of one name for runs of one test.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for mut test in others.chain(gate.remarks.iter().map(test)) {
        let number = seen.entry(test.name.to_string()).or_default();
        *number += 1;
        if *number > 1 {
            test.name = format!("{} ({number})", test.name.as_str()).into();
        }
        test.set_classname("git sq");
        suite.add_test_case(test);
    }
    let mut report = Report::new("standing questions");
    report.add_test_suite(suite);
    // Writing to memory never fails.
    let xml = report.to_string().unwrap_or_default();
    // The writer removes all other characters that XML does not allow.
    xml.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn test(remark: &Remark) -> TestCase {
    let failed = |kind| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_message(&remark.message).set_type(&remark.rule);
        status.set_description(remark.whole());
        status
    };
    let status = match remark.kind {
        RemarkKind::Error => failed(NonSuccessKind::Failure),
        RemarkKind::Unknown => failed(NonSuccessKind::Error),
        RemarkKind::Warning => TestCaseStatus::success(),
    };
    let name = match &remark.about {
        Some(about) => format!("{about}: {}", remark.rule),
        None => remark.rule.clone(),
    };
    let mut test = TestCase::new(name, status);
    if remark.kind == RemarkKind::Warning {
        test.set_system_out(remark.whole());
    }
    test
}
