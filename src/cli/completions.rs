//! `git sq completions`: what a shell needs to complete `git sq <TAB>`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::{Shell as Generator, generate};

use super::{CommandResult, Context, Failure, Outcome, command, install};

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
            context.print(&script);
            return Ok(Outcome::Clean);
        }
        let (path, hint) = place(self.shell)?;
        install::write(&path, &script)?;
        context.print(&format!("Wrote {}\n{hint}\n", path.display()));
        Ok(Outcome::Clean)
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

fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash(),
        Shell::Zsh => generated(Generator::Zsh),
        Shell::Fish => generated(Generator::Fish) + FISH_BRIDGE,
    }
}

fn generated(generator: Generator) -> String {
    let mut script = Vec::new();
    generate(generator, &mut command(), "git-sq", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Hands what stands behind `git sq` to the completions of `git-sq`.
const FISH_BRIDGE: &str = "
function __fish_git_sq
    set -l words (commandline -opc) (commandline -ct)
    while set -q words[1]; and test \"$words[1]\" != sq
        set -e words[1]
    end
    set -e words[1]
    complete -C \"git-sq $words\"
end
complete -c git -n '__fish_git_using_command sq' -f -a '(__fish_git_sq)'
";

/// Git's completion calls `_git_sq`, with the words in `words` and the place of `sq` in `__git_cmd_idx`.
fn bash() -> String {
    let mut root = command();
    root.build();
    let (mut commands, mut options) = (String::new(), String::new());
    collect("", &root, &mut commands, &mut options);
    let mut cases = String::new();
    for (name, lines) in [("commands", commands), ("options", options)] {
        cases.push_str(&format!(
            "__git_sq_{name} ()\n{{\n\tcase \"$1\" in\n{lines}\tesac\n}}\n"
        ));
    }
    format!(
        "# Completes `git sq` through git's own completion.\n\
         _git_sq ()\n\
         {{\n\
         \tlocal path=\"\" i word\n\
         \tfor ((i = __git_cmd_idx + 1; i < cword; i++)); do\n\
         \t\tword=\"${{words[i]}}\"\n\
         \t\tcase \"$word\" in -*) continue ;; esac\n\
         \t\tcase \" $(__git_sq_commands \"$path\") \" in\n\
         \t\t*\" $word \"*) path=\"$path $word\" ;;\n\
         \t\tesac\n\
         \tdone\n\
         \tcase \"$cur\" in\n\
         \t-*) __gitcomp \"$(__git_sq_options \"$path\")\" ;;\n\
         \t*) __gitcomp \"$(__git_sq_commands \"$path\")\" ;;\n\
         \tesac\n\
         }}\n\
         {cases}"
    )
}

fn collect(path: &str, command: &clap::Command, commands: &mut String, options: &mut String) {
    let subs = || command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let names: Vec<&str> = subs().map(clap::Command::get_name).collect();
    let positional = command
        .get_positionals()
        .flat_map(clap::Arg::get_possible_values);
    let values: Vec<String> = positional
        .map(|value| value.get_name().to_owned())
        .collect();
    let words = names.iter().map(ToString::to_string).chain(values);
    let flags = command
        .get_opts()
        .chain(command.get_arguments().filter(|a| !a.is_positional()));
    let mut flags: Vec<String> = flags
        .filter_map(clap::Arg::get_long)
        .map(|long| format!("--{long}"))
        .collect();
    flags.sort();
    flags.dedup();
    let case = |words: &[String]| format!("\t\"{path}\") echo \"{}\" ;;\n", words.join(" "));
    commands.push_str(&case(&words.collect::<Vec<_>>()));
    options.push_str(&case(&flags));
    for sub in subs() {
        collect(
            &format!("{path} {}", sub.get_name()),
            sub,
            commands,
            options,
        );
    }
}
