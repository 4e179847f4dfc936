# Completes `git sq` and `git-sq`; git's own completion has to be there.
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
