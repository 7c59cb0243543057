//! How other programs lay out pictures and videos of games: which program, platform and field follow from the path of a
//! file, and how they spell names of games in names of files.
//!
//! Rules on texts, without the disk. A folder is recognised by its name and the one above it, so the user may
//! name any folder above.

use super::{launchbox, list_layout};
use crate::{
    base::{
        named::named,
        text::{fold, is_folded},
    },
    model::media::{Content, MEDIA},
    opendb::pictures,
    platforms::{self, Platform},
};

named! {
    /// A program that keeps media of games. The first one is asked first.
    pub enum Program {
        /// Files next to the games, named after them.
        Beside = "beside",
        /// ES-DE and other front ends of that family.
        EsDe = "es-de",
        /// LaunchBox.
        LaunchBox = "launchbox",
        /// RetroArch.
        RetroArch = "retroarch",
    }
}

/// The meaning of the end of the name of a file next to a game; of two for one field the first counts.
pub const MEDIA_SUFFIXES: [(&str, &str); 9] = [
    ("-thumb", "cover"),
    ("-poster", "cover"),
    ("-image", "cover"),
    ("-fanart", "fanart"),
    ("-marquee", "clear_logo"),
    ("-boxback", "box_back"),
    ("-screenshot", "screenshots"),
    ("-video", "video_snap"),
    ("-manual", "manual"),
];
/// Folders next to games that hold such files too.
pub const MEDIA_FOLDERS: [&str; 3] = ["images", "manuals", "videos"];
/// The cover in the folder of one game.
pub const FOLDER_PICTURE: &str = "folder";
/// The folder of front ends that holds a folder of media for each system.
const MEDIA_FOLDER: &str = "downloaded_media";
/// The folder of RetroArch with logos, which the database of libretro has for few games.
const LOGOS: (&str, &str) = ("Named_Logos", "clear_logo");
/// The start of the folders of pictures of LaunchBox.
const PICTURES: &str = "Images/{}/";
/// Folders of LaunchBox that hold other media by platform.
const OTHERS: [&str; 2] = ["Videos", "Manuals"];
/// Characters of the id that may follow a title in LaunchBox.
const ID_CHARS: usize = 36;

/// What follows from the path of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Whose file it is.
    pub program: Program,
    /// The key of the platform.
    pub platform: String,
    /// The field it is for.
    pub field: &'static str,
    /// Of several kinds for one field the lowest counts.
    pub rank: usize,
    /// The name of the game as the program spells it; with folders where the program keeps those.
    pub name: String,
}

/// Whether a file with this extension can stand in a field.
pub fn fits(field: &str, ending: &str) -> bool {
    let endings: &[&str] = match MEDIA.iter().find(|kind| kind.field == field).map(|it| it.content)
    {
        Some(Content::Picture) => &["png", "jpg", "jpeg", "webp"],
        Some(Content::Document) => &["pdf"],
        Some(Content::Video | Content::SpecialVideo) => &["mp4", "webm"],
        _ => &[],
    };
    endings.iter().any(|each| is_folded(ending, each))
}

/// Whether a file with this extension may be a picture, a video or a manual.
pub fn is_media(ending: &str) -> bool {
    ["cover", "video_snap", "manual"].iter().any(|field| fits(field, ending))
}

/// The name of a file without its extension, and the extension.
pub fn split(file: &str) -> Option<(&str, &str)> {
    file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())
}

/// The key of the platform of a game. Platforms that front ends hold as one (PC and Windows, MAME and
/// Arcade) have one key.
pub fn platform_of_game(name: &str) -> String {
    let known = platforms::by_listed_name(name).or_else(|| platforms::by_folder(name));
    fold(known.map_or(name.trim(), shared_name))
}

/// The key of the platform that a front end keeps in a folder of this name.
fn platform_of_folder(name: &str) -> String {
    let known = platforms::by_folder(name).or_else(|| platforms::by_listed_name(name));
    fold(known.map_or(name.trim(), shared_name))
}

/// What the games database, and with it LaunchBox, calls a platform; its own name where that has none.
fn shared_name(platform: &Platform) -> &str {
    if platform.metadb.is_empty() { platform.name } else { platform.metadb }
}

fn is_platform(name: &str) -> bool {
    platforms::by_folder(name).is_some() || platforms::by_listed_name(name).is_some()
}

/// What follows from an absolute path; `None` for a file in no known layout.
pub fn tell(path: &str) -> Option<Told> {
    let mut folders: Vec<&str> = path.split('/').collect();
    let (stem, ending) = split(folders.pop()?)?;
    let told = of_retroarch(&folders, stem)
        .or_else(|| of_launchbox(&folders, stem))
        .or_else(|| of_front_end(&folders, stem))?;
    fits(told.field, ending).then_some(told)
}

