//! Which file a media request names, and opening it (`GET /api/media`).
//!
//! Owns the kinds a client can ask for and the choice of the active video. Refuses every path that
//! is not below an approved root, whatever the record says.

use std::{
    fs::File,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    game::slots::{self, MEDIA, Slots, slot},
    library::projection::ViewRules,
    model::{Game, fields::FIELDS},
    probe::media_roots::{self, MediaRoots},
};

/// The kind that names one of the screenshots by its index.
const SCREENSHOT: &str = "screenshot";
/// The kind that names whichever video is active.
const VIDEO: &str = "video";

/// One media file, open for reading.
#[derive(Debug)]
pub struct MediaFile {
    /// The open file.
    pub file: File,
    /// Where it was found.
    pub path: String,
    /// The name of the file, from which its type follows.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed.
    pub modified: SystemTime,
}

impl MediaFile {
    /// An open file that was found at `path`.
    pub fn of(file: File, path: &str) -> Option<Self> {
        let about = file.metadata().ok()?;
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        let (size, modified) = (about.len(), about.modified().ok()?);
        Some(Self { size, modified, file, name, path: path.to_owned() })
    }

    /// The entity tag, quoted: modification time in nanoseconds and size, both in hex.
    pub fn etag(&self) -> String {
        let nanos = self.modified.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
        format!("\"{nanos:x}-{:x}\"", self.size)
    }
}

/// Opens the file of a kind; `index` chooses among screenshots. `None` for an unknown kind, an
/// index without a screenshot, and a file that is not there or may not be served.
pub fn open(
    game: &Game,
    kind: &str,
    index: Option<usize>,
    rules: &ViewRules,
    roots: &MediaRoots,
) -> Option<MediaFile> {
    let slots = Slots::of(game.json());
    if kind == SCREENSHOT {
        let items = slots.items(const { slot("screenshots") });
        return open_path(&slots::text_of(items.get(index?)?), roots);
    }
    if kind == VIDEO {
        let videos = rules.videos().map(|bit| slots.text(MEDIA[bit]));
        return videos.into_iter().find_map(|path| open_path(&path, roots));
    }
    let field = MEDIA.into_iter().find(|slot| FIELDS[*slot].key == kind)?;
    open_path(&slots.text(field), roots)
}

/// Opens a sound or video that the user named in the settings; `None` when none is named, it is
/// something else by its name, not there, or a link leads to it.
pub fn open_named(path: &str) -> Option<MediaFile> {
    let kind = mime_guess::from_path(path).first()?;
    let named = matches!(kind.type_().as_str(), "audio" | "video").then_some(path)?;
    MediaFile::of(media_roots::open_without_links(named).ok()?, named)
}

fn open_path(path: &str, roots: &MediaRoots) -> Option<MediaFile> {
    MediaFile::of(roots.open(path).ok()?, path)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files and links themselves")]
mod tests {
    use std::{fs, os::unix::fs::symlink, sync::Arc};

    use serde_json::{Value, json};

    use super::*;

    struct House {
        _folder: tempfile::TempDir,
        base: std::path::PathBuf,
        roots: MediaRoots,
    }

    fn house() -> House {
        let folder = tempfile::tempdir().expect("temporary folder");
        let base = folder.path().canonicalize().expect("real path");
        fs::create_dir_all(base.join("media")).expect("folder");
        for name in ["cover.png", "theme.mp4", "video.mp4", "shot.png"] {
            fs::write(base.join("media").join(name), name).expect("file");
        }
        fs::write(base.join("secret"), "secret").expect("file");
        symlink(base.join("secret"), base.join("media/link.png")).expect("link");
        let roots = MediaRoots::new(&base, &[]);
        House { _folder: folder, base, roots }
    }

    impl House {
        fn game(&self, fields: &[(&str, &str)]) -> Arc<Game> {
            let path = |name: &str| Value::from(self.base.join(name).to_str().expect("text"));
            let mut record = serde_json::Map::new();
            for (key, name) in fields {
                record.insert((*key).to_owned(), path(name));
            }
            let shots = ["media/shot.png", "media/gone.png", "secret"].map(path);
            record.insert("screenshots".to_owned(), json!(shots));
            Game::seal(&record.into())
        }

        fn name(&self, game: &Game, kind: &str, index: Option<usize>, settings: Value) -> String {
            let rules = ViewRules::of(settings.as_object().expect("an object"));
            open(game, kind, index, &rules, &self.roots).map_or_else(String::new, |file| file.name)
        }
    }

    #[test]
    fn every_media_field_is_a_kind() {
        let house = house();
        for slot in MEDIA.into_iter().filter(|slot| !FIELDS[*slot].key.starts_with("video")) {
            let key = FIELDS[slot].key;
            let game = house.game(&[(key, "media/cover.png")]);
            assert_eq!(house.name(&game, key, None, json!({})), "cover.png", "{key}");
        }
    }

    #[test]
    fn nothing_else_is_served() {
        let house = house();
        let game = house.game(&[
            ("cover", "secret"),
            ("banner", "media/link.png"),
            ("icon", "media/../secret"),
            ("disc", "media"),
            ("path", "media/cover.png"),
        ]);
        for kind in ["cover", "banner", "icon", "disc", "path", "fanart", "screenshots", "", "x"] {
            assert_eq!(house.name(&game, kind, Some(0), json!({})), "", "{kind}");
        }
    }

    #[test]
    fn screenshots_go_by_index() {
        let house = house();
        let game = house.game(&[]);
        for (index, expected) in
            [(Some(0), "shot.png"), (Some(1), ""), (Some(2), ""), (Some(3), ""), (None, "")]
        {
            assert_eq!(house.name(&game, "screenshot", index, json!({})), expected, "{index:?}");
        }
    }

    #[test]
    fn the_active_video_is_the_first_that_is_there() {
        let house = house();
        let game = house.game(&[
            ("video_snap", "media/gone.mp4"),
            ("video_theme", "media/theme.mp4"),
            ("video", "media/video.mp4"),
        ]);
        assert_eq!(house.name(&game, "video", None, json!({})), "theme.mp4");
        assert_eq!(house.name(&game, "video_snap", None, json!({})), "");
        let settings = json!({"video_priority": ["video_trailer"]});
        assert_eq!(house.name(&game, "video", None, settings), "video.mp4");
    }

    #[test]
    fn the_tag_is_time_and_size() {
        let house = house();
        let game = house.game(&[("cover", "media/cover.png")]);
        let rules = ViewRules::of(&serde_json::Map::new());
        let found = open(&game, "cover", None, &rules, &house.roots).expect("found");
        let nanos = found.modified.duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
        assert_eq!(found.etag(), format!("\"{nanos:x}-9\""));
    }
}
