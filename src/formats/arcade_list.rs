//! Lists of arcade sets: the XML an arcade emulator prints and the DAT files collectors share, as XML
//! or as text.
//!
//! They hold `machine` or `game` elements, software lists `software`; namespaces, document types and
//! everything else in them is ignored. A list of other games, whose names are titles, has no sets.

use std::collections::BTreeSet;

use quick_xml::{
    Reader,
    escape::resolve_html5_entity,
    events::{BytesStart, Event},
};

use super::{sheet_text, text_dat};

/// One set of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// Its short name, that of its archive.
    pub name: String,
    /// Its title; its short name when the list has no title.
    pub title: String,
    /// The set it is a variant of; blank for a parent.
    pub clone_of: String,
    /// The year of its release; blank when the list has none.
    pub year: String,
    /// Who made it, as the list has it; blank when it has none.
    pub maker: String,
    /// The files it shares with its parent.
    pub merged: BTreeSet<String>,
}

/// Why a text is not a list.
#[derive(Debug, thiserror::Error)]
pub enum NotAList {
    #[error("the list is not well-formed XML: {0}")]
    NotXml(#[from] quick_xml::Error),
    /// It ends inside an element, or nothing in it is one.
    #[error("the list is cut off")]
    Unfinished,
    #[error("the list names no sets")]
    NoSets,
}

/// The playable sets of a list in its order: no BIOS, no device, nothing that does not run.
///
/// # Errors
/// [`NotAList`] when the text is no XML, is cut off, or has no element that names a set.
pub fn parse(text: &str) -> Result<Vec<Set>, NotAList> {
    let sets = if text_dat::is_one(text) { parse_text(text) } else { parse_xml(text) }?;
    // The name of a set is that of its archive, one word; other collections are named by title.
    let is_other = |set: &Set| set.name.contains(char::is_whitespace);
    if !sets.is_empty() && sets.iter().all(is_other) {
        return Err(NotAList::NoSets);
    }
    Ok(sets)
}

/// The elements that are sets.
const SETS: [&str; 3] = ["machine", "game", "software"];

fn parse_text(text: &str) -> Result<Vec<Set>, NotAList> {
    let blocks = text_dat::parse(text).ok_or(NotAList::Unfinished)?;
    let mut has_sets = false;
    let mut sets = Vec::new();
    for (_, block) in blocks.iter().filter(|(key, _)| SETS.contains(&key.as_str())) {
        has_sets = true;
        let merged =
            block.blocks.iter().filter(|(key, rom)| key == "rom" && !rom.text("merge").is_empty());
        let set = Set {
            name: block.text("name").to_owned(),
            title: block.text("description").to_owned(),
            clone_of: block.text("cloneof").to_owned(),
            year: block.text("year").to_owned(),
            maker: block.text("manufacturer").to_owned(),
            merged: merged.map(|(_, rom)| rom.text("name").to_owned()).collect(),
        };
        finish(Some((set, block.text("runnable") != "no")), &mut sets);
    }
    if has_sets { Ok(sets) } else { Err(NotAList::NoSets) }
}

fn parse_xml(text: &str) -> Result<Vec<Set>, NotAList> {
    let mut reading = Reading::default();
    reading.take(text, false)?;
    reading.end()
}

/// The elements of a set whose text counts.
#[derive(Clone, Copy)]
enum Field {
    Title,
    Year,
    Maker,
}

impl Field {
    fn named(element: &str) -> Option<Self> {
        match element {
            "description" => Some(Self::Title),
            "year" => Some(Self::Year),
            "manufacturer" | "publisher" => Some(Self::Maker),
            _ => None,
        }
    }

    fn of(self, set: &mut Set) -> &mut String {
        match self {
            Self::Title => &mut set.title,
            Self::Year => &mut set.year,
            Self::Maker => &mut set.maker,
        }
    }
}

/// A list that is being read.
#[derive(Default)]
struct Reading {
    sets: Vec<Set>,
    open: Option<(Set, bool)>,
    /// The element whose text is read.
    field: Option<Field>,
    depth: usize,
    has_sets: bool,
}

impl Reading {
    /// Reads the next text. A piece of a list may end elements that began before it.
    fn take(&mut self, text: &str, is_piece: bool) -> Result<(), quick_xml::Error> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_dangling_amp = true;
        reader.config_mut().allow_unmatched_ends = is_piece;
        loop {
            let event = reader.read_event()?;
            match &event {
                Event::Start(_) => self.depth += 1,
                Event::End(_) => self.depth = self.depth.saturating_sub(1),
                Event::Eof => return Ok(()),
                _ => {}
            }
            self.see(event);
        }
    }

