//! XML lists of games: elements of one name, each with texts in elements of its own.
//!
//! Launchers and front ends write such lists, and not all of them are well-formed: an `&` stands
//! unescaped in names, entities of HTML are used, another root stands next to the list. Such a text
//! is kept as it is meant; nothing of a list is left out silently. A document type is refused: no
//! list needs one, and what it may declare grows without bounds when it is resolved.

use std::borrow::Cow;

use quick_xml::{
    Reader,
    escape::resolve_html5_entity,
    events::{BytesStart, Event},
};
use serde::de::IgnoredAny;

/// Rows of a list that are read.
const ROWS: usize = 200_000;

/// One element of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The names of its elements, in lower case, with their trimmed texts, in their order.
    fields: Vec<(String, String)>,
    /// The names of its attributes, in lower case, with their trimmed texts.
    attributes: Vec<(String, String)>,
}

impl Row {
    /// The first text of an element that is not blank, by the first of these names that has one.
    pub fn first(&self, elements: &[&str]) -> &str {
        for element in elements {
            let named = |field: &&(String, String)| field.0 == *element && !field.1.is_empty();
            if let Some((_, text)) = self.fields.iter().find(named) {
                return text;
            }
        }
        ""
    }

    /// Every text of the elements of a name that is not blank.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = move |field: &&(String, String)| field.0 == name && !field.1.is_empty();
        self.fields.iter().filter(named).map(|field| field.1.as_str())
    }

    /// The names of its elements that are not blank.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(|field| !field.1.is_empty()).map(|field| field.0.as_str())
    }

    /// The text of an attribute of the row itself; blank without it.
    pub fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value.as_str())
    }
}

/// Which lists are read.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Names the root may have, in lower case.
    pub roots: &'static [&'static str],
    /// The name of a row, in lower case.
    pub row: &'static str,
    /// Whether rows stand directly below the root; else at any depth.
    pub direct: bool,
}

/// Why a text is no such list.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("it is not well-formed XML: {0}")]
    NotXml(#[source] Box<quick_xml::Error>),
    #[error("it is cut off")]
    CutOff,
    #[error("it is not a list that is known here")]
    NoList,
    #[error("it declares a document type")]
    Doctype,
    #[error("its root is {0:?}")]
    Root(String),
    #[error("it has too many rows")]
    TooMany,
}

/// Reads the rows of a list, one after the other, so that none has to be kept.
///
/// # Errors
/// [`Broken`], after the rows that stand before what is wrong.
pub fn each(text: &str, shape: Shape, take: &mut dyn FnMut(Row)) -> Result<(), Broken> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    let mut count = 0;
    let mut push = |row| {
        count += 1;
        if count > ROWS {
            return Err(Broken::TooMany);
        }
        take(row);
        Ok(())
    };
    let mut depth = 0_usize;
    // The open row with its depth, and the text of its element that is open.
    let mut row: Option<(usize, Row)> = None;
    let mut field: Option<(String, String)> = None;
    let mut roots = Roots::default();
    loop {
        match reader.read_event().map_err(|error| Broken::NotXml(Box::new(error)))? {
            Event::DocType(_) => return Err(Broken::Doctype),
            Event::Eof if depth == 0 && is_cut_json(text) => return Err(Broken::CutOff),
            Event::Eof if depth == 0 => return roots.end(),
            Event::Eof => return Err(Broken::CutOff),
            Event::Start(element) => {
                let name = element.local_name().as_ref().to_lowercase();
                let was_open = row.is_some();
                enter(&name, depth, shape, &mut roots, &mut row, &mut field)?;
                if let Some((_, open)) = row.as_mut().filter(|_| !was_open) {
                    open.attributes = attributes(&element);
                }
                depth += 1;
            }
            Event::Empty(element) => {
                let name = element.local_name().as_ref().to_lowercase();
                if depth == 0 {
                    enter(&name, depth, shape, &mut roots, &mut row, &mut field)?;
                } else if row.is_none() && roots.is_inside && is_row(&name, depth, shape) {
                    push(Row::default())?;
                }
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                match &mut row {
                    Some((at, _)) if *at == depth => {
                        if let Some((_, done)) = row.take() {
                            push(done)?;
                        }
                    }
                    Some((at, open)) if *at + 1 == depth => {
                        open.fields.extend(field.take().map(|(name, text)| {
                            let text = text.trim().to_owned();
                            (name, text)
                        }));
                    }
                    _ => {}
                }
            }
            Event::Text(text) => add(row.as_ref(), &mut field, depth, &with_line_feeds(&text)),
            Event::CData(text) => add(row.as_ref(), &mut field, depth, &with_line_feeds(&text)),
            Event::GeneralRef(name) => {
                let letter = name.resolve_char_ref().ok().flatten().map(String::from);
                let known = letter.as_deref().or_else(|| resolve_html5_entity(&name));
                // Not an entity: a name with `&` and, further on, `;`.
                let text = known.map_or_else(|| format!("&{};", &*name), plain_blanks);
                add(row.as_ref(), &mut field, depth, &text);
            }
            _ => {}
        }
    }
}

