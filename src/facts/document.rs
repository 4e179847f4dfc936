//! A document: what it is for, its lines, and the words around a place in it.

use std::collections::BTreeSet;

use super::tree::{Tree, pattern};
use crate::{
    evidence,
    git::{self, Oid},
};

/// README, CONTRIBUTING, and documents for agents: what a reader meets first.
const ENTRANCES: &str = r"(?i)(^|/)(readme|contributing)([._-][^/]*)?\.(md|mdx|markdown|mdown|mkdn?|rst|adoc|txt)$|(^|/)README$";
const AGENTS: &str = r"(^|/)(AGENTS?|CLAUDE|GEMINI)\.md$|^\.github/copilot-instructions\.md$|^\.github/instructions/.*\.md$|^\.cursor/rules/|^\.(cursor|windsurf|cline)rules$";
pub const OTHERS: &str = r"(?i)\.(md|mdx|markdown|mdown|mkdn?|rst|adoc)$";
const README: &str = r"(?i)(^|/)readme[^/]*$";

/// Documents of what was true on one day.
pub const NEWS: &str = r"(?i)(^|/)(changelogs?|changes|history|news|releases?|release[-_ ]?notes?|whats?[-_ ]?new|migrat\w*|upgrad\w*|roadmap|todo|posts|_posts|articles)([._/-]|$)";

/// In a sentence with these words, a path may be named because it is absent, or as a sample.
const TOLD: &str = r"(?i-u)\b(optional(ly)?|no longer|not? longer|remov(e|ed|es|al|ing)|delet(e|ed|es|ing)|drop(s|ped)?|does(n't| not) (use|exist)|do not (use|exist)|instead|rather than|used to|mov(e|ed|es|ing)|renam(e|ed|es|ing)|former(ly)?|previous(ly)?|original(ly)?|histor(y|ic|ical|ically)|was|were|would|could|break(s|ing)?|replac(e|ed|es|ing)|deprecated|legacy|obsolete|old|superseded|retired|gone|missing|absent|migrat(e|ed|es|ing|ion)|merged into|folded into|split (into|from)|extracted|ported|inspired|based on|adapted|borrowed|copied|taken from|credits?|thanks|courtesy|upstream|e\.g\.|for example|examples?:|such as|like|naming|conventions?|usually|typically|hypothetical|generat(e|ed|es)|gitignored?|ignored|untracked|bring(ing)? back|if (it |they |one |you )?(present|exists?|have|has|want|need)|created?|creates|creating|will be|not yet|planned|future)(\W|$)";

/// The end of a span of code, and words after it that name what took its place.
const TAKEN: &str = r"(?-u)^[^`\n]*`+\s+(is|are)\s+now\s+((called|named|in|at)\s+)?[`\[]";

/// A link in a sentence with these words may be to what is yet to be made; much else will be.
const TO_MAKE: &str = r"(?i-u)\b((creat(e|es|ed|ing)|generat(e|es|ed|ing)|will be (added|written|published)|not yet|planned|placeholder)(\W|$)|add(ing)? ((an?|the|your|own|new) )*\[)";

/// Other files for people, and those with such an ending that programs read.
const PROSE: &str = r"(?i)\.(rdoc|asciidoc|org|tex|html?|txt)$|(^|/)(contributing|install|changelog|changes|news|history)$";
const READ: &str = r"(?i)(^|/)(cmakelists|version|[^/]*(requirements|constraints)[^/]*)\.txt$";

/// Words after which one case of many stands.
const SAMPLE: &str = r"(?i-u)\b(following examples?|for example|for instance|e\.g\.)";

/// A command in a block of code, with what it prints below; the second one is a quotation elsewhere.
const PROMPT: &str = r"(?-u)^\s*(?:[\w.@~/:()\[\]-]*\$|%)\s+\S";
const ARROW: &str = r"(?-u)^\s*\w*>{1,3}\s+\S";

/// A file without a folder is the reader's own, beside such words.
const YOURS: &str = r"(?i-u)\b(my|your|yours|their|users?)\b";

/// Bytes before and after a place beyond which no sentence of it goes on: a paragraph of links has thousands.
const FAR: usize = 1000;

/// Under such a heading, too.
const PAST: &str = r"(?i-u)\b(histor(y|ical)|changelog|changes|migrat\w+|credits?|acknowledg\w+|deprecated|removed|legacy|roadmap|planned|future)\b";

pub struct Document {
    pub file: String,
    pub is_for_agents: bool,
    /// README, CONTRIBUTING and the like, and what is for agents.
    pub is_entrance: bool,
    /// A changelog, or news.
    pub is_news: bool,
    pub blob: Oid,
    pub text: String,
}

/// A line of a document.
pub struct Line<'d> {
    /// Counted from 1.
    pub number: usize,
    pub text: &'d str,
    /// In a block of code.
    pub is_code: bool,
    /// By a command above it.
    pub is_printed: bool,
    /// The number of its block, and where it begins there.
    block: usize,
    start: usize,
}

