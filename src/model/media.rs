//! The kinds of media of a game, declared once.
//!
//! Every list of media kinds, here and in the page (`GET /api/media/kinds`), is derived from [`MEDIA`].

use serde::Serialize;

use crate::base::schema::{Schema, Type, schema};

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// An image.
    Picture,
    /// An image or a text.
    Document,
    /// A video without a purpose.
    Video,
    /// A video with a purpose.
    SpecialVideo,
    /// A video that the program records; no source has it.
    Recording,
    /// Sound.
    Music,
}

impl Schema for Content {
    const SCHEMA: &'static Type =
        &Type::Choice(&["picture", "document", "video", "special_video", "recording", "music"]);
}

/// The proportions of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Three to four.
    Tall,
    /// Sixteen to nine.
    Wide,
    /// One to one.
    Square,
}

impl Schema for Shape {
    const SCHEMA: &'static Type = &Type::Choice(&["tall", "wide", "square"]);
}

schema! {
    /// A kind of media of a game.
    #[derive(Clone, Copy, Debug)]
    pub struct MediaKind {
        /// The field of the game that holds its path.
        pub field: &'static str,
        /// Its name in requests of files and image groups.
        pub kind: &'static str,
        /// What the file is.
        pub content: Content,
        /// Whether the field holds a list of paths.
        pub list: bool,
        /// The proportions of the tiles that show it; none when no tile does.
        pub shape: Option<Shape>,
        /// Whether a tile shows it whole, because its outline is part of it.
        pub whole: bool,
        /// Whether storefronts and emulators bring it with a game.
        #[serde(skip)]
        of_sources: bool,
    }
}

impl MediaKind {
    const fn new(field: &'static str, content: Content) -> Self {
        let (kind, shape) = (field, None);
        Self { field, kind, content, list: false, shape, whole: false, of_sources: false }
    }

    const fn shape(self, shape: Shape) -> Self {
        Self { shape: Some(shape), ..self }
    }

    const fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    const fn of_sources(self) -> Self {
        Self { of_sources: true, ..self }
    }

    const fn list(self, kind: &'static str) -> Self {
        Self { list: true, kind, ..self }
    }
}

const fn picture(field: &'static str) -> MediaKind {
    MediaKind::new(field, Content::Picture)
}

/// Every kind. The page shows them in this order.
pub const MEDIA: [MediaKind; 22] = [
    picture("cover").shape(Shape::Tall).of_sources(),
    picture("background").shape(Shape::Wide).of_sources(),
    picture("screenshots").shape(Shape::Wide).list("screenshot"),
    picture("clear_logo").shape(Shape::Wide).whole().of_sources(),
    picture("fanart").shape(Shape::Wide).of_sources(),
    picture("banner").shape(Shape::Wide).of_sources(),
    picture("icon").shape(Shape::Square).whole().of_sources(),
    picture("box_back").shape(Shape::Tall),
    picture("box_spine").shape(Shape::Tall).whole(),
    picture("box_3d").shape(Shape::Tall).whole(),
    picture("title_screen").shape(Shape::Wide),
    picture("cart_front"),
    picture("cart_back"),
    picture("disc"),
    picture("advertisement"),
    MediaKind::new("manual", Content::Document),
    MediaKind::new("video", Content::Video),
    MediaKind::new("video_snap", Content::SpecialVideo),
    MediaKind::new("video_theme", Content::SpecialVideo),
    MediaKind::new("video_trailer", Content::SpecialVideo),
    MediaKind::new("video_recording", Content::Recording),
    MediaKind::new("music", Content::Music),
];

/// The fields that hold one path each, in the order of the stored record.
pub const FIELDS: [&str; 21] = {
    use Content::{Document, Music, Picture, Recording, SpecialVideo, Video};
    fields(select(&[Picture, Document, Video, Music, SpecialVideo, Recording], false))
};
/// Fields of one path with a computed `has_<field>`.
pub const IMAGES: [&str; 16] =
    fields(select(&[Content::Picture, Content::Document, Content::Music], false));
/// Pictures and documents of one path.
pub const ARTWORK: [&str; 15] = fields(select(&[Content::Picture, Content::Document], false));
/// Videos with a purpose, in their default priority.
pub const SPECIAL_VIDEOS: [&str; 4] =
    fields(select(&[Content::SpecialVideo, Content::Recording], false));
/// Video fields in the order in which the default priority looks for the active one.
pub const VIDEOS: [&str; 5] =
    fields(select(&[Content::SpecialVideo, Content::Recording, Content::Video], false));
/// Fields of one path that the program does not write itself.
pub const FOREIGN: [&str; 20] = {
    use Content::{Document, Music, Picture, SpecialVideo, Video};
    fields(select(&[Picture, Document, Music, SpecialVideo, Video], false))
};
/// The fields whose media an import can ask for.
pub const IMPORTED: [&str; 18] = {
    use Content::{Document, Music, Picture, Video};
    fields(select(&[Picture, Document, Video, Music], true))
};
/// Kinds that can represent a game in the library view.
pub const GROUPS: [&str; 16] = {
    let rows = select::<16>(&[Content::Picture, Content::Document], true);
    let mut kinds = [""; 16];
    let mut at = 0;
    while at < rows.len() {
        kinds[at] = rows[at].kind;
        at += 1;
    }
    kinds
};

/// The fields that storefronts and emulators bring with a game.
pub fn of_sources() -> impl Iterator<Item = &'static str> {
    MEDIA.iter().filter(|row| row.of_sources).map(|row| row.field)
}

/// The rows with these contents: by content, then in the order of the table.
const fn select<const COUNT: usize>(contents: &[Content], with_lists: bool) -> [MediaKind; COUNT] {
    let mut rows = [MEDIA[0]; COUNT];
    let (mut count, mut place) = (0, 0);
    while place < contents.len() * MEDIA.len() {
        let row = MEDIA[place % MEDIA.len()];
        let content = contents[place / MEDIA.len()];
        if row.content as u8 == content as u8 && (with_lists || !row.list) {
            rows[count] = row;
            count += 1;
        }
        place += 1;
    }
    assert!(count == COUNT, "the length of the list is the number of its rows");
    rows
}

const fn fields<const COUNT: usize>(rows: [MediaKind; COUNT]) -> [&'static str; COUNT] {
    let mut fields = [""; COUNT];
    let mut at = 0;
    while at < COUNT {
        fields[at] = rows[at].field;
        at += 1;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_that_clients_know() {
        assert_eq!(GROUPS[..4], ["cover", "background", "screenshot", "clear_logo"]);
        assert_eq!(IMPORTED[14..], ["advertisement", "manual", "video", "music"]);
        assert_eq!(IMAGES[13..], ["advertisement", "manual", "music"]);
        assert_eq!(
            VIDEOS,
            ["video_snap", "video_theme", "video_trailer", "video_recording", "video"]
        );
        assert_eq!(FIELDS[13..18], ["advertisement", "manual", "video", "music", "video_snap"]);
    }
}