/// Whether a text is the beginning of a value of JSON, which lists of other kinds are.
fn is_cut_json(text: &str) -> bool {
    let is_begun = text.trim_start().starts_with(['{', '[']);
    is_begun && serde_json::from_str::<IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// A text with the line ends that XML gives it, whatever the file has. A carriage return that is meant is
/// written as `&#13;`.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        text.into()
    }
}

/// The elements at the top of a text. Exactly one is the list; what others hold is skipped.
#[derive(Default)]
struct Roots {
    has_list: bool,
    /// Whether the open one is the list.
    is_inside: bool,
    /// The first that is not the list.
    other: Option<String>,
}

impl Roots {
    fn enter(&mut self, name: &str, shape: Shape) -> Result<(), Broken> {
        self.is_inside = shape.roots.contains(&name);
        if !self.is_inside {
            self.other.get_or_insert_with(|| name.to_owned());
        } else if self.has_list {
            return Err(Broken::Root(name.to_owned()));
        }
        self.has_list |= self.is_inside;
        Ok(())
    }

    fn end(self) -> Result<(), Broken> {
        match self.other {
            _ if self.has_list => Ok(()),
            Some(name) => Err(Broken::Root(name)),
            None => Err(Broken::NoList),
        }
    }
}

fn attributes(element: &BytesStart<'_>) -> Vec<(String, String)> {
    let text = |value: &str| {
        let plain = quick_xml::escape::unescape(value).map(Cow::into_owned);
        plain.unwrap_or_else(|_| value.to_owned()).trim().to_owned()
    };
    let mut all = element.attributes();
    all.with_checks(false);
    all.flatten()
        .map(|one| (one.key.local_name().as_ref().to_lowercase(), text(&one.value)))
        .collect()
}

/// A blank that does not break is a blank: names are compared and typed with it.
fn plain_blanks(text: &str) -> String {
    text.replace('\u{a0}', " ")
}

fn is_row(name: &str, depth: usize, shape: Shape) -> bool {
    name == shape.row && depth >= 1 && (!shape.direct || depth == 1)
}

fn enter(
    name: &str,
    depth: usize,
    shape: Shape,
    roots: &mut Roots,
    row: &mut Option<(usize, Row)>,
    field: &mut Option<(String, String)>,
) -> Result<(), Broken> {
    if depth == 0 {
        roots.enter(name, shape)?;
    } else if !roots.is_inside {
        return Ok(());
    } else if let Some((at, _)) = row {
        if depth == *at + 1 {
            *field = Some((name.to_owned(), String::new()));
        }
    } else if is_row(name, depth, shape) {
        *row = Some((depth, Row::default()));
    }
    Ok(())
}