fn of_retroarch(folders: &[&str], stem: &str) -> Option<Told> {
    let [.., system, folder] = folders else { return None };
    let known = pictures::KINDS.iter().map(|kind| (kind.folder, kind.field));
    let mut kinds = known.chain([LOGOS]).enumerate();
    let (rank, (_, field)) = kinds.find(|(_, (known, _))| known == folder)?;
    Some(Told {
        program: Program::RetroArch,
        platform: platform_of_game(system),
        field,
        rank,
        name: stem.to_owned(),
    })
}

/// The kind of a folder of pictures, `Images/<platform>/<kind>`, with one folder for a region below it.
fn of_launchbox(folders: &[&str], stem: &str) -> Option<Told> {
    let told = |platform: &str, rank: usize| Told {
        program: Program::LaunchBox,
        platform: platform_of_game(platform),
        field: launchbox::KINDS[rank].1,
        rank,
        name: launchbox_name(stem).to_owned(),
    };
    let kind = |folder: &str| {
        let kinds = launchbox::KINDS.iter();
        let mut folders = kinds.map(|(pattern, _)| pattern.strip_prefix(PICTURES));
        folders.position(|known| known == Some(folder))
    };
    let pictures = match folders {
        [.., "Images", platform, folder] => kind(folder).map(|rank| (*platform, rank)),
        _ => None,
    };
    let of_region = match folders {
        [.., "Images", platform, folder, _] => kind(folder).map(|rank| (*platform, rank)),
        _ => None,
    };
    if let Some((platform, rank)) = pictures.or(of_region) {
        return Some(told(platform, rank));
    }
    let other = |top: &str, platform: &str, below: &str| {
        let pattern = format!("{top}/{{}}{below}");
        let is_one = OTHERS.contains(&top) && is_platform(platform);
        let rank = launchbox::KINDS.iter().position(|(known, _)| *known == pattern);
        rank.filter(|_| is_one).map(|rank| told(platform, rank))
    };
    let [above @ .., top, platform] = folders else { return None };
    let of_kind = || other(above.last()?, top, &format!("/{platform}"));
    other(top, platform, "").or_else(of_kind)
}

/// `<system>/<kind>/<path of the game>`.
fn of_front_end(folders: &[&str], stem: &str) -> Option<Told> {
    for (at, folder) in folders.iter().enumerate().skip(1) {
        let Some(rank) = list_layout::KINDS.iter().position(|(known, _)| known == folder) else {
            continue;
        };
        let system = folders[at - 1];
        let is_below_media = at > 1 && folders[at - 2] == MEDIA_FOLDER;
        if !is_below_media && platforms::by_folder(system).is_none() {
            continue;
        }
        let mut name = folders[at + 1..].join("/");
        if !name.is_empty() {
            name.push('/');
        }
        name.push_str(stem);
        return Some(Told {
            program: Program::EsDe,
            platform: platform_of_folder(system),
            field: list_layout::KINDS[rank].1,
            rank,
            name,
        });
    }
    None
}

/// The title in the name of a file of LaunchBox: `<title>-01`, `<title>.<id>-01`.
fn launchbox_name(stem: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let title = stem.rsplit_once('-').filter(|(_, number)| is_number(number));
    let title = title.map_or(stem, |(title, _)| title);
    let is_id = |text: &str| {
        text.len() == ID_CHARS
            && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
            && text.matches('-').count() == 4
    };
    title.rsplit_once('.').filter(|(_, id)| is_id(id)).map_or(title, |(title, _)| title)
}

