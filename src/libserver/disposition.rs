//! The name of a file in a `Content-Disposition` header: quoted, in both forms.

use percent_encoding::percent_decode_str;

/// The name that a header gives to a file, as it is written there: with folders, if it has any. The form with
/// an encoding (`filename*=UTF-8''Na%C3%AFve.zip`) counts more than the plain one.
pub fn file_name(header: &str) -> Option<String> {
    let parameters = parameters(header);
    let named = |wanted: &str| {
        let mut values = parameters.iter().filter(|(key, _)| key.eq_ignore_ascii_case(wanted));
        values.next().map(|(_, value)| value.as_str())
    };
    let encoded = named("filename*").and_then(decoded);
    encoded.or_else(|| named("filename").map(str::to_owned)).filter(|name| !name.trim().is_empty())
}

/// The parameters behind the type, without their quotes.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut parts = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = header.chars().peekable();
    while let Some(letter) = letters.next() {
        let kept = match letter {
            // Other backslashes belong to a path.
            '\\' if is_quoted => {
                letters.next_if(|next| matches!(next, '"' | '\\')).or(Some(letter))
            }
            '"' => {
                is_quoted = !is_quoted;
                None
            }
            ';' if !is_quoted => {
                parts.push(String::new());
                None
            }
            _ => Some(letter),
        };
        if let Some(part) = parts.last_mut() {
            part.extend(kept);
        }
    }
    let pair = |part: &String| {
        let (key, value) = part.split_once('=')?;
        Some((key.trim().to_owned(), value.trim().to_owned()))
    };
    parts.iter().skip(1).filter_map(pair).collect()
}

/// A value with its encoding in front: `UTF-8'en'Na%C3%AFve.zip`.
fn decoded(value: &str) -> Option<String> {
    let mut parts = value.splitn(3, '\'');
    let (encoding, _, text) = (parts.next()?, parts.next()?, parts.next()?);
    let bytes: Vec<u8> = percent_decode_str(text).collect();
    if encoding.eq_ignore_ascii_case("utf-8") {
        return String::from_utf8(bytes).ok();
    }
    encoding.eq_ignore_ascii_case("iso-8859-1").then(|| bytes.into_iter().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_both_forms() {
        for (header, expected) in [
            ("attachment; filename=a.zip", Some("a.zip")),
            ("attachment; filename=\"a;b.zip\"", Some("a;b.zip")),
            ("attachment; FileName=\"q\\\"x.zip\"", Some("q\"x.zip")),
            ("attachment; filename=\"C:\\dir\\a.zip\"", Some("C:\\dir\\a.zip")),
            ("attachment; filename*=UTF-8''Na%C3%AFve%20file.zip", Some("Na\u{ef}ve file.zip")),
            (
                "attachment; filename=\"=?UTF-8?Q?Na=C3=AFve.zip?=\"; filename*=UTF-8''Na%C3%AFve.zip",
                Some("Na\u{ef}ve.zip"),
            ),
            ("attachment; filename*=iso-8859-1'de'%E4.zip; filename=b.zip", Some("\u{e4}.zip")),
            ("attachment; filename*=utf-8''%FF; filename=b.zip", Some("b.zip")),
            ("attachment; filename*=odd; filename=b.zip", Some("b.zip")),
            ("attachment; filename=\"\"", None),
            ("attachment", None),
            ("filename=a.zip", None),
            ("", None),
        ] {
            assert_eq!(file_name(header).as_deref(), expected, "{header}");
        }
    }
}