/// Adds text that stands directly in an element of the open row.
fn add(row: Option<&(usize, Row)>, field: &mut Option<(String, String)>, depth: usize, text: &str) {
    if let (Some((at, _)), Some((_, open))) = (row, field)
        && depth == at + 2
    {
        open.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIST: Shape = Shape { roots: &["gamelist", "game_list"], row: "game", direct: true };
    const ANY: Shape = Shape { roots: &["launchbox"], row: "game", direct: false };

    fn parse(text: &str, shape: Shape) -> Result<Vec<Row>, Broken> {
        let mut rows = Vec::new();
        each(text, shape, &mut |row| rows.push(row)).map(|()| rows)
    }

    #[test]
    fn rows_are_read_with_their_texts() {
        let text = "<?xml version=\"1.0\"?><GameList><game id=\"1\"><path>./a &amp; b.zip</path>\
            <Name> A &#233; <b>bold</b></Name><name>Second</name><desc><![CDATA[x < y]]></desc><empty/></game>\
            <folder><game><name>Inner</name></game></folder><game/></GameList>";
        let rows = parse(text, LIST).expect("a list");
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].first(&["path"]), rows[0].first(&["name"])), ("./a & b.zip", "A é"));
        assert_eq!((rows[0].first(&["x", "desc"]), rows[0].all("name").count()), ("x < y", 2));
        assert_eq!(rows[0].names().collect::<Vec<_>>(), ["path", "name", "name", "desc"]);
        assert_eq!(rows[1], Row::default());
        let any = "<LaunchBox><Games><Game><Title>A</Title></Game></Games><Game/></LaunchBox>";
        assert_eq!(parse(any, ANY).expect("a list").len(), 2);
        assert!(parse("<gameList/>", LIST).expect("a list").is_empty());
    }

    #[test]
    fn line_ends_are_those_of_xml() {
        let text = "<gameList>\r\n<game>\r\n<desc>one\r\ntwo\rthree\nfour&#13;</desc>\r\n\
            <name><![CDATA[a\r\nb]]></name></game></gameList>";
        let rows = parse(text, LIST).expect("a list");
        assert_eq!(rows[0].first(&["desc"]), "one\ntwo\nthree\nfour");
        assert_eq!(rows[0].first(&["name"]), "a\nb");
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><gameList/>";
        assert!(matches!(parse(bomb, LIST), Err(Broken::Doctype)));
        assert!(matches!(parse("<other/>", LIST), Err(Broken::Root(_))));
        assert!(matches!(parse("<gameList/><gameList/>", LIST), Err(Broken::Root(_))));
        for cut in ["<gameList><game>", "{\"items\": [", "["] {
            assert!(matches!(parse(cut, LIST), Err(Broken::CutOff)), "{cut}");
        }
        for other in ["", "   ", "no xml", "{}", "[]", "collection: NES\ngame: A", "PK\u{3}\u{4}"] {
            assert!(matches!(parse(other, LIST), Err(Broken::NoList)), "{other}");
        }
        assert!(matches!(parse("<gameList></game>", LIST), Err(Broken::NotXml(_))));
    }

    #[test]
    fn what_is_not_well_formed_is_read_as_it_is_meant() {
        let text = "<?xml version=\"1.0\"?><!-- a -- b -->\n<alternativeEmulator><label>X</label>\
            <game><name>No row</name></game></alternativeEmulator>\n<gameList><game><path>./Sonic & Knuckles.md</path>\
            <name>Q&A&nbsp;1 &eacute;&unknown; &#233;&#xZZ; R&amp;D; &</name><desc>A & B; C &&amp;</desc></game>\
            <game><path>./b</path></game></gameList>";
        let rows = parse(text, LIST).expect("a list");
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].first(&["path"]), "./Sonic & Knuckles.md");
        assert_eq!(rows[0].first(&["name"]), "Q&A 1 é&unknown; é&#xZZ; R&D; &");
        assert_eq!(rows[0].first(&["desc"]), "A & B; C &&");
        assert!(matches!(parse("<a/><other/>", LIST), Err(Broken::Root(name)) if name == "a"));
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "(<gameList>|<game>|</game>|<name>|</name>|&|;|<!|\\]|a|<|>){0,40}") {
            for shape in [LIST, ANY] {
                drop(parse(&text, shape));
            }
        }

        #[test]
        fn texts_come_back(name in "[ -~é]{1,30}", path in "[ -~]{1,30}") {
            let escape = |text: &str| quick_xml::escape::escape(text).into_owned();
            let text = format!(
                "<gameList><game><name>{}</name><path>{}</path></game></gameList>",
                escape(&name), escape(&path),
            );
            let rows = parse(&text, LIST).expect("a list");
            prop_assert_eq!(rows[0].first(&["name"]), name.trim());
            prop_assert_eq!(rows[0].first(&["path"]), path.trim());
        }
    }
}
