//! Columns that line up: each is as wide as its widest cell, and the last one ends with the terminal.

use textwrap::core::display_width;

use super::Style;

/// Cells may have colours, but those of the last column, which may be cut.
#[derive(Default)]
pub struct Table {
    indent: usize,
    gap: usize,
    /// The columns whose cells end below each other.
    right: &'static [usize],
    wraps: bool,
    rows: Vec<(Vec<String>, Vec<String>)>,
}

impl Table {
    /// Columns two blanks apart, the last one cut.
    pub fn new() -> Self {
        Self { gap: 2, ..Self::default() }
    }

    /// Names with texts that are wrapped.
    pub fn labels() -> Self {
        Self { gap: 1, wraps: true, ..Self::default() }
    }

    #[must_use]
    pub fn indented(self, indent: usize) -> Self {
        Self { indent, ..self }
    }

    #[must_use]
    pub fn right(self, right: &'static [usize]) -> Self {
        Self { right, ..self }
    }

    pub fn row<const N: usize>(&mut self, cells: [String; N], last: impl Into<String>) {
        self.rows.push((cells.into(), vec![last.into()]));
    }

    /// A row whose last cell has several forms, the longest first: the first one that fits is shown.
    pub fn row_of_forms<const N: usize>(&mut self, cells: [String; N], forms: Vec<String>) {
        self.rows.push((cells.into(), forms));
    }

    pub fn text(&self, style: Style) -> String {
        let columns = self.rows.iter().map(|(cells, _)| cells.len()).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|(cells, _)| cells.get(column));
            cells.map(|cell| display_width(cell)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let others = self.indent
            + widths
                .iter()
                .filter(|&&width| width > 0)
                .map(|width| width + self.gap)
                .sum::<usize>();
        self.rows.iter().map(|row| self.line(row, &widths, others, style)).collect()
    }

    fn line(
        &self,
        (cells, forms): &(Vec<String>, Vec<String>),
        widths: &[usize],
        others: usize,
        style: Style,
    ) -> String {
        let mut line = " ".repeat(self.indent);
        for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
            if width == 0 {
                continue;
            }
            let blanks = " ".repeat(width - display_width(cell));
            let [before, after] =
                if self.right.contains(&column) { [&*blanks, ""] } else { ["", &*blanks] };
            line.extend([before, cell, after, &" ".repeat(self.gap)]);
        }
        let fits = |form: &&String| style.fit(form, others) == **form;
        let last = match forms.iter().find(fits).or(forms.last()) {
            Some(text) if self.wraps => style.wrap(text, others, others),
            Some(text) if forms.len() == 1 => style.fit(text, others),
            Some(text) => text.clone(),
            None => String::new(),
        };
        (line + &last).trim_end().to_owned() + "\n"
    }
}
