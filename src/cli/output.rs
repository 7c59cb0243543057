//! What a command prints: tables within the width of the terminal, or JSON.
//!
//! Texts of the library come from files and servers, so control sequences of terminals are never printed. A
//! terminal that does not show UTF-8 gets question marks; a pipe always gets UTF-8.

use std::io::{self, IsTerminal as _, Write};

use rustix::termios::tcgetwinsize;
use serde_json::Value;

/// Columns of a terminal that does not say how many it has.
const COLUMNS: usize = 80;
/// The narrowest a column is made.
const NARROWEST: usize = 8;
/// Blanks between two columns.
const GAP: usize = 2;

/// How text is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of a line; `None` when lines may be as long as they are.
    pub width: Option<usize>,
    /// Whether colours are shown.
    pub has_color: bool,
    /// Whether characters beyond ASCII are shown.
    pub is_unicode: bool,
}

/// The colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    Plain,
    Bold,
    Green,
    Yellow,
    Red,
}

/// Standard output in a style.
pub struct Output {
    out: Box<dyn Write>,
    style: Style,
}

impl Style {
    /// Neither colours nor a width.
    pub const PLAIN: Self = Self { width: None, has_color: false, is_unicode: true };

    /// The style for an output, from the environment. `variable` reads a variable; `columns` are those of
    /// the terminal, `None` when it is not a terminal.
    pub fn of(variable: &dyn Fn(&str) -> Option<String>, columns: Option<usize>) -> Self {
        let named = variable("COLUMNS").and_then(|text| text.parse::<usize>().ok());
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| is_set(name));
        let locale = locale.and_then(variable).unwrap_or_default().to_ascii_lowercase();
        let is_dumb = variable("TERM").is_none_or(|term| term == "dumb");
        let is_terminal = columns.is_some();
        Self {
            width: named.filter(|width| *width > 0).or(columns),
            has_color: is_terminal && !is_set("NO_COLOR") && !is_dumb,
            is_unicode: !is_terminal || locale.contains("utf-8") || locale.contains("utf8"),
        }
    }

    /// A text without what steers a terminal: one line, no control characters, no changes of direction.
    pub fn clean(self, text: &str) -> String {
        let steers = |sign: char| {
            sign.is_control()
                || matches!(sign, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let shown = |sign: char| match sign {
            sign if steers(sign) => ' ',
            sign if !self.is_unicode && !sign.is_ascii() => '?',
            sign => sign,
        };
        text.chars().map(shown).collect()
    }

    /// A text of at most `width` columns; what is cut ends in dots.
    fn fitted(self, text: &str, width: usize) -> String {
        let text = self.clean(text);
        if columns(&text) <= width {
            return text;
        }
        let dots = if self.is_unicode { "\u{2026}" } else { "..." };
        let most = width.saturating_sub(columns(dots));
        let mut used = 0;
        let fits = |sign: &char| {
            used += columns_of(*sign);
            used <= most
        };
        let kept: String = text.chars().take_while(fits).collect();
        format!("{}{dots}", kept.trim_end())
    }

    fn colored(self, color: Color, text: &str) -> String {
        let code = match color {
            Color::Plain => return text.to_owned(),
            Color::Bold => 1,
            Color::Green => 32,
            Color::Yellow => 33,
            Color::Red => 31,
        };
        if self.has_color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// The lines of a table. The first column gives way when the lines would be too long.
    fn lines(self, head: &[&str], rows: &[Vec<String>]) -> Vec<String> {
        let width_of = |at: usize| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            let widest = cells.map(|cell| columns(&self.clean(cell))).max().unwrap_or(0);
            widest.max(columns(head[at]))
        };
        let mut widths: Vec<usize> = (0..head.len()).map(width_of).collect();
        if let Some(width) = self.width {
            for column in 0..widths.len() {
                let all = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
                let excess = all.saturating_sub(width);
                widths[column] -= excess.min(widths[column].saturating_sub(NARROWEST));
            }
        }
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for (at, cell) in cells.enumerate() {
                let cell = self.fitted(cell, widths[at]);
                let missing = widths[at].saturating_sub(columns(&cell)) + GAP;
                line.push_str(&cell);
                line.extend(std::iter::repeat_n(' ', missing));
            }
            line.truncate(line.trim_end().len());
            line
        };
        let head = self.colored(Color::Bold, &line(&mut head.iter().copied()));
        let rows = rows.iter().map(|row| line(&mut row.iter().map(String::as_str)));
        [head].into_iter().chain(rows).collect()
    }
}

