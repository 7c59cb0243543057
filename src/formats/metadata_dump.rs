//! The dump of a games database: a flat XML file of hundreds of megabytes, read as a stream.
//!
//! Records are the children of the root, values the children of a record. The file is not quite XML: it
//! holds references to control characters, which are dropped, and any element may be missing. The
//! memory needed does not depend on the file: what stands between two tags and what a value may hold
//! are bounded.

use std::io::{self, BufRead, Read};

use memchr::memrchr;
use quick_xml::{Reader, escape::resolve_html5_entity, events::Event};

use crate::base::named::named;

/// Bytes of one value; the rest is cut.
const VALUE_BYTES: usize = 64 << 10;
/// Bytes between the ends of two tags.
const RUN_BYTES: u64 = 4 << 20;

named! {
    /// A kind of record.
    pub enum Kind {
        /// A game.
        Game = "Game",
        /// Another name of a game.
        AlternateName = "GameAlternateName",
        /// A picture of a game.
        Image = "GameImage",
        /// The title of a set of arcade games.
        MameFile = "MameFile",
        /// The title of a file of a computer's game.
        File = "File",
    }
}

named! {
    /// A value of a record.
    pub enum Field {
        /// The number of the game.
        DatabaseId = "DatabaseID",
        /// The name of a game; the title of an arcade set.
        Name = "Name",
        /// The platform by its name in the database.
        Platform = "Platform",
        /// A date with a time and an offset.
        ReleaseDate = "ReleaseDate",
        /// The year, where no full date is known.
        ReleaseYear = "ReleaseYear",
        /// The description.
        Overview = "Overview",
        /// A number of players.
        MaxPlayers = "MaxPlayers",
        /// `true` or `false`.
        Cooperative = "Cooperative",
        /// 0 to 5.
        CommunityRating = "CommunityRating",
        /// The age rating of the ESRB with its description.
        Esrb = "ESRB",
        /// Genres with semicolons between them.
        Genres = "Genres",
        /// As genres, in older dumps.
        Genre = "Genre",
        /// Who made it.
        Developer = "Developer",
        /// Who sold it.
        Publisher = "Publisher",
        /// Its series.
        Series = "Series",
        /// Another name.
        AlternateName = "AlternateName",
        /// The name of a picture or of a game's file.
        FileName = "FileName",
        /// What a picture shows.
        Type = "Type",
        /// Where a picture or name is from.
        Region = "Region",
        /// The checksum of a picture, decimal.
        Crc32 = "CRC32",
        /// The title of the game of a file.
        GameName = "GameName",
    }
}

/// One record; its buffers are used again for the next.
#[derive(Debug)]
pub struct Record {
    kind: Kind,
    values: [String; Field::ALL.len()],
}

impl Record {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A value without blanks around it; empty when it is missing.
    pub fn text(&self, field: Field) -> &str {
        self.values[field as usize].trim()
    }

    /// A positive number; `None` when it is missing or none.
    pub fn number(&self, field: Field) -> Option<i64> {
        self.text(field).parse().ok().filter(|number| *number > 0)
    }
}

/// Why a dump cannot be read further.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("it is not well-formed XML")]
    NotXml(#[source] Box<quick_xml::Error>),
    #[error("it is cut off")]
    CutOff,
    /// What it is read from failed.
    #[error("{0}")]
    Read(#[source] io::Error),
}

/// Reads the records one after the other.
///
/// # Errors
/// [`Broken`], or what `take` returns, after the records that stand before.
pub fn each<E: From<Broken>>(
    source: impl BufRead,
    take: &mut dyn FnMut(&Record) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = Reader::from_reader(Bounded { source, run: 0 });
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut buffer = Vec::new();
    let mut record = Record { kind: Kind::Game, values: Default::default() };
    let mut depth = 0_usize;
    let mut is_record = false;
    let mut field = None;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(broken)?;
        let is_open = field.is_some() && depth == 3;
        match event {
            Event::Start(element) => {
                let name = element.local_name();
                if depth == 1 {
                    let kind = Kind::named(name.as_ref());
                    is_record = kind.is_some();
                    record.kind = kind.unwrap_or(record.kind);
                } else if depth == 2 && is_record {
                    field = Field::named(name.as_ref());
                }
                depth += 1;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if depth == 2 {
                    field = None;
                } else if depth == 1 && is_record {
                    take(&record)?;
                    record.values.iter_mut().for_each(String::clear);
                    is_record = false;
                }
            }
            Event::Text(text) if is_open => add(&mut record, field, &text.xml10_content()),
            Event::CData(text) if is_open => add(&mut record, field, &text.xml10_content()),
            Event::GeneralRef(name) if is_open => {
                let letter = name.resolve_char_ref().ok().flatten().map(String::from);
                if let Some(known) = letter.as_deref().or_else(|| resolve_html5_entity(&name)) {
                    add(&mut record, field, known);
                } else if !name.is_char_ref() {
                    add(&mut record, field, &format!("&{};", &*name));
                }
            }
            Event::Eof if depth == 0 => return Ok(()),
            Event::Eof => return Err(Broken::CutOff.into()),
            _ => {}
        }
    }
}

