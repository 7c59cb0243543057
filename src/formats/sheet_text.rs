//! The text encodings of playlists and cue sheets.
//!
//! Sheets carry no declaration of their encoding. UTF-8, marked UTF-16 and UTF-16 that begins like XML are
//! recognised; anything else is read as Windows-1252, where every byte is a character, so reading never
//! fails. In a text that is UTF-8 but for few bytes only those are read so. An XML text that declares another
//! encoding is read by the same rules.

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
    std::str::from_utf8(rest).map_or_else(|_| damaged(rest), str::to_owned)
}

/// A text that is not UTF-8 throughout: where characters of more than one byte outnumber the faults it is
/// UTF-8, and only the faults are read as Windows-1252.
fn damaged(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let (mut letters, mut faults) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().copied().map(windows));
        letters += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        faults += usize::from(!chunk.invalid().is_empty());
    }
    if letters > faults { text } else { bytes.iter().copied().map(windows).collect() }
}

/// The bytes other than UTF-8 that [`decode`] may have read as this text: all of them Windows-1252, or
/// one wrong byte among UTF-8.
pub fn other_bytes(text: &str) -> Vec<Vec<u8>> {
    let whole: Option<Vec<u8>> = text.chars().map(windows_byte).collect();
    let mut all: Vec<Vec<u8>> = whole.into_iter().collect();
    let wrong = text.char_indices().filter(|(_, letter)| !letter.is_ascii());
    all.extend(wrong.filter_map(|(at, letter)| {
        let (before, behind) = (&text[..at], &text[at + letter.len_utf8()..]);
        Some([before.as_bytes(), &[windows_byte(letter)?], behind.as_bytes()].concat())
    }));
    all.dedup();
    all
}

/// The byte of a character in Windows-1252.
fn windows_byte(letter: char) -> Option<u8> {
    let special = WINDOWS.iter().position(|special| *special == letter);
    match special.and_then(|at| u8::try_from(0x80 + at).ok()) {
        Some(byte) => Some(byte),
        None => u8::try_from(u32::from(letter)).ok(),
    }
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
        assert_eq!(other_bytes(&decode(&bytes)).first(), Some(&bytes));
        assert_eq!(other_bytes("Ł"), Vec::<Vec<u8>>::new());
        let mixed = b"Caf\xc3\xa9 \xe9 \xc3\xa9";
        assert!(other_bytes(&decode(mixed)).contains(&mixed.to_vec()));
        assert_eq!(other_bytes("é"), [b"\xe9"]);
    }

    #[test]
    fn few_wrong_bytes_leave_the_letters_around_them() {
        check(b"\xef\xbb\xbf\xc3\xa9\xe2\x80\x99 d\xe9j\xc3\xa0", "é’ déjà");
        check("éàЖ".as_bytes().strip_suffix(b"\x96").expect("cut"), "éàÐ");
        check(b"\xc3\xa9 \xe9", "Ã© é");
        check(b"caf\xe2\x80", "cafâ€");
        check(b"\xc3\xa9 \xe9 \xe8", "Ã© é è");
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
