//! Pages for a browser: one file each, without scripts and requests, that can be read without their style.
//!
//! Here: `html`, in which all text is escaped; `frame`, what all pages have; a page is a file. Not here: figures.

mod card;
mod commit_url;
mod fleet;
mod frame;
mod grid;
mod html;
mod report;

pub use commit_url::CommitUrl;
pub use fleet::fleet_page;
pub use frame::{Tone, chip, frame, id_of_card, same_as, section, table, verdict};
pub use html::{Html, Tag, block, code, quoted, tag};
pub use report::report_page;
