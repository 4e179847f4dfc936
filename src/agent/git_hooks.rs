//! The blocks that git's hooks get: put into a hook's text, found there, and taken out to the byte. Pure text.

/// A hook of git that carries the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitHook {
    PrePush,
    PostRewrite,
}

/// What a hook's text is, as far as a block is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookText {
    /// It has the block, as this version writes it.
    Current,
    /// It has a block of another version.
    Outdated,
    /// A shell script that can take the block.
    Shell,
    /// A program in another language, or a text without a first line of its own.
    Foreign,
    /// What lefthook generates, and would write over what others put there.
    Lefthook,
}

const BEGIN: &str = "# >>> git sq: `git sq init --undo` takes this block out >>>\n";
const END: &str = "# <<< git sq <<<\n";

/// What a hook begins with that has nothing but the block.
const SHEBANG: &str = "#!/bin/sh\n";

impl GitHook {
    pub const ALL: [Self; 2] = [Self::PrePush, Self::PostRewrite];

    /// Its name in git, and its word in `git sq hook`.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrePush => "pre-push",
            Self::PostRewrite => "post-rewrite",
        }
    }

    /// What it is good for, as the end of a sentence that begins with the hook.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::PrePush => "pushes the log along with your commits",
            Self::PostRewrite => "keeps entries with commits that are amended or rebased",
        }
    }

    /// The command, for a place where the hook's standard input is its own; it never fails, with the program or without.
    pub fn command(self) -> String {
        format!(
            "if command -v git-sq >/dev/null 2>&1; then git-sq hook {} \"$@\"; fi || :",
            self.name()
        )
    }

    /// The block. It hands the hook's standard input on, because what follows in the hook may want it too.
    fn block(self) -> String {
        let name = self.name();
        // Git sends whole lines or nothing; a shell's variable loses the last line feed, and a here-document adds one.
        format!(
            "{BEGIN}if command -v git-sq >/dev/null 2>&1; then
  git_sq_input=$(cat)
  if [ -n \"$git_sq_input\" ]; then
    printf '%s\\n' \"$git_sq_input\" | git-sq hook {name} \"$@\" || :
    exec <<git_sq_end
$git_sq_input
git_sq_end
  else
    git-sq hook {name} \"$@\" </dev/null || :
  fi
fi
{END}"
        )
    }

    /// Whether a text calls the program for this hook, in the block or however a person put it.
    pub fn is_called_in(self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text);
        let calls = ["git-sq", "git sq"].map(|program| format!("{program} hook {}", self.name()));
        code_lines(&text).any(|line| calls.iter().any(|call| line.contains(call)))
    }

    /// A whole hook that has nothing but the block.
    pub fn script(self) -> String {
        format!("{SHEBANG}{}", self.block())
    }

    /// What a hook's bytes are.
    pub fn look(self, bytes: &[u8]) -> HookText {
        let Ok(text) = str::from_utf8(bytes) else {
            return HookText::Foreign;
        };
        if text.contains(&self.block()) {
            return HookText::Current;
        }
        if text.contains(BEGIN) && text.contains(END) {
            return HookText::Outdated;
        }
        if code_lines(text).any(|line| line.contains("lefthook")) {
            return HookText::Lefthook;
        }
        if is_shell(text) && !runs_something_else(text) {
            HookText::Shell
        } else {
            HookText::Foreign
        }
    }

    /// A shell script with the block after its first line, so that no `exit` further down keeps it from running.
    pub fn chain(self, script: &str) -> Option<String> {
        let (first, rest) = script.split_once('\n')?;
        Some(format!("{first}\n{}{rest}", self.block()))
    }
}

/// A hook without the block, whichever version wrote it; None where there is none.
pub fn unchain(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(bytes).ok()?;
    let (before, block) = text.split_once(BEGIN)?;
    let (_, after) = block.split_once(END)?;
    Some(format!("{before}{after}").into_bytes())
}

/// Whether nothing is left of a hook that had nothing but the block.
pub fn is_bare(bytes: &[u8]) -> bool {
    bytes == SHEBANG.as_bytes()
}

/// The lines that are not comments.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with('#'))
}

/// Whether a script hands itself to another program at once, as Python and Tcl programs do that begin as a shell's.
fn runs_something_else(text: &str) -> bool {
    let words = |line: &str| line.contains("exec") && line.contains("$0");
    code_lines(text).take(5).any(words)
}

/// Whether the first line names a shell of the Bourne family, and a line feed ends it.
fn is_shell(text: &str) -> bool {
    let Some((line, _)) = text.split_once('\n') else {
        return false;
    };
    let Some(interpreter) = line.strip_prefix("#!") else {
        return false;
    };
    let mut words = interpreter.split_whitespace().map(|word| {
        let name = word.rsplit('/').next();
        name.unwrap_or(word)
    });
    let program = match words.next() {
        Some("env") => words.find(|word| !word.starts_with('-') && !word.contains('=')),
        other => other,
    };
    !line.ends_with('\r')
        && program.is_some_and(|name| ["sh", "bash", "dash", "ksh", "zsh"].contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_goes_in_and_comes_out_to_the_byte() {
        for script in [
            "#!/bin/sh\n",
            "#!/bin/sh\necho pushed",
            "#!/usr/bin/env -S bash -e\n\n\nexit 1\n",
            "#! /bin/dash -e\nwhile read -r a b c d; do echo \"$a\"; done\n",
        ] {
            for hook in GitHook::ALL {
                assert_eq!(hook.look(script.as_bytes()), HookText::Shell, "{script}");
                let chained = hook.chain(script).unwrap();
                assert_eq!(hook.look(chained.as_bytes()), HookText::Current);
                assert_eq!(unchain(chained.as_bytes()).unwrap(), script.as_bytes());
            }
        }
    }

    #[test]
    fn what_is_no_shell_script_is_left_alone() {
        let foreign: [&[u8]; 8] = [
            b"#!/bin/sh\n\"exec\" \"python3\" \"$0\" \"$@\"\nimport sys\n",
            b"#!/bin/sh\n# the next line restarts using tclsh\\\nexec tclsh \"$0\" \"$@\"\n",
            b"#!/usr/bin/env python3\nprint()\n",
            b"\x7fELF\x00\xff",
            b"echo no shebang\n",
            b"#!/bin/sh",
            b"#!/bin/sh\r\nexit 0\r\n",
            b"",
        ];
        for bytes in foreign {
            assert_eq!(GitHook::PrePush.look(bytes), HookText::Foreign);
            assert_eq!(unchain(bytes), None);
        }
        let comments = b"#!/bin/sh\n# no git-sq hook pre-push here, and no lefthook\n";
        assert_eq!(GitHook::PrePush.look(comments), HookText::Shell);
        assert!(!GitHook::PrePush.is_called_in(comments));
        let lefthook = b"#!/bin/sh\ncall_lefthook run \"pre-push\" \"$@\"\n";
        assert_eq!(GitHook::PrePush.look(lefthook), HookText::Lefthook);
    }
}
