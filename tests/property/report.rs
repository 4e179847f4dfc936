//! Reports: no text steers where it is printed, and what is shortened stays readable.

use git_sq::{
    evidence::{Replayed, Verdict},
    project::Verified,
    view::{Output as _, Style, Verification, escape, fence, without_commands},
};

#[test]
fn a_text_has_no_commands() {
    let text = "a :: b\n  ::error::s3\n::add-mask::x\n ##[group]::y\n";
    let expected = "a :: b\n  : :error::s3\n: :add-mask::x\n # #[group]::y\n";
    assert_eq!(without_commands(text), expected);
}

#[test]
fn only_what_steers_a_terminal_or_hides_is_escaped() {
    let wholes = [
        "👨\u{200d}👩\u{200d}👧\u{200d}👦 and 👩🏽\u{200d}💻",
        "❤\u{fe0f}\u{200d}🔥 ☎\u{fe0e}",
        "می\u{200c}خواهم",
        "क\u{94d}\u{200d}ष",
        "ශ\u{dca}\u{200d}රී",
    ];
    let escaped = [
        ("a\u{1b}[2Jé\n\u{202e}b", "a\\u001b[2Jé\\u000a\\u202eb"),
        ("git\u{200d} push", "git\\u200d push"),
        ("\u{200d}é", "\\u200dé"),
        ("1\u{fe0f} \u{200c}", "1\\ufe0f \\u200c"),
        ("é\u{200d}\u{200c}\u{200d}", "é\u{200d}\\u200c\\u200d"),
        ("❤\u{fe0f}\u{fe0e}\u{fe00}", "❤\u{fe0f}\\ufe0e\\ufe00"),
        ("é\u{202e}\u{200d}", "é\\u202e\\u200d"),
        ("é\u{200b}é", "é\\u200bé"),
        ("😀\u{e0130}\u{e01ef}", "😀\\ue0130\\ue01ef"),
        ("\u{3164}\u{34f}\u{fff9}\u{180e}", "\\u3164\\u034f\\ufff9\\u180e"),
    ];
    for (text, expected) in wholes.map(|whole| (whole, whole)).into_iter().chain(escaped) {
        assert_eq!(escape(text), expected);
        assert_eq!(escape(expected), expected);
    }
}

#[test]
fn a_fence_is_longer_than_any_inside() {
    let block = fence(&["x ```` y".to_owned(), "``".to_owned()]);
    assert_eq!(block, "`````text\nx ```` y\n``\n`````\n");
}

#[test]
fn a_text_is_shortened_to_the_terminal_and_not_elsewhere() {
    let style = |width, unicode| Style { unicode, width, ..Style::default() };
    let text = "a question of 29 characters?!";
    assert_eq!(style(None, true).fit(text, 9), text);
    assert_eq!(style(Some(38), true).fit(text, 9), text);
    assert_eq!(style(Some(37), true).fit(text, 9), "a question of 29 characters…");
    assert_eq!(style(Some(37), false).fit(text, 9), "a question of 29 characte...");
    assert_eq!(style(Some(5), true).fit(text, 9), "a questio…");
    assert_eq!(style(None, true).wrap(text, 9, 2), text);
    let wrapped = "a question\n  of 29\n  characters?!";
    assert_eq!(style(Some(19), true).wrap(text, 9, 2), wrapped);
    let narrow = "a\n  question\n  of 29\n  characters?!";
    assert_eq!(style(Some(9), true).wrap(text, 9, 2), narrow);
    let (coloured, command) = ("\u{1b}[1mbold\u{1b}[0m text", "run `git sq brief` now");
    assert_eq!(style(Some(9), true).wrap(coloured, 0, 0), coloured);
    let wrapped = "run\n`git sq brief`\nnow";
    assert_eq!(style(Some(9), true).wrap(command, 0, 0), wrapped);
}

#[test]
fn a_clean_sample_says_what_it_means() {
    let held = Replayed {
        entry: String::new(),
        sid: String::new(),
        commit: String::new(),
        q_id: "q1".into(),
        q_version: 1,
        verdict: Verdict::Holds,
        why: String::new(),
    };
    let total = |drawn| {
        Verification::from(Verified {
            results: vec![held.clone(); drawn],
            of: 300,
            drawn,
            ..Verified::default()
        })
        .text(Style::default())
    };
    assert!(include_str!("../../docs/audit.md").contains(&total(29)));
    assert!(total(299).contains("fewer than 1.0 % of the 300"));
    assert_eq!(total(300), "verified 300 recorded answers: all stand\n");
}
