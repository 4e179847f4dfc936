use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CommandResult, Context, Failure, Outcome, install};

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
            context.print(script);
            return Ok(Outcome::Clean);
        }
        let (path, hint) = place(self.shell)?;
        install::write(&path, script)?;
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

fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => FISH,
    }
}

/// Git's completion calls `_git_sq`, with the words in `words` and the place of `sq` in `__git_cmd_idx`. Readline takes a
/// `=` and a `:` for the end of a word. A word that the shell would read otherwise is quoted.
const BASH: &str = r#"# Completes `git sq` and `git-sq`; git's own completion has to be there.
_git_sq ()
{
	local word before="${cur%"${cur##*[=:]}"}"
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		word="${word#"$before"}"
		case "$word" in *[!A-Za-z0-9_~@%+=:,./-]*) printf -v word %q "$word" ;; esac
		case "$word" in *[/=]) ;; *) word="$word " ;; esac
		COMPREPLY+=("$word")
	done < <(__git sq complete -- "${words[@]:__git_cmd_idx+1:cword-__git_cmd_idx-1}" "$cur")
}

if ! declare -F __git_complete >/dev/null; then
	_completion_loader git 2>/dev/null
fi
if declare -F __git_complete >/dev/null; then
	__git_complete git-sq _git_sq
fi
"#;

/// Zsh's completion of git finds it by the name of the file.
const ZSH: &str = r#"#compdef git-sq
#description answer standing questions anew, and keep the answers

_git-sq ()
{
	local line word
	local -a whole begun
	for line in "${(@f)$(command git sq complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
		word=${line%%$'\t'*}
		line=${word//:/\\:}${${line#"$word"}/$'\t'/:}
		case $word in
			'') ;;
			*[/=]) begun+=($line) ;;
			*) whole+=($line) ;;
		esac
	done
	_describe -V 'git sq' whole -- begun -S ''
}

if [[ $funcstack[1] == _git-sq ]]; then
	_git-sq "$@"
else
	compdef _git-sq git-sq
fi
"#;

/// Fish treats a word that ends with `=` or `/` as unfinished.
const FISH: &str = r#"# Completes `git sq` and `git-sq`.
function __fish_git_sq
    git sq complete -- $argv (commandline -ct) 2>/dev/null
end
complete -c git-sq -f -k -a '(__fish_git_sq (commandline -opc)[2..-1])'
complete -c git -n '__fish_git_using_command sq' -f -k -a '(__fish_git_sq (commandline -opc | sed "1,/^sq\$/d"))'
"#;
