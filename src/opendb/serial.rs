//! The serial number in the image of a disc, from its first megabytes. It is stored there as plain text,
//! whatever the form of the image.

/// Bytes from the start of an image that are searched.
pub(super) const BYTES: usize = 4 << 20;

/// Words at the start of discs, with the place of the number behind them and its length.
const FIXED: [(&[u8], usize, usize); 3] = [
    (b"SEGA SEGASATURN ", 0x20, 10),
    (b"SEGA SEGAKATANA ", 0x40, 10),
    (b"SEGADISCSYSTEM  ", 0x183, 11),
];
/// Signatures at the start of discs that begin with their number, and their offsets.
const SIGNS: [(usize, [u8; 4]); 2] =
    [(0x18, [0x5D, 0x1C, 0x9E, 0xA3]), (0x1C, [0xC2, 0x33, 0x9F, 0x3D])];
/// Where the data of the first sector may begin.
const STARTS: [usize; 3] = [0, 16, 24];

/// The number of a disc; `None` when the bytes do not hold it.
pub(super) fn of_disc(bytes: &[u8]) -> Option<String> {
    fixed(bytes).or_else(|| first(bytes)).or_else(|| boot(bytes)).or_else(|| umd(bytes))
}

/// The number with which some discs begin.
fn first(bytes: &[u8]) -> Option<String> {
    let has = |(at, sign): &(usize, [u8; 4])| bytes.get(*at..*at + 4) == Some(&sign[..]);
    let id = bytes.get(..6).filter(|_| SIGNS.iter().any(has))?;
    let is_id = id.iter().all(u8::is_ascii_alphanumeric);
    is_id.then(|| id.iter().copied().map(char::from).collect())
}

/// The number in the line of `SYSTEM.CNF` that names the program: `BOOT = cdrom:\SLUS_005.94;1`.
fn boot(bytes: &[u8]) -> Option<String> {
    places(bytes, b"cdrom").find_map(|at| {
        let rest = bytes.get(at + 5..)?;
        let line = &rest[..rest.len().min(40)];
        let name = line.iter().skip_while(|it| !it.is_ascii_alphabetic());
        let name: String = name
            .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b'-'))
            .filter(|it| it.is_ascii_alphanumeric())
            .map(|it| char::from(it.to_ascii_uppercase()))
            .collect();
        let (letters, digits) = name.split_at_checked(4)?;
        let is_number = letters.bytes().all(|it| it.is_ascii_uppercase())
            && digits.len() == 5
            && digits.bytes().all(|it| it.is_ascii_digit());
        is_number.then_some(name)
    })
}

/// The number at the start of `UMD_DATA.BIN`: `ULUS-10041|`.
fn umd(bytes: &[u8]) -> Option<String> {
    places(bytes, b"|").find_map(|at| {
        let number = bytes.get(at.checked_sub(10)?..at)?;
        let is_number = number[..4].iter().all(u8::is_ascii_uppercase)
            && number[4] == b'-'
            && number[5..].iter().all(u8::is_ascii_digit);
        is_number.then(|| number.iter().copied().map(char::from).collect())
    })
}

fn fixed(bytes: &[u8]) -> Option<String> {
    let all = STARTS.iter().flat_map(|start| FIXED.iter().map(move |row| (start, row)));
    all.into_iter().find_map(|(start, (word, at, length))| {
        let sector = bytes.get(*start..).filter(|rest| rest.starts_with(word))?;
        let number = sector.get(*at..at + length)?;
        let text: String = number.iter().copied().map(char::from).collect();
        let text = text.trim().to_owned();
        (!text.is_empty() && text.is_ascii()).then_some(text)
    })
}

/// The places of a word.
fn places<'a>(bytes: &'a [u8], word: &'static [u8]) -> impl Iterator<Item = usize> + 'a {
    let windows = bytes.windows(word.len()).enumerate();
    windows.filter(move |(_, window)| *window == word).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn with(front: usize, text: &[u8]) -> Vec<u8> {
        [&vec![0; front], text, &[0; 64]].concat()
    }

    #[test]
    fn numbers_of_discs_are_found() {
        let saturn = [&b"SEGA SEGASATURN "[..], &[b' '; 16], b"T-1234G   V1.000"].concat();
        let dreamcast = [&b"SEGA SEGAKATANA "[..], &[b' '; 48], b"T-40205N  V1.002"].concat();
        let mut cube = with(0, b"GALE01");
        cube[0x1C..0x20].copy_from_slice(&[0xC2, 0x33, 0x9F, 0x3D]);
        for (image, expected) in [
            (with(50_000, b"BOOT = cdrom:\\SLUS_005.94;1\r\n"), "SLUS00594"),
            (with(9, b"BOOT2 = cdrom0:\\SLES_501.23;1"), "SLES50123"),
            (with(9, b"cdrom:\\PSX.EXE;1 cdrom:\\scus_944.55;1"), "SCUS94455"),
            (with(32_768, b"|ULUS-10041|0000000000000001|0001"), "ULUS-10041"),
            (cube, "GALE01"),
            (with(16, &saturn), "T-1234G"),
            (with(0, &dreamcast), "T-40205N"),
        ] {
            assert_eq!(of_disc(&image).as_deref(), Some(expected));
        }
        assert_eq!(of_disc(&[0; 4096]), None);
        assert_eq!(of_disc(b"GALE01"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes: Vec<u8>) {
            of_disc(&bytes);
        }
    }
}
