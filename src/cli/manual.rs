//! What the manual says besides the commands: settings, environment, files, exit status, examples.

/// A section of the manual: its title, and what it names, each with its meaning.
pub type Section = (&'static str, &'static [(&'static str, &'static str)]);

/// The sections, in the order of a git page.
pub const SECTIONS: &[Section] = &[
    (
        "Configuration",
        &[
            (
                "sq.questions",
                "The question store, a path from the root of the repository.",
            ),
            ("sq.hooks", "With false, `git sq init` sets no git hooks."),
            (
                "sq.grace",
                "How long a session may be silent before it counts as over, as in 45m; two hours by default.",
            ),
            (
                "sq.pushTimeout",
                "How many seconds each run of git may take that talks to a remote on its own; with 0 there is none.",
            ),
            (
                "remote.<name>.sq",
                "Whether the log is shared with this remote.",
            ),
            (
                "remote.<name>.sqRef",
                "The log's ref on this remote, for one that refuses refs/notes/sq.",
            ),
            ("color.sq", "Colours, as color.ui."),
            ("pager.sq", "The pager, as pager.<cmd>."),
        ],
    ),
    (
        "Environment",
        &[
            (
                "SQ_AGENT, SQ_MODEL, SQ_HARNESS",
                "Who is at work: the names of the agent, the model and the program that runs it.",
            ),
            ("SQ_SESSION", "The session that entries belong to."),
            ("NO_COLOR", "When set, no colours."),
        ],
    ),
    (
        "Files",
        &[
            (
                "context/standing_questions.json, standing_questions.json",
                "The question store: the first of the two that is there.",
            ),
            (
                "refs/notes/sq",
                "The log; refs/notes/remotes/<remote>/sq is what was fetched.",
            ),
            (
                ".git/sq/",
                "What this clone alone knows: its current sessions and its id. Anyone may delete .git/sq/cache/.",
            ),
        ],
    ),
    (
        "Exit status",
        &[
            ("0", "Clean, warnings included."),
            ("1", "A finding is an error."),
            (
                "3",
                "No finding is an error, and not everything could be known.",
            ),
            ("128", "It could not be done."),
            ("129", "The command line was wrong."),
        ],
    ),
    (
        "Examples",
        &[
            ("git sq init", "Set this clone up, once."),
            (
                "git sq brief",
                "At the start of a session: what to re-derive.",
            ),
            (
                "git sq record --same q1 --delta 'q2=the CI job is gone'",
                "Record what was found.",
            ),
            ("git sq check", "Measure the ritual, in CI or by hand."),
            ("git log --notes=sq", "Read the log with plain git."),
        ],
    ),
];

/// The sections as they stand at the end of `git sq help`.
pub fn text() -> String {
    let sections = SECTIONS.iter().map(|(title, entries)| {
        let entries = entries
            .iter()
            .map(|(name, meaning)| format!("  {name}\n          {meaning}\n"));
        format!("{title}:\n{}", entries.collect::<String>())
    });
    sections.collect::<Vec<_>>().join("\n")
}

/// The sections in the language of manual pages.
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
