//! The version behind a title.

/// Norms of pictures that sets with dates write behind a version.
const NORMS: [&str; 2] = [" PAL", " NTSC"];

/// Splits a title from the version behind it: `Title v1.2`. Sets with dates write any version there, with a small
/// letter; elsewhere, and behind a capital (`Title V3`, a sequel), only one with a dot is taken for a version.
pub(super) fn split(title: &str, is_dated: bool) -> (&str, Option<&str>) {
    let title = if is_dated { without_norm(title) } else { title };
    if let Some((before, last)) = title.rsplit_once(' ')
        && let Some(number) = last.strip_prefix(['v', 'V'])
        && is_number(number)
        && (number.contains('.') || (is_dated && last.starts_with('v')))
    {
        return (before.trim_end(), Some(last));
    }
    if !is_dated {
        return (title, None);
    }
    let revision = [" Rev ", " rev "].iter().find_map(|word| title.rsplit_once(word));
    if let Some((before, number)) = revision
        && !number.contains(' ')
    {
        return (before.trim_end(), Some(&title[before.len() + 1..]));
    }
    match title.rsplit_once(' ') {
        Some((before, last)) if last.strip_prefix('r').is_some_and(is_number) => {
            (before.trim_end(), Some(last))
        }
        _ => (title, None),
    }
}

/// The title and the version of a name as sets of installers write it, one word with parts:
/// `Title_v1.2_0567`, `Title_v1.1_AGA`.
pub(super) fn of_installer(stem: &str) -> Option<(&str, &str)> {
    if stem.contains([' ', '(', '[']) {
        return None;
    }
    let mut starts = stem.match_indices("_v").map(|(at, _)| at).filter(|at| *at > 0);
    starts.find_map(|at| {
        let (version, behind) = stem[at + 1..].split_once('_')?;
        let is_version = is_number(&version[1..]) && version.contains('.') && !behind.is_empty();
        is_version.then_some((&stem[..at], version))
    })
}

/// A title without the norm of its pictures behind a version: `Title v1.2 PAL`.
fn without_norm(title: &str) -> &str {
    let bare = NORMS.iter().find_map(|norm| title.strip_suffix(norm));
    let version = bare.and_then(|bare| bare.rsplit_once(' ')?.1.strip_prefix('v'));
    bare.filter(|_| version.is_some_and(is_number)).unwrap_or(title)
}

/// Whether the text is a number with dots and at most one letter behind it.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_suffix(|last: char| last.is_ascii_alphabetic()).unwrap_or(text);
    !digits.is_empty()
        && digits
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}
