//! A strict reader of pages: only known elements and attributes, each closed, and no text that could be one.

/// What the pages are made of; those without content are never closed.
const ALONE: [&str; 1] = ["meta"];
const ELEMENTS: [&str; 40] = [
    "html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section", "h1",
    "h2", "h3", "p", "div", "span", "b", "bdi", "code", "pre", "ul", "li", "dl", "dt", "dd",
    "details", "summary", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "a",
    "ol", "em", "small", "br",
];
const ATTRIBUTES: [&str; 16] = [
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "title",
    "scope",
    "role",
    "aria-label",
    "tabindex",
    "open",
    "href",
    "colspan",
    "rowspan",
    "id",
];

/// The texts between the elements, where the page keeps to the rules.
///
/// # Panics
/// With the place where it does not.
#[track_caller]
pub fn texts_of_page(page: &str) -> Vec<String> {
    let mut rest = page.strip_prefix("<!doctype html>\n").expect("a doctype");
    let (mut open, mut texts): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>') || open.last() == Some(&"style"), "{text}");
        texts.push(text.to_owned());
        let (tag, after) = after.split_once('>').expect("an end of the tag");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed too early: {tag}");
            continue;
        }
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(ELEMENTS.contains(&name), "an unknown element: {tag:?}");
        while !attributes.is_empty() {
            let (key, value) = attributes.split_once("=\"").expect(tag);
            assert!(ATTRIBUTES.contains(&key), "an unknown attribute: {tag:?}");
            let (value, more) = value.split_once('"').expect(tag);
            assert!(!value.contains('<'), "{tag:?}");
            assert!(key != "id" || value.starts_with("card-"), "an unknown id: {tag:?}");
            attributes = more.trim_start();
        }
        if !ALONE.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!((open, rest), (Vec::new(), "\n"));
    texts
}
