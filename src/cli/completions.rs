use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CommandResult, Context, Failure, install};

/// Print shell completions, or install them for the current user
#[derive(Args)]
pub struct CompletionsArgs {
    shell: Shell,
    /// Install them for the current user
    #[arg(long)]
    install: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl CompletionsArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let script = script(self.shell);
        if !self.install {
            return context.say(script);
        }
        let (path, hint) = place(self.shell)?;
        install::write(&path, script)?;
        context.say(&format!("Wrote {}\n{hint}\n", path.display()))
    }
}

fn place(shell: Shell) -> Result<(PathBuf, &'static str), Failure> {
    Ok(match shell {
        Shell::Bash => (
            // bash-completion loads the file of the command `git-sq`, and git's own completion asks for it by that name.
            install::user_dir("XDG_DATA_HOME", ".local/share")?
                .join("bash-completion/completions/git-sq"),
            "New shells complete `git sq` (requires bash-completion and git's own completion).",
        ),
        Shell::Zsh => (
            install::user_dir("XDG_DATA_HOME", ".local/share")?.join("zsh/site-functions/_git-sq"),
            "Add this to .zshrc, before compinit: fpath+=(${XDG_DATA_HOME:-~/.local/share}/zsh/site-functions)",
        ),
        Shell::Fish => (
            // Fish loads completions/git-sq.fish only for the word `git-sq`, and for `git` its own.
            install::user_dir("XDG_CONFIG_HOME", ".config")?.join("fish/conf.d/git-sq.fish"),
            "New shells complete `git sq`.",
        ),
    })
}

fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("../../seeds/completions/git-sq.bash"),
        Shell::Zsh => include_str!("../../seeds/completions/_git-sq"),
        Shell::Fish => include_str!("../../seeds/completions/git-sq.fish"),
    }
}
