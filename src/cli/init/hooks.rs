//! The hooks that init sets, and what it says where it can't.

use std::path::Path;

use super::{
    super::{Context, Failure, quote},
    done::{Done, Hooked, cannot_write},
};
use crate::{
    agent::{GitHook, HookState, hook_state, plant_hook},
    git::Repo,
    report::escape,
};

/// Sets both hooks where that can be done, and says so, or what a person has to do.
pub fn set_hooks(context: &Context, repo: &mut Repo, done: &mut Done) -> Result<(), Failure> {
    for hook in GitHook::ALL {
        let state = hook_state(repo, hook)?;
        match &state {
            HookState::Configurable(edits) => {
                done.will_set(repo, edits)?;
                repo.add_config(edits)?;
            }
            HookState::Absent(path) | HookState::Chainable(path) => {
                let folder = path.parent().unwrap_or(path);
                let common = repo.common_dir();
                // Git may name the folder by another way than the repository does.
                let base = folder.strip_prefix(&common).unwrap_or(Path::new("hooks"));
                let hooked = Hooked {
                    path: base.join(hook.name()),
                    made: matches!(state, HookState::Absent(_)),
                    made_folder: !folder.exists(),
                };
                done.will_hook(repo, hooked)?;
                std::fs::create_dir_all(folder)
                    .and_then(|()| plant_hook(hook, path))
                    .map_err(|error| cannot_write(path, &error, "git sq init"))?;
            }
            _ => {}
        }
        say_hook(context, hook, &state, false);
    }
    Ok(())
}

/// Says what [`set_hooks`] would do.
pub fn say(context: &Context, repo: &Repo) -> Result<(), Failure> {
    for hook in GitHook::ALL {
        say_hook(context, hook, &hook_state(repo, hook)?, true);
    }
    Ok(())
}

fn say_hook(context: &Context, hook: GitHook, state: &HookState, would: bool) {
    let (name, purpose) = (hook.name(), hook.purpose());
    let verb = |did: &str, would_do: &str| {
        let verb = if would {
            format!("would {would_do}")
        } else {
            did.to_owned()
        };
        format!("hook:   {verb} {name}: it {purpose}\n")
    };
    context.print(&match state {
        HookState::Runs => return,
        HookState::Configurable(_) | HookState::Absent(_) => verb("set", "set"),
        HookState::Chainable(_) => verb("added to", "add to"),
        other => format!("hook:   {}\n", by_hand(hook, other)),
    });
}

/// What a person has to do where init can't set a hook.
pub fn by_hand(hook: GitHook, state: &HookState) -> String {
    let name = hook.name();
    let shown = |path: &Path| escape(&path.to_string_lossy());
    let command = hook.command();
    match state {
        HookState::Elsewhere(dir) => format!(
            "{name}: core.hooksPath leads to {}, where git sq writes nothing; add this line to the script {name} there (with husky: .husky/{name}), after what reads its standard input, and commit it where that is tracked:\n        {command}",
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
            "{name}: {} is a link; add this line to the script that it leads to, after what reads its standard input:\n        {command}",
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