/// The lines of a document, and its blocks: paragraphs, items of lists, rows of tables, headings.
pub struct Lines<'d> {
    pub lines: Vec<Line<'d>>,
    blocks: Vec<Block>,
}

#[derive(Default)]
struct Block {
    text: String,
    heading: String,
    /// The text that introduces the list or the code that it is part of.
    intro: String,
}

impl Document {
    /// The documents of the project itself.
    pub fn all(tree: &Tree) -> git::Result<Vec<Self>> {
        let [entrances, agents, news, readme] = [ENTRANCES, AGENTS, NEWS, README].map(pattern);
        let (entrances, agents, news, readme) = (entrances?, agents?, news?, readme?);
        let all = format!("{ENTRANCES}|{AGENTS}|{OTHERS}");
        let own: BTreeSet<&String> = tree.own(&all)?.into_iter().collect();
        let mut documents = Vec::new();
        for file in tree.own_or_samples(&all)? {
            if !own.contains(file) && !readme.is_match(file.as_bytes()) {
                continue;
            }
            let Some((blob, text)) = tree.read(file)? else { continue };
            let is_for_agents = agents.is_match(file.as_bytes());
            documents.push(Self {
                is_for_agents,
                is_entrance: is_for_agents || entrances.is_match(file.as_bytes()),
                is_news: news.is_match(file.as_bytes()),
                blob,
                text: without_comments(&text),
                file: file.clone(),
            });
        }
        Ok(documents)
    }

    pub fn lines(&self) -> git::Result<Lines<'_>> {
        let mut blocks = vec![Block::default()];
        let mut lines = Vec::new();
        let (mut heading, mut intro) = (String::new(), String::new());
        let mut is_open = false;
        let printed = printed(&self.file, &self.text)?;
        for (number, (text, is_code)) in (1..).zip(lines_and_code(&self.file, &self.text)) {
            let trimmed = words(text);
            let is_heading = trimmed.starts_with('#');
            let begins = is_heading || is_item(trimmed) || trimmed.starts_with('|');
            if is_code || trimmed.is_empty() || !is_open || begins {
                let last = blocks.last().map_or("", |block| block.text.trim_end());
                if last.ends_with(':') {
                    last.clone_into(&mut intro);
                }
                if is_heading && !is_code {
                    trimmed.clone_into(&mut heading);
                    intro.clear();
                } else if !trimmed.is_empty() && !begins && !is_code && !last.is_empty() {
                    intro.clear();
                }
                blocks.push(Block {
                    text: String::new(),
                    heading: heading.clone(),
                    intro: intro.clone(),
                });
            }
            is_open = !is_code && !trimmed.is_empty() && !is_heading;
            let block = blocks.len() - 1;
            let held = &mut blocks[block].text;
            let (is_printed, start) = (printed[number - 1], held.len());
            lines.push(Line { number, text, is_code, is_printed, block, start });
            if !is_code {
                *held += text;
                held.push('\n');
            }
        }
        Ok(Lines { lines, blocks })
    }
}

impl Lines<'_> {
    /// True if the words of its sentence, or what introduces it, say that what is named at a column need not be there.
    pub fn is_told(&self, line: &Line, column: usize, is_bare: bool) -> git::Result<bool> {
        let block = &self.blocks[line.block];
        let [told, yours, past] = [pattern(TOLD)?, pattern(YOURS)?, pattern(PAST)?];
        let (at, taken) = (line.start + column, pattern(TAKEN)?);
        let sentence = without_code(sentence(&block.text, at));
        Ok(told.is_match(sentence.as_bytes())
            || taken.is_match(&block.text.as_bytes()[at.min(block.text.len())..])
            || is_bare && yours.is_match(sentence.as_bytes())
            || told.is_match(without_code(&block.intro).as_bytes())
            || past.is_match(block.heading.as_bytes()))
    }

    /// True if the words of its sentence say that the reader, or somebody else, is to make what is linked at a column.
    pub fn is_to_make(&self, line: &Line, column: usize) -> git::Result<bool> {
        let sentence = sentence(&self.blocks[line.block].text, line.start + column);
        Ok(pattern(TO_MAKE)?.is_match(without_code(sentence).as_bytes()))
    }
}

/// True if a file is for people, and not for programs.
pub fn is_prose(file: &str) -> bool {
    let matches = |files: &str| pattern(files).is_ok_and(|files| files.is_match(file.as_bytes()));
    [ENTRANCES, AGENTS, OTHERS, PROSE].into_iter().any(matches) && !matches(READ)
}

/// The lines of a file, and whether each is in a fence.
pub fn lines_and_code<'t>(file: &str, text: &'t str) -> Vec<(&'t str, bool)> {
    // A row of other marks underlines a heading.
    let fences = match file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "rst" | "txt" => &[][..],
        "adoc" => &['`'],
        _ => &['`', '~'],
    };
    evidence::lines_and_code(text, fences)
}

