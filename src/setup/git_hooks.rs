//! The block that a hook of git's gets: put into its text, found there, and taken out to the byte.

/// A hook of git that carries the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitHook {
    PrePush,
    PostRewrite,
}

/// What a hook's text is, as far as the block is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookText {
    /// It has the block, as this version writes it.
    Current,
    /// It has a block of another version.
    Outdated,
    /// A shell script that can take the block.
    Shell,
    /// A script that lefthook generates anew.
    Lefthook,
    /// A program in another language.
    Foreign,
}

const BEGIN: &str = "# >>> git sq: `git sq init --undo` takes this block out >>>\n";
const END: &str = "# <<< git sq <<<\n";

/// The first line of a hook that has nothing but the block.
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

    /// What it does for the log, as the rest of a sentence that begins with "it".
    pub fn purpose(self) -> &'static str {
        match self {
            Self::PrePush => "publishes the log after your pushes",
            Self::PostRewrite => "keeps entries with commits that are amended or rebased",
        }
    }

    /// The command for a script. It never fails, with the program or without.
    ///
    /// A push is looked at when it has ended, so its list of refs is left to the user's guard.
    pub fn command(self) -> String {
        let input = match self {
            Self::PrePush => " </dev/null",
            Self::PostRewrite => "",
        };
        let name = self.name();
        format!(
            "if command -v git-sq >/dev/null 2>&1; then git-sq hook {name} \"$@\"{input}; fi || :"
        )
    }

    /// Where that command goes in a script, as the rest of a sentence.
    pub fn place(self) -> &'static str {
        match self {
            Self::PrePush => "",
            Self::PostRewrite => ", before anything reads standard input, which it uses up",
        }
    }

    /// The block.
    fn block(self) -> String {
        let part = match self {
            Self::PrePush => self.command(),
            Self::PostRewrite => self.after_reading(),
        };
        format!("{BEGIN}{part}\n{END}")
    }

    /// Reads standard input, gives it to the program, and runs the hook once more with the same input and a mark as its
    /// first argument, so that the rest of the hook gets what it would have got.
    ///
    /// A here-document would do without the second run, but a shell may need a temporary file for it. A `printf` that is
    /// no builtin is no use: a long list of commits is too long for an argument. Where anything is missing the rest runs
    /// as if there were no block.
    fn after_reading(self) -> String {
        let name = self.name();
        format!(
            "if [ \"${{1-}}\" = --after-git-sq ]; then
  shift
elif command -v git-sq >/dev/null 2>&1 && [ \"$(command -v printf)\" = printf ] &&
  [ \"${{0#*/}}\" != \"$0\" ] && [ -x \"$0\" ] && git_sq_input=$(cat && echo .); then
  git_sq_input=${{git_sq_input%.}}
  printf %s \"$git_sq_input\" 2>/dev/null | git-sq hook {name} \"$@\" || :
  {{ trap '' PIPE; printf %s \"$git_sq_input\" 2>/dev/null || :; }} | \"$0\" --after-git-sq \"$@\"
  exit
fi"
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

    pub fn classify(self, bytes: &[u8]) -> HookText {
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
            // It would overwrite the block.
            HookText::Lefthook
        } else if is_shell(text) && !runs_something_else(text) {
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

/// Whether what is left without the block is the first line of a hook that had nothing else.
pub fn is_bare(bytes: &[u8]) -> bool {
    bytes == SHEBANG.as_bytes()
}

/// The lines that are not comments.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with('#'))
}

/// Whether a script at once lets another program run it, as polyglots of Python and Tcl do.
fn runs_something_else(text: &str) -> bool {
    let hands_over = |line: &str| line.contains("exec") && line.contains("$0");
    code_lines(text).take(5).any(hands_over)
}

/// Whether the first line names a shell of the Bourne family and is ended by a line feed.
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
                assert_eq!(
                    hook.classify(script.as_bytes()),
                    HookText::Shell,
                    "{script}"
                );
                let chained = hook.chain(script).unwrap();
                assert_eq!(hook.classify(chained.as_bytes()), HookText::Current);
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
            assert_eq!(GitHook::PrePush.classify(bytes), HookText::Foreign);
            assert_eq!(unchain(bytes), None);
        }
        let comments = b"#!/bin/sh\n# no git-sq hook pre-push here, and no lefthook\n";
        assert_eq!(GitHook::PrePush.classify(comments), HookText::Shell);
        assert!(!GitHook::PrePush.is_called_in(comments));
        let lefthook = b"#!/bin/sh\ncall_lefthook run \"pre-push\" \"$@\"\n";
        assert_eq!(GitHook::PrePush.classify(lefthook), HookText::Lefthook);
    }
}
