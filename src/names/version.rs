//! The version behind a title.

/// Splits a title from the version behind it: `Title v1.2`. Sets with dates write any version there;
/// elsewhere only one with a dot is taken for a version.
pub(super) fn split(title: &str, is_dated: bool) -> (&str, Option<&str>) {
    if let Some((before, last)) = title.rsplit_once(' ')
        && let Some(number) = last.strip_prefix(['v', 'V'])
        && is_number(number)
        && (is_dated || number.contains('.'))
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

/// Whether the text is a number with dots and at most one small letter behind it.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_suffix(|last: char| last.is_ascii_lowercase()).unwrap_or(text);
    !digits.is_empty()
        && digits
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}