fn broken(error: quick_xml::Error) -> Broken {
    match error {
        quick_xml::Error::Io(error) => {
            Broken::Read(io::Error::new(error.kind(), error.to_string()))
        }
        error => Broken::NotXml(Box::new(error)),
    }
}

/// Adds a piece of text to a value, without control characters and within the bound.
fn add(record: &mut Record, field: Option<Field>, text: &str) {
    let Some(field) = field else { return };
    let value = &mut record.values[field as usize];
    let room = VALUE_BYTES.saturating_sub(value.len());
    let text = &text[..text.floor_char_boundary(room)];
    let is_shown = |letter: char| !letter.is_control() || letter == '\n' || letter == '\t';
    if text.chars().all(is_shown) {
        value.push_str(text);
    } else {
        value.extend(text.chars().filter(|letter| is_shown(*letter)));
    }
}

/// Refuses a file in which no tag ends for megabytes.
struct Bounded<R> {
    source: R,
    run: u64,
}

impl<R: BufRead> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let count = there.len().min(buffer.len());
        buffer[..count].copy_from_slice(&there[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.run > RUN_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        // OK because what is consumed was filled before: there is nothing to read and to fail.
        let there = self.source.fill_buf().unwrap_or_default();
        match memrchr(b'>', &there[..count.min(there.len())]) {
            Some(_) => self.run = 0,
            None => self.run += count as u64,
        }
        self.source.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> Result<Vec<String>, Broken> {
        let mut rows = Vec::new();
        each::<Broken>(text, &mut |record| {
            let values = Field::ALL.into_iter().filter(|field| !record.text(*field).is_empty());
            let values = values.map(|field| format!("{}={}", field.name(), record.text(field)));
            let values: Vec<_> = values.collect();
            rows.push(format!("{}: {}", record.kind().name(), values.join(" | ")));
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn records_are_read_with_what_they_have() {
        let text = "\u{feff}<?xml version=\"1.0\" standalone=\"yes\"?>\r\n<LaunchBox>\
            <Game><Name>Comet &amp; Rangers&#x1F; II</Name><DatabaseID>900017</DatabaseID>\
            <Overview>Two\r\n&lt;b&gt; &eacute;&unknown; &#65;&#xD800; Q&A <i>no</i></Overview><Unknown>x</Unknown>\
            <Genres> Shooter; Action</Genres><Series/></Game>\
            <Other><Name>no record</Name></Other><Game/>\
            <x:GameImage xmlns:x=\"y\"><DatabaseID>900017</DatabaseID><x:FileName>a.jpg</x:FileName>\
            <Type><![CDATA[Box - Front]]></Type><CRC32>917708111</CRC32></x:GameImage>\
            <MameFile><FileName>sf2</FileName><Name>Street</Name></MameFile></LaunchBox>\n";
        assert_eq!(
            read(text.as_bytes()).expect("a dump"),
            [
                "Game: DatabaseID=900017 | Name=Comet & Rangers II | Overview=Two\n<b> é&unknown; A Q&A | Genres=Shooter; Action",
                "GameImage: DatabaseID=900017 | FileName=a.jpg | Type=Box - Front | CRC32=917708111",
                "MameFile: Name=Street | FileName=sf2",
            ]
        );
        assert!(read(b"").expect("nothing").is_empty());
        assert!(read(b"<LaunchBox/>").expect("nothing").is_empty());
    }

    #[test]
    fn a_cut_file_gives_what_stands_before() {
        let mut seen = 0;
        let cut = b"<L><Game><Name>A</Name></Game><Game><Na";
        let outcome = each::<Broken>(&cut[..], &mut |_| {
            seen += 1;
            Ok(())
        });
        assert!(outcome.is_err());
        assert_eq!(seen, 1);
        assert!(matches!(read(b"<L><Game><Name>A</Name></Game>"), Err(Broken::CutOff)));
    }

    #[test]
    fn neither_a_value_nor_a_run_fills_the_memory() {
        let long = "é".repeat(VALUE_BYTES);
        let text = format!("<L><Game><Name>{long}</Name></Game></L>");
        let mut length = 0;
        let taken = each::<Broken>(text.as_bytes(), &mut |record| {
            length = record.text(Field::Name).len();
            Ok(())
        });
        taken.expect("a dump");
        assert_eq!(length, VALUE_BYTES);
        let endless = io::BufReader::new(b"<L><Game><Name>".chain(io::repeat(b'a')));
        assert!(matches!(each::<Broken>(endless, &mut |_| Ok(())), Err(Broken::Read(_))));
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "(<L>|<Game>|</Game>|<Name>|</Name>|&|;|#x1F|<!|\\]|a|<|>){0,40}") {
            drop(read(text.as_bytes()));
        }

        #[test]
        fn texts_come_back(name in "[ -~é]{1,30}") {
            let escaped = quick_xml::escape::escape(name.as_str());
            let rows = read(format!("<L><Game><Name>{escaped}</Name></Game></L>").as_bytes()).expect("a dump");
            let expected = if name.trim().is_empty() { "Game: ".into() } else { format!("Game: Name={}", name.trim()) };
            prop_assert_eq!(&rows[0], &expected);
        }
    }
}