    fn see(&mut self, event: Event<'_>) {
        if let Event::Start(element) | Event::Empty(element) = &event {
            self.has_sets |= SETS.contains(&element.local_name().as_ref());
        }
        match event {
            Event::Start(element) => match element.local_name().as_ref() {
                "machine" | "game" | "software" => self.open = Some(begin(&element)),
                "rom" => take_rom(&element, self.open.as_mut()),
                name => self.field = Field::named(name).or(self.field),
            },
            Event::Empty(element) => match element.local_name().as_ref() {
                "machine" | "game" | "software" => finish(Some(begin(&element)), &mut self.sets),
                "rom" => take_rom(&element, self.open.as_mut()),
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                "machine" | "game" | "software" => finish(self.open.take(), &mut self.sets),
                name => self.field = self.field.filter(|_| Field::named(name).is_none()),
            },
            Event::Text(text) => {
                if let Some(field) = self.open_field() {
                    field.push_str(&text);
                }
            }
            Event::GeneralRef(name) => {
                if let Some(field) = self.open_field() {
                    field.extend(name.resolve_char_ref().ok().flatten());
                    field.push_str(resolve_html5_entity(&name).unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    /// The text of the set that the open element is about.
    fn open_field(&mut self) -> Option<&mut String> {
        let (set, _) = self.open.as_mut()?;
        Some(self.field?.of(set))
    }

    fn end(self) -> Result<Vec<Set>, NotAList> {
        match (self.depth, self.has_sets) {
            (1.., _) => Err(NotAList::Unfinished),
            (0, false) => Err(NotAList::NoSets),
            (0, true) => Ok(self.sets),
        }
    }
}

/// Bytes that are collected before they are read.
const PIECE: usize = 256 * 1024;

/// Reads the XML of a list while it arrives. Only its sets and the element that is not complete yet
/// are kept.
#[derive(Default)]
pub struct Pieces {
    rest: Vec<u8>,
    reading: Reading,
    kept: usize,
    error: Option<quick_xml::Error>,
}

impl Pieces {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.error.is_some() {
            return;
        }
        self.rest.extend_from_slice(bytes);
        if self.rest.len() < PIECE {
            return;
        }
        // A piece ends behind an element, so that no name and no text is cut.
        let ends = SETS.iter().filter_map(|name| {
            let end = format!("</{name}>");
            let at = self.rest.windows(end.len()).rposition(|bytes| bytes == end.as_bytes());
            at.map(|at| at + end.len())
        });
        if let Some(end) = ends.max() {
            let piece: Vec<u8> = self.rest.drain(..end).collect();
            self.read(&piece);
        }
    }

    fn read(&mut self, piece: &[u8]) {
        let before = self.reading.sets.len();
        self.error = self.reading.take(&sheet_text::decode(piece), true).err();
        let size = |set: &Set| {
            let merged: usize = set.merged.iter().map(String::len).sum();
            size_of::<Set>()
                + [&set.name, &set.title, &set.clone_of, &set.year, &set.maker]
                    .map(String::len)
                    .iter()
                    .sum::<usize>()
                + merged
        };
        self.kept += self.reading.sets[before..].iter().map(size).sum::<usize>();
    }

    /// Bytes that are kept.
    pub fn kept(&self) -> usize {
        self.kept + self.rest.len()
    }

    /// The playable sets of the list in its order.
    ///
    /// # Errors
    /// As [`parse`].
    pub fn finish(mut self) -> Result<Vec<Set>, NotAList> {
        if self.error.is_none() {
            let rest = std::mem::take(&mut self.rest);
            self.read(&rest);
        }
        match self.error {
            Some(error) => Err(error.into()),
            None => self.reading.end(),
        }
    }
}

fn begin(element: &BytesStart<'_>) -> (Set, bool) {
    let is = |key: &str, value: &str| attribute(element, key).is_some_and(|found| found == value);
    let is_playable = !is("runnable", "no") && !is("isbios", "yes") && !is("isdevice", "yes");
    let set = Set {
        name: attribute(element, "name").unwrap_or_default(),
        clone_of: attribute(element, "cloneof").unwrap_or_default(),
        ..Set::default()
    };
    (set, is_playable)
}

fn finish(open: Option<(Set, bool)>, sets: &mut Vec<Set>) {
    let Some((mut set, true)) = open else { return };
    if set.name.is_empty() {
        return;
    }
    if set.title.trim().is_empty() {
        set.title.clone_from(&set.name);
    }
    sets.push(set);
}

fn take_rom(element: &BytesStart<'_>, open: Option<&mut (Set, bool)>) {
    if let (Some((set, _)), Some(_)) = (open, attribute(element, "merge")) {
        set.merged.extend(attribute(element, "name"));
    }
}

fn attribute(element: &BytesStart<'_>, key: &str) -> Option<String> {
    let found =
        element.attributes().flatten().find(|each| each.key.local_name().as_ref() == key)?;
    let text: &str = &found.value;
    Some(quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), Into::into))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIST: &str = r#"<?xml version="1.0"?>
        <!DOCTYPE mame [<!ELEMENT mame (machine+)>]>
        <m:mame xmlns:m="urn:x" build="0.1">
          <m:machine name="pac"><description>Pac &amp; Man &#39;80</description><year>1980</year><manufacturer>N &amp; M</manufacturer><rom name="a.bin"/></m:machine>
          <machine name="pacb" cloneof="pac"><description/><rom name="a.bin" merge="a.bin"/><rom name="b.bin"/></machine>
          <machine name="neobios" isbios="yes"/><machine name="dev" isdevice="yes"></machine>
          <machine name="broken" runnable="no"/><machine/>
          <game name="old"><description>Old</description></game>
        </m:mame>"#;

    #[test]
    fn reads_what_can_be_played() {
        let sets = parse(LIST).expect("XML");
        let shown: Vec<_> = sets
            .iter()
            .map(|set| {
                (set.name.as_str(), set.title.as_str(), set.clone_of.as_str(), set.merged.len())
            })
            .collect();
        assert_eq!(
            shown,
            [("pac", "Pac & Man '80", "", 0), ("pacb", "pacb", "pac", 1), ("old", "Old", "", 0)]
        );
        assert_eq!((sets[0].year.as_str(), sets[0].maker.as_str()), ("1980", "N & M"));
    }

    #[test]
    fn a_list_is_read_while_it_arrives() {
        let machine = |number: usize| {
            format!(
                "<machine name=\"m{number}\" cloneof=\"p\"><description>M &amp; {number}</description>\
                 <rom name=\"a\" merge=\"a\"/><dipswitch name=\"{}\"/></machine>",
                "x".repeat(1_200)
            )
        };
        let machines: String = (0..2_000).map(machine).collect();
        let list = format!("<?xml version=\"1.0\"?><mame build=\"0.1\">{machines}</mame>");
        let expected = parse(&list).expect("a list");
        let mut pieces = Pieces::default();
        let mut most = 0;
        for bytes in list.as_bytes().chunks(1_000) {
            pieces.push(bytes);
            most = most.max(pieces.kept());
        }
        assert_eq!(pieces.finish().expect("a list"), expected);
        assert!(most < list.len() / 2, "{most} of {} bytes", list.len());
        for (text, is_cut) in [("<mame><machine name=\"a\"/>", true), ("<mame/>", false)] {
            let mut pieces = Pieces::default();
            pieces.push(text.as_bytes());
            let error = pieces.finish().expect_err("no list");
            assert_eq!(matches!(error, NotAList::Unfinished), is_cut, "{error}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert!(parse("<a b=><").is_err());
        for text in ["", "no XML", "<html><body/></html>"] {
            assert!(matches!(parse(text), Err(NotAList::NoSets)), "{text}");
        }
        assert!(parse("<machine name='x'").is_err(), "cut off");
        assert!(matches!(parse("<m><machine name='x'/>"), Err(NotAList::Unfinished)));
        assert!(parse("<m><machine name='x' isbios='yes'/></m>").expect("a list").is_empty());
    }

    #[test]
    fn text_and_software_lists_are_read_too() {
        let text = "emulator ( name X )\ngame ( name pac description \"Pac & Co\" year 1980 manufacturer N )\n\
            game ( name pacb cloneof pac rom ( name a merge a ) rom ( name b ) )\n\
            game ( name off runnable no )\nresource ( name bios )\n";
        let shown = |text: &str| {
            let sets = parse(text).expect("a list").into_iter();
            sets.map(|set| (set.name, set.title, set.merged.len())).collect::<Vec<_>>()
        };
        assert_eq!(parse(text).expect("a list")[0].maker, "N");
        let own = |name: &str, title: &str, merged| (name.to_owned(), title.to_owned(), merged);
        assert_eq!(shown(text), [own("pac", "Pac & Co", 0), own("pacb", "pacb", 1)]);
        let software = "<softwarelist name=\"nes\"><software name=\"smb\"><description>Super</description>\
            <part><dataarea><rom name=\"a\"/></dataarea></part></software></softwarelist>";
        assert_eq!(shown(software), [own("smb", "Super", 0)]);
        assert!(matches!(parse("game ( name pac"), Err(NotAList::Unfinished)));
        for other in [
            "clrmamepro ( name X )",
            "<datafile><game name=\"Mario World (USA)\"><rom name=\"x.sfc\"/></game></datafile>",
        ] {
            assert!(matches!(parse(other), Err(NotAList::NoSets)), "{other}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_damage_it_ends(cut in 0_usize..700, at in 0_usize..700, byte in any::<u8>()) {
            let mut bytes = LIST.as_bytes().to_vec();
            let length = bytes.len();
            bytes[at % length] = byte;
            bytes.truncate(cut);
            if let Ok(sets) = parse(&String::from_utf8_lossy(&bytes)) {
                prop_assert!(sets.len() <= 10);
            }
        }
    }
}
