/// The commits of the sample, as `git fast-import` reads them.
pub const DEMO_HISTORY: &str = include_str!("../../seeds/demo/history.fi");

pub const DEMO_LOG: &str = include_str!("../../seeds/demo/log.jsonl");
pub const DEMO_EXPLANATION: &str = include_str!("../../seeds/demo/explanation.txt");

/// The skill: how an agent uses `git sq`, by the Agent Skills specification.
pub const SKILL: &str = include_str!("../../seeds/plugin/skills/git-sq/SKILL.md");

/// The questions of which `init` plants those that are about something that is there.
pub(super) const FIRST_QUESTIONS: &str = include_str!("../../seeds/questions/first.json");

pub const EMPTY_STORE: &str = include_str!("../../seeds/questions/empty.json");

/// A first set of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum QuestionSetName {
    /// For any project
    Generic,
    /// For a library
    Library,
    /// For a web service
    Web,
    /// For a machine learning project
    Ml,
}

pub fn questions(set: QuestionSetName) -> &'static str {
    match set {
        QuestionSetName::Generic => include_str!("../../seeds/questions/generic.json"),
        QuestionSetName::Library => include_str!("../../seeds/questions/library.json"),
        QuestionSetName::Web => include_str!("../../seeds/questions/web.json"),
        QuestionSetName::Ml => include_str!("../../seeds/questions/ml.json"),
    }
}
