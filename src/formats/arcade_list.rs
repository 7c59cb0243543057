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

use super::text_dat;

/// One set of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// Its short name, that of its archive.
    pub name: String,
    /// What it is called; its short name when the list does not say.
    pub title: String,
    /// The set it is a variant of; blank for a parent.
    pub clone_of: String,
    /// The files it shares with its parent.
    pub merged: BTreeSet<String>,
}

/// Why a text is no list.
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
            merged: merged.map(|(_, rom)| rom.text("name").to_owned()).collect(),
        };
        finish(Some((set, block.text("runnable") != "no")), &mut sets);
    }
    if has_sets { Ok(sets) } else { Err(NotAList::NoSets) }
}

fn parse_xml(text: &str) -> Result<Vec<Set>, NotAList> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_dangling_amp = true;
    let mut sets = Vec::new();
    let mut open: Option<(Set, bool)> = None;
    let (mut in_title, mut depth, mut has_sets) = (false, 0_usize, false);
    loop {
        let event = reader.read_event()?;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Event::Start(element) | Event::Empty(element) = &event {
            has_sets |= SETS.contains(&element.local_name().as_ref());
        }
        match event {
            Event::Eof if depth > 0 => return Err(NotAList::Unfinished),
            Event::Eof if !has_sets => return Err(NotAList::NoSets),
            Event::Eof => return Ok(sets),
            Event::Start(element) => match element.local_name().as_ref() {
                "machine" | "game" | "software" => open = Some(begin(&element)),
                "description" => in_title = true,
                "rom" => take_rom(&element, open.as_mut()),
                _ => {}
            },
            Event::Empty(element) => match element.local_name().as_ref() {
                "machine" | "game" | "software" => finish(Some(begin(&element)), &mut sets),
                "rom" => take_rom(&element, open.as_mut()),
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                "machine" | "game" | "software" => finish(open.take(), &mut sets),
                "description" => in_title = false,
                _ => {}
            },
            Event::Text(text) if in_title => {
                if let Some((set, _)) = &mut open {
                    set.title.push_str(&text);
                }
            }
            Event::GeneralRef(name) if in_title => {
                if let Some((set, _)) = &mut open {
                    set.title.extend(name.resolve_char_ref().ok().flatten());
                    set.title.push_str(resolve_html5_entity(&name).unwrap_or_default());
                }
            }
            _ => {}
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
          <m:machine name="pac"><description>Pac &amp; Man &#39;80</description><rom name="a.bin"/></m:machine>
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
        let text = "emulator ( name X )\ngame ( name pac description \"Pac & Co\" )\n\
            game ( name pacb cloneof pac rom ( name a merge a ) rom ( name b ) )\n\
            game ( name off runnable no )\nresource ( name bios )\n";
        let shown = |text: &str| {
            let sets = parse(text).expect("a list").into_iter();
            sets.map(|set| (set.name, set.title, set.merged.len())).collect::<Vec<_>>()
        };
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
