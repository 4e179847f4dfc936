//! Blocks of text under a limit: what matters most is kept, and what is left out is named.

use unicode_segmentation::UnicodeSegmentation;

/// A block of parts that can be left out from its end, and be shortened.
pub struct Section<'a> {
    /// 0 matters most.
    pub rank: u8,
    pub parts: usize,
    /// The rank of all parts but the first few, and how many those are; None where all rank alike.
    pub later: Option<(usize, u8)>,
    /// The block with so many of its parts, shortened or not; nothing for none.
    pub text: Box<dyn Fn(usize, Form) -> String + 'a>,
    /// What to say when so many parts were left out, without a line feed.
    pub left_out: Box<dyn Fn(usize) -> String + 'a>,
}

/// How much of each part is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Whole,
    Short,
}

/// Blocks that fit, in their order, and what to say of the parts that do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    pub texts: Vec<String>,
    pub left_out: Vec<String>,
}

/// The most characters of a part in its short form.
const SHORT: usize = 240;

impl Form {
    /// A text as this form shows it.
    pub fn clip(self, text: &str) -> String {
        self.clip_to(text, SHORT)
    }

    /// As [`clip`](Self::clip), with another length for the short form.
    pub fn clip_to(self, text: &str, most: usize) -> String {
        if self == Self::Whole || text.chars().nth(most).is_none() {
            return text.to_owned();
        }
        // Never within what people take for one character.
        let mut room = most - 1;
        let fits = |cluster: &&str| {
            let length = cluster.chars().count();
            let fits = length <= room;
            room = room.saturating_sub(length);
            fits
        };
        let kept: String = text.graphemes(true).take_while(fits).collect();
        kept + "…"
    }
}

/// Fits sections into `limit` characters, with room for what has to be said of parts that are left out: each line of
/// that takes `frame` characters besides its own.
///
/// First every section gets as many of its parts in short form as there is room for, the highest rank first; then,
/// again by rank, those that are complete are shown whole where there is room.
pub fn fit(sections: &[Section], limit: usize, frame: usize) -> Fitted {
    let length = |text: &str| text.chars().count();
    let whole: Vec<String> = sections
        .iter()
        .map(|section| (section.text)(section.parts, Form::Whole))
        .collect();
    if whole.iter().map(|text| length(text)).sum::<usize>() <= limit {
        let left_out = Vec::new();
        return Fitted {
            texts: whole,
            left_out,
        };
    }
    let told = sections.iter().filter(|section| section.parts > 0);
    let reserve: usize = told
        .map(|section| length(&(section.left_out)(section.parts)) + frame)
        .sum();
    let mut room = limit.saturating_sub(reserve);
    let mut texts = vec![String::new(); sections.len()];
    let mut kept = vec![0; sections.len()];
    let by_rank = by_rank(sections);
    for &(_, at, wanted) in &by_rank {
        let section = &sections[at];
        // What is kept so far makes room for more of the same.
        room += length(&texts[at]);
        let fits = |parts: usize| length(&(section.text)(parts, Form::Short)) <= room;
        // More parts are never shorter.
        let (mut most, mut too_many) = (kept[at], wanted + 1);
        while too_many - most > 1 {
            let middle = usize::midpoint(most, too_many);
            if fits(middle) {
                most = middle;
            } else {
                too_many = middle;
            }
        }
        if most > 0 {
            texts[at] = (section.text)(most, Form::Short);
            room -= length(&texts[at]);
            kept[at] = most;
        }
    }
    for &(_, at, _) in &by_rank {
        let grown = length(&whole[at]).saturating_sub(length(&texts[at]));
        if kept[at] == sections[at].parts && grown <= room {
            room -= grown;
            texts[at].clone_from(&whole[at]);
        }
    }
    let left_out = sections.iter().zip(&kept);
    let left_out = left_out.filter(|(section, kept)| **kept < section.parts);
    Fitted {
        left_out: left_out
            .map(|(section, kept)| (section.left_out)(section.parts - kept))
            .collect(),
        texts,
    }
}

/// The steps in which sections are filled: a rank, a section, and up to how many parts.
fn by_rank(sections: &[Section]) -> Vec<(u8, usize, usize)> {
    let mut steps = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        match section.later {
            Some((first, later)) if first < section.parts => {
                steps.extend([(section.rank, at, first), (later, at, section.parts)]);
            }
            _ => steps.push((section.rank, at, section.parts)),
        }
    }
    steps.sort_unstable();
    steps
}
