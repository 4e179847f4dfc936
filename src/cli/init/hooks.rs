//! The hooks that init sets, and what it says where it can't.

use super::{
    super::{Context, Failure, quote},
    done::{Done, Hooked, cannot_write},
    say_config,
};
use crate::{
    agent::{GitHook, HookState, hook_state, plant_hook},
    git::Repo,
    report::escape,
};

/// Sets both hooks, or says what would be set.
pub fn set(
    context: &Context,
    repo: &mut Repo,
    done: &mut Done,
    dry_run: bool,
) -> Result<(), Failure> {
    for hook in GitHook::ALL {
        let (name, purpose) = (hook.name(), hook.purpose());
        match hook_state(repo, hook)? {
            HookState::Runs => {}
            HookState::Configurable(edits) => {
                let verb = if dry_run { "would set" } else { "set" };
                if !dry_run {
                    done.will_set(repo, &edits)?;
                    repo.add_config(&edits)?;
                }
                say_config(context, &edits, verb);
                context.print(&format!("        (it {purpose})\n"));
            }
            state @ (HookState::Absent(_) | HookState::Chainable(_)) => {
                let made = matches!(state, HookState::Absent(_));
                let (HookState::Absent(path) | HookState::Chainable(path)) = state else {
                    continue;
                };
                let verb = match (dry_run, made) {
                    (true, true) => "would set",
                    (true, false) => "would add to",
                    (false, true) => "set",
                    (false, false) => "added to",
                };
                if !dry_run {
                    let hooked = Hooked {
                        path: path.clone(),
                        made,
                    };
                    done.will_hook(repo, hooked)?;
                    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
                    folder
                        .and_then(|()| plant_hook(hook, &path))
                        .map_err(|error| cannot_write(&path, &error, "git sq init"))?;
                }
                context.print(&format!("hook:   {verb} {name}: it {purpose}\n"));
            }
            state => context.print(&format!("hook:   {}\n", by_hand(hook, &state))),
        }
    }
    Ok(())
}

/// What a person has to do where init can't set a hook.
pub fn by_hand(hook: GitHook, state: &HookState) -> String {
    let name = hook.name();
    let shown = |path: &std::path::Path| escape(&path.to_string_lossy());
    let command = hook.command();
    match state {
        HookState::Elsewhere(dir) => format!(
            "{name}: core.hooksPath leads to {}, where git sq writes nothing; add this line to {name} there (with husky: to .husky/{name}), and commit it where that is tracked:\n        {command}",
            shown(dir)
        ),
        HookState::Lefthook(_) => format!(
            // A script, because lefthook passes over commands where a push changes no file.
            "{name}: lefthook writes this hook; put this line into .lefthook/{name}/git-sq.sh:\n        {command}\n        and this into lefthook.yml, and run `lefthook install`:\n        {name}:\n          scripts:\n            git-sq.sh:\n              runner: sh\n              use_stdin: true"
        ),
        HookState::Foreign(path) => format!(
            "{name}: {} is no shell script; let it run `git-sq hook {name}` with the arguments and the standard input that it gets",
            shown(path)
        ),
        HookState::Link(path) => format!(
            "{name}: {} is a link; add this line to the script that it leads to:\n        {command}",
            shown(path)
        ),
        HookState::NotExecutable(path) => format!(
            "{name}: {} is not executable, so git does not run it; `chmod +x {}` lets git run it, and `git sq init` adds to it then",
            shown(path),
            quote::word(&path.to_string_lossy())
        ),
        HookState::Runs
        | HookState::Configurable(_)
        | HookState::Absent(_)
        | HookState::Chainable(_) => format!("{name}: `git sq init` sets it"),
    }
}