/// A name as programs spell it in names of files: each replaces other characters by `_`, so all of them count as
/// one. In lower case.
pub fn spelled(name: &str) -> String {
    fold(&launchbox::key_of_title(&pictures::file_name(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<(Program, &str, &str, &str)>) {
        let told = tell(path);
        let told = told.as_ref().map(|it| (it.program, it.platform.as_str(), it.field, &*it.name));
        let key = expected.map_or(String::new(), |expected| platform_of_game(expected.1));
        let expected = expected.map(|(program, _, field, name)| (program, &*key, field, name));
        assert_eq!(told, expected, "{path}");
    }

    #[test]
    fn platforms_that_front_ends_hold_as_one_have_one_key() {
        assert_eq!(platform_of_game("PC"), platform_of_game("Windows"));
        assert_eq!(platform_of_game("MAME"), platform_of_game("Arcade"));
        for (one, other) in [("PC", "Linux"), ("SNES", "NES"), ("", "PC"), ("My Console", "PC")] {
            assert_ne!(platform_of_game(one), platform_of_game(other), "{one} {other}");
        }
        check(
            "/h/Images/Windows/Box - Front/A-01.png",
            Some((Program::LaunchBox, "PC", "cover", "A")),
        );
    }

    #[test]
    fn paths_tell_program_platform_and_field() {
        use Program::{EsDe, LaunchBox, RetroArch};
        let media = "/h/ES-DE/downloaded_media";
        for (path, field, name) in [
            ("snes/covers/A (USA).png", "cover", "A (USA)"),
            ("snes/covers/sub/Dr. B.jpg", "cover", "sub/Dr. B"),
            ("snes/screenshots/A.png", "screenshots", "A"),
            ("snes/titlescreens/A.png", "title_screen", "A"),
            ("snes/marquees/A.png", "clear_logo", "A"),
            ("snes/fanart/A.jpg", "fanart", "A"),
            ("snes/3dboxes/A.png", "box_3d", "A"),
            ("snes/backcovers/A.png", "box_back", "A"),
            ("snes/physicalmedia/A.png", "cart_front", "A"),
            ("snes/manuals/A.pdf", "manual", "A"),
            ("snes/videos/A.mp4", "video_snap", "A"),
        ] {
            check(&format!("{media}/{path}"), Some((EsDe, "snes", field, name)));
        }
        check("/any/megadrive/covers/A.png", Some((EsDe, "sega genesis", "cover", "A")));
        check(
            &format!("{media}/My Console/covers/A.png"),
            Some((EsDe, "my console", "cover", "A")),
        );
        for path in [
            "/h/ES-DE/downloaded_media/snes/miximages/A.png",
            "/h/ES-DE/downloaded_media/snes/covers/A.mp4",
            "/h/ES-DE/downloaded_media/snes/covers/A",
            "/h/pictures/covers/A.png",
            "/h/A.png",
        ] {
            check(path, None);
        }
        let images = "/h/LaunchBox/Images/Super Nintendo Entertainment System";
        let id = "01234567-89ab-cdef-0123-456789abcdef";
        for (path, field, name) in [
            ("Box - Front/North America/Spider-Man_ X-01.png".to_owned(), "cover", "Spider-Man_ X"),
            (format!("Box - Front/A.{id}-01.jpg"), "cover", "A"),
            ("Box - Back/A-02.jpg".to_owned(), "box_back", "A"),
            ("Box - 3D/A-01.png".to_owned(), "box_3d", "A"),
            ("Clear Logo/A-01.png".to_owned(), "clear_logo", "A"),
            ("Fanart - Background/A-01.jpg".to_owned(), "background", "A"),
            ("Screenshot - Gameplay/Europe/A-10.png".to_owned(), "screenshots", "A"),
        ] {
            check(&format!("{images}/{path}"), Some((LaunchBox, "snes", field, name)));
        }
        check(
            "/h/LaunchBox/Videos/Sony Playstation/A.mp4",
            Some((LaunchBox, "playstation", "video_snap", "A")),
        );
        for (folder, field) in [("Theme", "video_theme"), ("Trailer", "video_trailer")] {
            let path = format!("/h/LaunchBox/Videos/Sony Playstation/{folder}/A.mp4");
            check(&path, Some((LaunchBox, "playstation", field, "A")));
        }
        check("/h/LaunchBox/Videos/Sony Playstation/Marquee/A.mp4", None);
        check("/h/LaunchBox/Manuals/Windows/A-01.pdf", Some((LaunchBox, "windows", "manual", "A")));
        check("/h/Videos/Holidays/A.mp4", None);
        check(&format!("{images}/Box - Front/a/b/A-01.png"), None);
        let thumbnails = "/h/thumbnails/Nintendo - Super Nintendo Entertainment System";
        for (folder, field) in [
            ("Named_Boxarts", "cover"),
            ("Named_Logos", "clear_logo"),
            ("Named_Snaps", "screenshots"),
            ("Named_Titles", "title_screen"),
        ] {
            check(
                &format!("{thumbnails}/{folder}/A _ B.png"),
                Some((RetroArch, "snes", field, "A _ B")),
            );
        }
        check(
            "/h/thumbnails/My List/Named_Snaps/A.png",
            Some((RetroArch, "my list", "screenshots", "A")),
        );
    }

    #[test]
    fn names_are_spelled_as_in_names_of_files() {
        for (title, file) in [
            ("Tom & Jerry: A \"Tail\"?", "Tom _ Jerry_ A _Tail__"),
            ("Q*bert's / X", "q_bert_s _ x"),
            ("Plain", "PLAIN"),
        ] {
            assert_eq!(spelled(title), spelled(file), "{title}");
        }
        assert_ne!(spelled("A+B"), spelled("A_B"));
    }
}
