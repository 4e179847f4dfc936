//! What is planted in a repository: the seeds, which are part of the program, and the blocks in git's hooks.

mod git_hooks;
mod hook_place;
mod seeds;

pub use git_hooks::GitHook;
pub use hook_place::{HookState, has_hook, hook_state, plant_hook, remove_hook};
pub use seeds::{DEMO_HISTORY, DEMO_LOG, QuestionSetName, questions};
