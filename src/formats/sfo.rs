//! `PARAM.SFO`: the parameter file of a title of two game consoles.
//!
//! Only text values are read. A file that is cut off or lies about its offsets has no value.

const MAGIC: &[u8; 4] = b"\0PSF";
const TEXT: u16 = 0x0204;
const ENTRY: usize = 16;

/// The text of a key; `None` when the file does not have it as text.
pub fn text(bytes: &[u8], wanted: &str) -> Option<String> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let (keys, data) = (long(bytes, 8)?, long(bytes, 12)?);
    let count = long(bytes, 16)?;
    (0..count).map_while(|index| entry(bytes, index)).find_map(|entry| {
        let name = until_nul(bytes.get(keys.checked_add(entry.key)?..)?);
        if name != wanted.as_bytes() || entry.format != TEXT {
            return None;
        }
        let start = data.checked_add(entry.data)?;
        let value = until_nul(bytes.get(start..start.checked_add(entry.length)?)?);
        let clean: String = value.utf8_chunks().map(|chunk| chunk.valid()).collect();
        Some(clean)
    })
}

/// The parameter file at the start of a packed program (`EBOOT.PBP`).
pub fn in_pbp(bytes: &[u8]) -> Option<&[u8]> {
    const PACKED: &[u8; 4] = b"\0PBP";
    if !bytes.starts_with(PACKED) {
        return None;
    }
    bytes.get(long(bytes, 8)?..long(bytes, 12)?)
}

struct Entry {
    key: usize,
    format: u16,
    length: usize,
    data: usize,
}

fn entry(bytes: &[u8], index: usize) -> Option<Entry> {
    let at = index.checked_mul(ENTRY)?.checked_add(20)?;
    Some(Entry {
        key: usize::from(short(bytes, at)?),
        format: short(bytes, at + 2)?,
        length: long(bytes, at + 4)?,
        data: long(bytes, at + 12)?,
    })
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    let value = bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)?;
    usize::try_from(value).ok()
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A parameter file with these texts.
    pub(crate) fn file(values: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut keys, mut data, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for (key, value) in values {
            let length = u32::try_from(value.len() + 1).expect("short");
            entries.extend(u16::try_from(keys.len()).expect("short").to_le_bytes());
            entries.extend(TEXT.to_le_bytes());
            entries.extend(length.to_le_bytes());
            entries.extend(length.to_le_bytes());
            entries.extend(u32::try_from(data.len()).expect("short").to_le_bytes());
            keys.extend(key.bytes().chain([0]));
            data.extend(value.iter().copied().chain([0]));
        }
        let key_table = u32::try_from(20 + entries.len()).expect("short");
        let data_table = key_table + u32::try_from(keys.len()).expect("short");
        let mut file = MAGIC.to_vec();
        file.extend([1, 1, 0, 0]);
        file.extend(key_table.to_le_bytes());
        file.extend(data_table.to_le_bytes());
        file.extend(u32::try_from(values.len()).expect("short").to_le_bytes());
        [file, entries, keys, data].concat()
    }

    #[test]
    fn reads_texts_and_drops_bad_bytes() {
        let bytes = file(&[("TITLE_ID", b"BLES00001"), ("TITLE", b"The \xff Game\0rest")]);
        assert_eq!(text(&bytes, "TITLE").as_deref(), Some("The  Game"));
        assert_eq!(text(&bytes, "TITLE_ID").as_deref(), Some("BLES00001"));
        assert_eq!(text(&bytes, "CATEGORY"), None);
        assert_eq!(text(b"PSF", "TITLE"), None);
    }

    #[test]
    fn a_packed_program_begins_with_its_parameters() {
        let parameters = file(&[("TITLE", b"Patapon")]);
        let end = u32::try_from(40 + parameters.len()).expect("short");
        let mut packed = b"\0PBP\0\0\x01\0".to_vec();
        packed.extend(40_u32.to_le_bytes());
        packed.extend(end.to_le_bytes());
        packed.resize(40, 0);
        packed.extend(&parameters);
        assert_eq!(in_pbp(&packed), Some(&*parameters));
        assert_eq!(in_pbp(&packed[..60]), None);
        assert_eq!(in_pbp(b"\0PSF"), None);
    }

    proptest! {
        #[test]
        fn damaged_files_have_no_value_or_a_piece(cut in 0_usize..90, flip in 0_usize..90, bit in 0_u8..8) {
            let mut bytes = file(&[("TITLE", b"A game with a name")]);
            let at = flip % bytes.len();
            bytes[at] ^= 1 << bit;
            bytes.truncate(cut);
            prop_assert!(text(&bytes, "TITLE").is_none_or(|title| title.len() <= 90));
        }
    }
}