impl Output {
    /// Standard output.
    pub fn standard() -> Self {
        let out = io::stdout();
        let columns = out.is_terminal().then(|| {
            let size = tcgetwinsize(&out).ok().map(|size| usize::from(size.ws_col));
            size.filter(|columns| *columns > 0).unwrap_or(COLUMNS)
        });
        let style = Style::of(&|name| std::env::var(name).ok(), columns);
        Self { out: Box::new(io::BufWriter::new(out.lock())), style }
    }

    /// Prints a line of text.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.colored(Color::Plain, "", text)
    }

    /// Prints a line with a coloured beginning.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn colored(&mut self, color: Color, begin: &str, rest: &str) -> io::Result<()> {
        let begin = self.style.colored(color, &self.style.clean(begin));
        writeln!(self.out, "{begin}{}", self.style.clean(rest))
    }

    /// Prints a text of several lines as it stands.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Prints a table with a head; nothing but `empty` when it has no rows.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>], empty: &str) -> io::Result<()> {
        if rows.is_empty() {
            return self.line(empty);
        }
        for line in self.style.lines(head, rows) {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    /// Prints JSON, indented, with everything beyond ASCII escaped where it could not be shown.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn json(&mut self, value: &Value) -> io::Result<()> {
        let text = format!("{value:#}");
        if self.style.is_unicode {
            return writeln!(self.out, "{text}");
        }
        let mut units = [0; 2];
        for sign in text.chars() {
            if sign.is_ascii() {
                write!(self.out, "{sign}")?;
                continue;
            }
            for unit in sign.encode_utf16(&mut units) {
                write!(self.out, "\\u{unit:04x}")?;
            }
        }
        writeln!(self.out)
    }

    /// Prints what waits.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Columns that a text takes on a terminal.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Columns of a character: none for one that joins the one before it, two for a wide one.
fn columns_of(sign: char) -> usize {
    match u32::from(sign) {
        0x300..=0x36f | 0x200b..=0x200d | 0x20d0..=0x20f0 | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xa960..=0xa97c
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style::PLAIN;

    fn style(variables: &[(&str, &str)], columns: Option<usize>) -> Style {
        let find = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Style::of(&find, columns)
    }

    #[test]
    fn the_style_follows_terminal_and_environment() {
        assert_eq!(style(&[], None), PLAIN);
        assert_eq!(style(&[("LANG", "C"), ("TERM", "xterm")], None), PLAIN, "a pipe gets UTF-8");
        let colored = Style { width: Some(120), has_color: true, is_unicode: true };
        let usual = [("LANG", "de_DE.UTF-8"), ("TERM", "xterm")];
        assert_eq!(style(&usual, Some(120)), colored);
        let plain = Style { has_color: false, ..colored };
        assert_eq!(style(&[usual[0], usual[1], ("NO_COLOR", "1")], Some(120)), plain);
        assert_eq!(style(&[usual[0], ("TERM", "dumb")], Some(120)), plain);
        let ascii = Style { is_unicode: false, ..colored };
        assert_eq!(style(&[("LC_ALL", "POSIX"), usual[0], usual[1]], Some(120)), ascii);
        assert_eq!(style(&[("COLUMNS", "40")], None).width, Some(40));
        assert_eq!(style(&[("COLUMNS", "wide")], Some(90)).width, Some(90));
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(PLAIN.clean("a\u{1b}[31m\nb\u{202e}c\u{9b}"), "a [31m b c ");
        let ascii = Style { is_unicode: false, ..PLAIN };
        assert_eq!(ascii.clean("Étoile 忍"), "?toile ?");
        assert_eq!(ascii.fitted("Étoile", 5), "?t...");
    }

    #[test]
    fn a_table_fits_the_width_and_wide_characters_count_twice() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let rows = [row(["忍者の長い名前のゲーム", "NES"]), row(["Short", "SNES"])];
        let narrow = Style { width: Some(16), ..PLAIN };
        let lines = narrow.lines(&["NAME", "ON"], &rows);
        assert_eq!(lines, ["NAME        ON", "忍者の長…   NES", "Short       SNES"]);
        assert!(lines.iter().all(|line| columns(line) <= 16));
        let wide = PLAIN.lines(&["NAME", "ON"], &rows);
        assert_eq!(columns(wide[1].as_str()), 22 + GAP + 3);
        let colored = Style { has_color: true, ..PLAIN }.lines(&["A"], &[]);
        assert_eq!(colored, ["\u{1b}[1mA\u{1b}[0m"]);
    }
}
