//! Whether a game has media of a kind: a path counts until its file is missing, an address always. A file is not gone
//! while its folder is not there either: the drive may come back.

use std::path::Path;

use crate::model::Record;

/// Whether a game has media of a kind; of a list, any.
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
    is_address || (!text.is_empty() && !is_gone(Path::new(text)))
}

fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err() && path.parent().is_some_and(Path::is_dir)
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
            "banner": " ", "icon": 7, "manual": "/no/such/drive/m.pdf", "video": "HTTPS://x.test/v",
            "screenshots": [gone, there]}))
        .expect("a record");
        for (kind, expected) in [
            ("cover", true),
            ("fanart", false),
            ("banner", false),
            ("icon", false),
            ("manual", true),
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
