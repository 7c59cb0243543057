//! The text encodings in which playlists and cue sheets are found in the wild.
//!
//! Sheets carry no declaration of their encoding. UTF-8, marked UTF-16 and UTF-16 that begins like XML are
//! recognised; anything else is read as Windows-1252, where every byte is a character, so reading never
//! fails. An XML text that declares another encoding is read by the same rules.

/// The characters of Windows-1252 from 0x80 to 0x9F; elsewhere it is Latin-1. Five bytes without one stay.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of a sheet, without a byte order mark.
pub fn decode(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(rest, u16::from_be_bytes);
    }
    if bytes.starts_with(b"<\0") {
        return utf16(bytes, u16::from_le_bytes);
    }
    if bytes.starts_with(b"\0<") {
        return utf16(bytes, u16::from_be_bytes);
    }
    let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(rest)
        .map_or_else(|_| rest.iter().copied().map(windows).collect(), str::to_owned)
}

/// The bytes that [`decode`] read as Windows-1252; `None` for text that cannot come from it.
pub fn windows_bytes(text: &str) -> Option<Vec<u8>> {
    let byte = |letter: char| {
        let special = WINDOWS.iter().position(|special| *special == letter);
        match special.and_then(|at| u8::try_from(0x80 + at).ok()) {
            Some(byte) => Some(byte),
            None => u8::try_from(u32::from(letter)).ok(),
        }
    };
    text.chars().map(byte).collect()
}

fn windows(byte: u8) -> char {
    let special = usize::from(byte).checked_sub(0x80).and_then(|at| WINDOWS.get(at));
    special.copied().unwrap_or(char::from(byte))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().copied().map(unit);
    char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(decode(bytes), expected);
    }

    #[test]
    fn every_byte_is_found_again() {
        let bytes: Vec<u8> = (1..=u8::MAX).collect();
        assert_eq!(windows_bytes(&decode(&bytes)), Some(bytes));
        assert_eq!(windows_bytes("Ł"), None);
    }

    #[test]
    fn recognises_the_common_encodings() {
        check("Pokémon".as_bytes(), "Pokémon");
        check(b"\xef\xbb\xbfa", "a");
        check(b"Pok\xe9mon", "Pokémon");
        check(
            b"\x93It\x92s\x94 \x96 5 \x80 \xe9\xff\x7f\x81\xa0",
            "“It’s” – 5 € éÿ\u{7f}\u{81}\u{a0}",
        );
        check(
            b"<?xml encoding=\"windows-1252\"?><a>\x97</a>",
            "<?xml encoding=\"windows-1252\"?><a>—</a>",
        );
        check(b"\xff\xfea\x00\xe9\x00", "aé");
        check(b"\xfe\xff\x00a\x00\xe9", "aé");
        check(b"\xff\xfea\x00\xe9", "a");
        check(b"<\x00\xe9\x00", "<é");
        check(b"\x00<\x00\xe9", "<é");
        check(b"", "");
    }
}
