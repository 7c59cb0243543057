//! The id of a game before its title, as programs that copy games write it:
//! `SLUS_203.12.Final Fantasy X`, `SLUS-20312 - X`, `PCSE00120 - X`, `0100F2C0115B6000 X`.

/// What the ids of the PlayStations begin with.
const STARTS: [&str; 52] = [
    "BCAS", "BCES", "BCJS", "BCUS", "BLAS", "BLES", "BLJM", "BLJS", "BLKS", "BLUS", "NPEA", "NPEB",
    "NPEG", "NPEH", "NPEZ", "NPJA", "NPJB", "NPJG", "NPJH", "NPUA", "NPUB", "NPUG", "NPUH", "NPUZ",
    "PAPX", "PBPX", "PCSA", "PCSB", "PCSC", "PCSD", "PCSE", "PCSF", "PCSG", "PCSH", "SCAJ", "SCED",
    "SCES", "SCKA", "SCPS", "SCUS", "SLAJ", "SLED", "SLES", "SLKA", "SLPM", "SLPS", "SLUS", "UCES",
    "UCUS", "ULES", "ULJM", "ULUS",
];
/// Letters of such an id.
const SERIES: usize = 4;
/// Digits of such an id.
const DIGITS: usize = 5;
/// Digits of an id of the Switch.
const LONG: usize = 16;
/// What stands between an id and the title.
const SIGNS: [&str; 4] = [" - ", ".", "_", " "];

/// The letters that an id of a PlayStation before the title begins with, which name the region of the disc,
/// and the title; blank letters for a stem without such an id. Discs of one game differ in the digits.
pub fn split_series(stem: &str) -> (&str, &str) {
    let title = without(stem);
    let series = stem.get(..SERIES).filter(|start| title != stem && STARTS.contains(start));
    series.map_or(("", stem), |series| (series, title))
}

/// Whether a name is nothing but such an id, as folders of installed titles have it: `NPUB30001`.
pub fn is_serial(name: &str) -> bool {
    behind_start(name).is_some_and(str::is_empty)
}

/// A stem without the id before the title; one that is nothing but an id stays.
pub(super) fn without(stem: &str) -> &str {
    let Some(rest) = behind_start(stem).or_else(|| behind_long(stem)) else { return stem };
    let title = SIGNS.iter().find_map(|sign| rest.strip_prefix(sign)).map_or("", str::trim_start);
    if title.starts_with(char::is_alphanumeric) { title } else { stem }
}

/// What stands behind `SLUS_203.12`, `SLUS-20312` or `SLUS20312`.
fn behind_start(stem: &str) -> Option<&str> {
    let (start, mut rest) = stem.split_at_checked(SERIES)?;
    if !STARTS.contains(&start) {
        return None;
    }
    rest = rest.strip_prefix(['_', '-']).unwrap_or(rest);
    for at in 0..DIGITS {
        if at == 3 {
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
        rest = rest.strip_prefix(|letter: char| letter.is_ascii_digit())?;
    }
    Some(rest)
}

/// What stands behind sixteen hex digits.
fn behind_long(stem: &str) -> Option<&str> {
    let (id, rest) = stem.split_at_checked(LONG)?;
    let is_id = id.starts_with('0') && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id && rest.starts_with(' ')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_of_one_game_share_the_letters_of_their_ids() {
        for (stem, expected) in [
            ("SLUS_213.62.Dawn", ("SLUS", "Dawn")),
            ("SLES-00594 - Metal", ("SLES", "Metal")),
            ("0100F2C0115B6000 Game", ("", "0100F2C0115B6000 Game")),
            ("SLUS-00594", ("", "SLUS-00594")),
            ("Game", ("", "Game")),
        ] {
            assert_eq!(split_series(stem), expected, "{stem}");
        }
    }

    #[test]
    fn a_serial_is_an_id_and_nothing_else() {
        for (name, expected) in
            [("NPUB30001", true), ("BLUS-30443", true), ("NPUB30001 x", false), ("game", false)]
        {
            assert_eq!(is_serial(name), expected, "{name}");
        }
    }

    #[test]
    fn only_ids_that_are_certain_are_left_out() {
        for (stem, expected) in [
            ("SLUS_203.12.Final Fantasy X", "Final Fantasy X"),
            ("SLUS-20312 - X (USA)", "X (USA)"),
            ("SLES_500.03_Game", "Game"),
            ("PCSE00120 - X", "X"),
            ("BLES01234 Game", "Game"),
            ("0100F2C0115B6000 Game v1", "Game v1"),
            ("0100F2C0115B6000", "0100F2C0115B6000"),
            ("SLUS_203.12", "SLUS_203.12"),
            ("SLUS-20312", "SLUS-20312"),
            ("SLUS_203.1.Game", "SLUS_203.1.Game"),
            ("SLUS-203123 Game", "SLUS-203123 Game"),
            ("SLUS Game", "SLUS Game"),
            ("GAME12345 - X", "GAME12345 - X"),
            ("SLUS-20312 (USA)", "SLUS-20312 (USA)"),
            ("RMGE01_Title", "RMGE01_Title"),
            ("\u{e4}\u{e4}\u{e4}", "\u{e4}\u{e4}\u{e4}"),
        ] {
            assert_eq!(without(stem), expected, "{stem}");
        }
    }
}
