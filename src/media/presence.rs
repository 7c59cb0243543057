//! Whether a game has media of a kind: a path counts while its file can be opened, an address always.

use crate::{model::Record, probe::media_roots};

/// Whether a game has media of a kind that can be shown; of a list, any.
pub fn has_media(record: &Record, kind: &str) -> bool {
    match kind {
        "screenshots" => record.texts(kind).any(is_there),
        kind => is_there(record.text(kind)),
    }
}

fn is_there(text: &str) -> bool {
    let text = text.trim();
    let begins =
        |front: &str| text.get(..front.len()).is_some_and(|it| it.eq_ignore_ascii_case(front));
    let is_address = begins("https://") || begins("http://");
    is_address || (!text.is_empty() && media_roots::open_without_links(text).is_ok())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_that_is_gone_is_no_picture() {
        let folder = tempfile::tempdir().expect("a folder");
        let (there, gone) = (folder.path().join("a.png"), folder.path().join("b.png"));
        std::fs::write(&there, b"x").expect("written");
        let record: Record = serde_json::from_value(json!({"cover": there, "fanart": gone,
            "banner": " ", "icon": 7, "manual": folder.path(), "video": "HTTPS://x.test/v",
            "screenshots": [gone, there]}))
        .expect("a record");
        for (kind, expected) in [
            ("cover", true),
            ("fanart", false),
            ("banner", false),
            ("icon", false),
            ("manual", false),
            ("video", true),
            ("screenshots", true),
            ("background", false),
        ] {
            assert_eq!(has_media(&record, kind), expected, "{kind}");
        }
        let shots = json!({"screenshots": [gone]});
        let record: Record = serde_json::from_value(shots).expect("a record");
        assert!(!has_media(&record, "screenshots"));
    }
}