/// For each line of a file, true if a command printed it, as the prompt above says.
pub fn printed(file: &str, text: &str) -> git::Result<Vec<bool>> {
    let [prompt, arrow] = [pattern(PROMPT)?, pattern(ARROW)?];
    // The depth of the last prompt, whether it is in a fence, and whether its command goes on.
    let mut open: Option<(usize, bool, bool)> = None;
    let is_printed = |(line, is_code): (&str, bool)| {
        let trimmed = line.trim_start();
        if trimmed.is_empty() {
            return false;
        }
        let depth = line.len() - trimmed.len();
        let goes_on = line.ends_with('\\');
        let is_fence = is_code && (trimmed.starts_with("```") || trimmed.starts_with("~~~"));
        open =
            open.filter(|(from, in_fence, _)| !is_fence && depth >= *from && *in_fence == is_code);
        if (is_code || depth > 1) && prompt.is_match(line.as_bytes())
            || is_code && arrow.is_match(line.as_bytes())
        {
            open = Some((depth, is_code, goes_on));
            return false;
        }
        match &mut open {
            Some((.., is_command)) if *is_command => {
                *is_command = goes_on;
                false
            }
            open => open.is_some(),
        }
    };
    Ok(lines_and_code(file, text).into_iter().map(is_printed).collect())
}

/// For each line of a file, true if it shows one case of many: what a command printed, what stands behind such words in their
/// paragraph, and the code below it.
pub fn samples(file: &str, text: &str) -> git::Result<Vec<bool>> {
    let sample = pattern(SAMPLE)?;
    let (mut is_told, mut is_open) = (false, false);
    let is_sample = |((line, is_code), is_printed): ((&str, bool), bool)| {
        let trimmed = words(line);
        let is_block = is_code
            || !is_open && (line.starts_with("    ") || line.starts_with('\t'))
            // Above code in reStructuredText.
            || trimmed.starts_with(".. ");
        let is_prose = !is_block && !trimmed.is_empty();
        if is_prose {
            is_told &= is_open && !is_item(trimmed) && !trimmed.starts_with('#');
            is_told |= sample.is_match(line.as_bytes());
        }
        is_open = is_prose;
        is_printed || is_told
    };
    let lines = lines_and_code(file, text).into_iter();
    Ok(lines.zip(printed(file, text)?).map(is_sample).collect())
}

/// A line without its depth and the marks of a quotation.
fn words(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>'])
}

/// The spans of code on a line, and their columns. A span ends with as many backticks as it begins with.
pub fn spans(line: &str) -> Vec<(&str, usize)> {
    let ticks = line.match_indices('`').map(|(at, _)| at).collect::<Vec<_>>();
    let runs: Vec<&[usize]> = ticks.chunk_by(|one, two| one + 1 == *two).collect();
    let (mut spans, mut open) = (Vec::new(), 0);
    while let Some(run) = runs.get(open) {
        let end = runs[open + 1..].iter().position(|other| other.len() == run.len());
        let start = run[0] + run.len();
        if let Some(end) = end {
            spans.push((&line[start..runs[open + 1 + end][0]], start));
        }
        open += end.map_or(1, |end| end + 2);
    }
    spans
}

fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = rest.len() < line.len();
    let mark =
        if has_number { rest.strip_prefix(['.', ')']) } else { rest.strip_prefix(['-', '*', '+']) };
    mark.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// The part of a text around a place that ends where a capital letter follows a full stop.
pub fn sentence(text: &str, at: usize) -> &str {
    let at = at.min(text.len());
    let is_end = |at: &usize| text.is_char_boundary(*at);
    let from = (at.saturating_sub(FAR)..at).find(is_end).unwrap_or(at);
    let to = (at + FAR..text.len()).find(is_end).unwrap_or(text.len());
    let (text, at) = (&text[from..to], at - from);
    let is_end = |(stop, _): &(usize, &str)| {
        let after = text[stop + 1..].trim_start();
        after.len() < text.len() - stop - 1 && after.starts_with(char::is_uppercase)
    };
    let mut stops = text.match_indices(['.', '!', '?']).filter(is_end).map(|(stop, _)| stop + 1);
    let (mut from, mut to) = (0, text.len());
    if let Some(next) = stops.find(|&stop| {
        from = if stop <= at { stop } else { from };
        stop > at
    }) {
        to = next;
    }
    &text[from..to]
}

/// Code and targets of links are no words.
fn without_code(text: &str) -> String {
    let (mut words, mut from) = (String::new(), 0);
    for (code, at) in spans(text) {
        words += &text[from..at];
        from = at + code.len();
    }
    words += &text[from..];
    let mut rest = words.split("](");
    let first = rest.next().unwrap_or_default().to_owned();
    rest.fold(first, |text, part| text + "](" + part.split_once(')').map_or("", |(_, after)| after))
}

/// Comments of HTML become as many spaces, so that places stay.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let end = part.find("-->").map_or(part.len(), |end| end + 3);
        let blank = part[..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
        text + "    " + &blank.collect::<String>() + &part[end..]
    })
}
