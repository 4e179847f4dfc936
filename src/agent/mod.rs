//! What is planted in a repository: the seeds, which are part of the program.

mod seeds;

pub use seeds::{DEMO_HISTORY, DEMO_LOG, QuestionSetName, questions};
