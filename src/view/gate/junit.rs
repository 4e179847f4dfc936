//! A test report in the XML of `JUnit`: a test for each question, and one for each remark.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Gate, Remark, RemarkKind};

/// A question without an error is a test that passes.
pub fn text(gate: &Gate) -> String {
    let mut suite = TestSuite::new("git sq");
    let fails = |name: &String| {
        let mut failed = gate.remarks.iter().filter(|remark| remark.kind == RemarkKind::Error);
        failed.any(|remark| {
            remark.question.as_deref().unwrap_or_default().split('@').next() == Some(name)
        })
    };
    let passed = gate
        .questions
        .iter()
        .filter(|name| !fails(name))
        .map(|name| TestCase::new(name, TestCaseStatus::success()));
    for mut test in passed.chain(gate.remarks.iter().map(test)) {
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
    let name = match &remark.question {
        Some(question) => format!("{question}: {}", remark.rule),
        None => remark.rule.clone(),
    };
    let mut test = TestCase::new(name, status);
    if remark.kind == RemarkKind::Warning {
        test.set_system_out(remark.whole());
    }
    test
}
