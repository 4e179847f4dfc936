//! The parts of the manual besides the commands: settings, environment, files, exit status, examples.

/// A title, and names with their meanings.
pub type Section = (&'static str, &'static [(&'static str, &'static str)]);

pub const SECTIONS: &[Section] = &[
    (
        "Configuration",
        &[
            (
                "sq.questions",
                "Path of the question store, relative to the root of the repository.",
            ),
            ("sq.hooks", "If false, `git sq init` installs no git hooks."),
            (
                "sq.grace",
                "How long a session may be silent before it counts as ended, such as 45m. Defaults to two hours.",
            ),
            (
                "sq.enforce",
                "If true, hooks of coding agents ask an agent that changed something and is about to stop for its due answers, once a session.",
            ),
            (
                "sq.pushTimeout",
                "Seconds that git may take to reach a remote when the log is published in the background; 0 disables that.",
            ),
            (
                "remote.<name>.sq",
                "If true, the log is shared with this remote.",
            ),
            (
                "remote.<name>.sqRef",
                "The log's ref on this remote, if it rejects refs/notes/sq.",
            ),
            (
                "log.date",
                "The default date format of `git sq log` and `show`, as for `git log`.",
            ),
            ("color.sq", "When to use colours, like color.ui."),
            (
                "pager.sq",
                "The pager, or false for none, like pager.<cmd>.",
            ),
        ],
    ),
    (
        "Environment",
        &[
            (
                "SQ_AGENT, SQ_MODEL, SQ_HARNESS",
                "The names of the agent, its model and the program that runs it.",
            ),
            ("SQ_SESSION", "The session that entries belong to."),
            (
                "CLAUDE_CODE_SESSION_ID, CODEX_SESSION_ID, COPILOT_AGENT_SESSION_ID, QWEN_CODE_SESSION_ID",
                "Set by coding agents to name their sessions; SQ_SESSION takes precedence.",
            ),
            ("NO_COLOR", "If set, disables colours."),
        ],
    ),
    (
        "Files",
        &[
            (
                "context/standing_questions.json, standing_questions.json",
                "The question store: the first of the two that exists.",
            ),
            (
                "refs/notes/sq",
                "The log; refs/notes/remotes/<remote>/sq is the fetched log of a remote.",
            ),
            (
                ".git/sq/",
                "Local state: the current sessions and the id of this clone. .git/sq/cache/ can be deleted at any time.",
            ),
        ],
    ),
    (
        "Exit status",
        &[
            ("0", "No errors; there may be warnings."),
            ("1", "At least one error was found."),
            (
                "3",
                "No error was found, but something could not be determined.",
            ),
            ("128", "The command failed."),
            ("129", "Invalid command line."),
        ],
    ),
    (
        "Examples",
        &[
            ("git sq init", "Set up this clone, once."),
            (
                "git sq brief",
                "At the start of a session: show the questions to answer.",
            ),
            (
                "git sq record 'q1=the answer' --cite q1=src/lib.rs:3-5 --same q2",
                "Record the answers.",
            ),
            ("git sq check", "Check the log, in CI or by hand."),
            ("git log --notes=sq", "Read the log with plain git."),
        ],
    ),
];

pub fn text() -> String {
    let sections = SECTIONS.iter().map(|(title, entries)| {
        let entries = entries
            .iter()
            .map(|(name, meaning)| format!("  {name}\n          {meaning}\n"));
        format!("{title}:\n{}", entries.collect::<String>())
    });
    sections.collect::<Vec<_>>().join("\n")
}

pub fn roff() -> String {
    let escape = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let sections = SECTIONS.iter().map(|(title, entries)| {
        let entries = entries
            .iter()
            .map(|(name, meaning)| format!(".TP\n\\fB{}\\fR\n{}\n", escape(name), escape(meaning)));
        format!(
            ".SH \"{}\"\n{}",
            title.to_uppercase(),
            entries.collect::<String>()
        )
    });
    sections.collect()
}
