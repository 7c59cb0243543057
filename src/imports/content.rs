//! Reads the platform from the content of files where folder and extension are ambiguous.

use std::{io, path::Path};

use crate::{
    discs::{self, Content, Image},
    formats::{
        content::{self, Bytes, PART},
        packed,
    },
    platforms,
    scan::{
        extensions::{self, DISC_IMAGE},
        references::GameFile,
        tree::Tree,
    },
};

/// Parts of files that are read for one game.
const READINGS: usize = 2;

/// Parts that are read of an image in a container, whose map and sectors lie apart.
const IMAGE_READINGS: usize = 32;

/// Extensions of files that are games only by their content.
const DOUBTFUL: [&str; 5] = ["bin", "img", "md", "dsk", "mdf"];

/// A file that is read in parts, at most as many as are left.
struct Parts<'a> {
    tree: &'a dyn Tree,
    path: &'a Path,
    left: &'a mut usize,
}

impl Bytes for Parts<'_> {
    fn read(&mut self, position: u64) -> Vec<u8> {
        if *self.left == 0 {
            return Vec::new();
        }
        *self.left -= 1;
        self.tree.read_part(self.path, position, PART as u64).unwrap_or_default()
    }
}

/// Gives a game the platform of its content, where that is conclusive and nothing else is.
pub fn settle(tree: &dyn Tree, game_file: &mut GameFile) {
    let first = game_file.discs.first().unwrap_or(&game_file.file);
    let suffix = first.extension.suffix;
    if first.is_certain {
        return;
    }
    let found = if packed::ARCHIVES.contains(&suffix) {
        platform_of_members(tree, Path::new(&first.path()), suffix)
            .or_else(|| extensions::packed_platform(&first.name, first.extension))
    } else if is_asked(first.platform, suffix) {
        let own = [game_file.file.path().into()];
        let paths = if game_file.images.is_empty() { &own[..] } else { &*game_file.images };
        let mut left = READINGS;
        paths.iter().find_map(|path| {
            let path = Path::new(&**path);
            content::platform(&mut Parts { tree, path, left: &mut left })
                .or_else(|| platform_of_image(tree, path))
        })
    } else {
        None
    };
    if let Some(platform) = found {
        for file in game_file.discs.iter_mut().chain([&mut game_file.file]) {
            file.platform = platform;
        }
    }
}

/// The platform of the first file in an archive whose extension means one.
fn platform_of_members(tree: &dyn Tree, path: &Path, suffix: &str) -> Option<&'static str> {
    let length = tree.size(path).ok()?;
    let mut left = READINGS;
    let names = packed::names(suffix, &mut Parts { tree, path, left: &mut left }, length);
    let known = names.iter().filter_map(|name| extensions::find(name.as_bytes()));
    known.into_iter().find_map(|extension| Some(platforms::usual(extension.suffix)?.name))
}

/// The platform of a disc in a container: that of its first track with data.
fn platform_of_image(tree: &dyn Tree, path: &Path) -> Option<&'static str> {
    let suffix = path.extension()?.to_str()?.to_ascii_lowercase();
    if !discs::EXTENSIONS.contains(&&*suffix) {
        return None;
    }
    let length = tree.size(path).ok()?;
    let windows = [const { Window { at: 0, bytes: Vec::new() } }; 2];
    let file = Windows { tree, path, length, left: IMAGE_READINGS, windows };
    let image = Image::open(Box::new(file)).ok()?;
    let at = image.tracks().iter().position(|track| track.is_data)?;
    content::platform(&mut Sectors(image.into_track(at)))
}

/// A part of a file that was read.
struct Window {
    at: u64,
    bytes: Vec<u8>,
}

/// A file of which the two parts that were used last are kept: a place in a map and one with sectors.
struct Windows<'a> {
    tree: &'a dyn Tree,
    path: &'a Path,
    length: u64,
    /// Parts that may still be read.
    left: usize,
    /// The one that was used last comes first.
    windows: [Window; 2],
}

impl Content for Windows<'_> {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() && at.saturating_add(filled as u64) < self.length {
            let place = at.saturating_add(filled as u64);
            let holds = |window: &Window| {
                place >= window.at && place - window.at < window.bytes.len() as u64
            };
            if !holds(&self.windows[0]) {
                self.windows.swap(0, 1);
            }
            if !holds(&self.windows[0]) {
                self.left = self.left.checked_sub(1).ok_or(io::ErrorKind::FileTooLarge)?;
                let bytes = self.tree.read_part(self.path, place, PART as u64)?;
                self.windows[0] = Window { at: place, bytes };
            }
            let window = &self.windows[0];
            let start = usize::try_from(place - window.at).unwrap_or(usize::MAX);
            let bytes = window.bytes.get(start..).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            let count = bytes.len().min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&bytes[..count]);
            filled += count;
        }
        Ok(filled)
    }
}

/// The sectors of a disc, read in parts.
struct Sectors<'a>(Box<dyn Content + 'a>);

impl Bytes for Sectors<'_> {
    fn read(&mut self, position: u64) -> Vec<u8> {
        // What cannot be unpacked gives no platform.
        discs::part(&mut *self.0, position, PART).unwrap_or_default()
    }
}

/// Whether the content of a file may add to its platform and extension so far.
fn is_asked(platform: &str, suffix: &str) -> bool {
    match platform {
        "" => DOUBTFUL.contains(&suffix),
        DISC_IMAGE => true,
        _ => CONTAINERS.contains(&suffix),
    }
}

/// Extensions of containers that several platforms use.
const CONTAINERS: [&str; 11] =
    ["rvz", "gcm", "gcz", "wia", "pbp", "cso", "zso", "dax", "xex", "cdi", "tap"];

#[cfg(test)]
mod tests {
    use super::{
        super::candidates::{self, Preferences},
        *,
    };
    use crate::scan::tree::memory::MemoryTree;

    fn at(position: usize, bytes: &[u8]) -> Vec<u8> {
        let mut content = vec![0; position + bytes.len() + PART];
        content[position..position + bytes.len()].copy_from_slice(bytes);
        content
    }

    #[track_caller]
    fn check(files: &[(&str, &[u8])], expected: &[(&str, &str)], readings: usize) {
        let mut tree = MemoryTree::default();
        for (path, content) in files {
            tree.put(path, content);
        }
        let found = candidates::find(&tree, "/r", Path::new("/data"), &Preferences::default());
        let games: Vec<(String, &str)> =
            found.games.iter().map(|game| (game.best.path(), game.best.platform())).collect();
        let games: Vec<(&str, &str)> =
            games.iter().map(|(path, platform)| (&path[3..], *platform)).collect();
        assert_eq!(games, expected);
        assert_eq!(tree.reads.get(), readings);
    }

    #[test]
    fn content_decides_where_folder_and_extension_do_not() {
        let saturn = at(0, b"SEGA SEGASATURN");
        let xbox = at(0x1_0000, b"MICROSOFT*XBOX*MEDIA");
        check(&[("/r/a.iso", &saturn)], &[("a.iso", "Sega Saturn")], 1);
        check(&[("/r/a.iso", &xbox)], &[("a.iso", "Xbox")], 2);
        check(&[("/r/a.iso", b"")], &[("a.iso", "Disc image")], 1);
        check(&[("/r/a.iso", &at(0, b"?"))], &[("a.iso", "Disc image")], 2);
        check(&[("/r/psx/a.iso", &saturn)], &[("psx/a.iso", "PlayStation")], 0);
        check(&[("/r/a.xex", b"XEX2")], &[("a.xex", "Xbox 360")], 1);
        check(&[("/r/a.nes", b"")], &[("a.nes", "NES")], 0);
    }

    fn image(gzip: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        io::copy(&mut flate2::read::GzDecoder::new(gzip), &mut bytes).expect("gzip");
        bytes
    }

    #[test]
    fn a_disc_in_a_container_has_the_platform_of_its_data() {
        let sega = image(include_bytes!("../../tests/discs/sega.chd.gz"));
        let sound_first = image(include_bytes!("../../tests/discs/pce.chd.gz"));
        let psx = image(include_bytes!("../../tests/discs/psx.chd.gz"));
        let dvd = image(include_bytes!("../../tests/discs/ps2-lzma.chd.gz"));
        let rvz = image(include_bytes!("../../tests/discs/gc-zstd.rvz.gz"));
        let gcz = image(include_bytes!("../../tests/discs/gc.gcz.gz"));
        // The header, its list of tracks, and the whole file.
        check(&[("/r/a.chd", &sega)], &[("a.chd", "Sega CD")], 3);
        check(&[("/r/a.chd", &sound_first)], &[("a.chd", "PC Engine CD")], 3);
        check(&[("/r/a.chd", &psx)], &[("a.chd", "PlayStation")], 3);
        check(&[("/r/a.chd", &dvd)], &[("a.chd", "PlayStation 2")], 3);
        check(&[("/r/ps2/a.chd", &psx)], &[("ps2/a.chd", "PlayStation 2")], 0);
        check(&[("/r/l.m3u", b"a.chd"), ("/r/a.chd", &sega)], &[("l.m3u", "Sega CD")], 4);
        check(&[("/r/a.rvz", &rvz)], &[("a.rvz", "GameCube")], 1);
        check(&[("/r/a.gcz", &gcz)], &[("a.gcz", "GameCube")], 1);
        check(&[("/r/a.chd", &sega[..900])], &[("a.chd", "Disc image")], 3);
        check(&[("/r/a.chd", b"MComprHD")], &[("a.chd", "Disc image")], 2);
    }

    #[test]
    fn an_image_that_asks_for_many_parts_is_given_up() {
        // A packed map that begins far away, and hunks that lie apart.
        let mut tree = MemoryTree::default();
        tree.put("/r/a.chd", &[&b"MComprHD"[..], &vec![0; 40 * PART]].concat());
        let windows = [const { Window { at: 0, bytes: Vec::new() } }; 2];
        let path = Path::new("/r/a.chd");
        let mut file =
            Windows { tree: &tree, path, length: 41 * PART as u64, left: IMAGE_READINGS, windows };
        let mut read = 0;
        while file.read_at(read as u64 * PART as u64, &mut [0; 8]).is_ok() {
            read += 1;
        }
        assert_eq!((read, tree.reads.get()), (IMAGE_READINGS, IMAGE_READINGS));
    }

    #[test]
    fn an_archive_has_the_platform_of_what_is_in_it() {
        let zipped = |names: &[&str]| {
            let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
            for name in names {
                zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("started");
            }
            zip.finish().expect("finished").into_inner()
        };
        let game = zipped(&["readme.txt", "Game (USA).sfc"]);
        check(&[("/r/Game.zip", &game)], &[("Game.zip", "SNES")], 1);
        check(&[("/r/nes/Game.zip", &game)], &[("nes/Game.zip", "NES")], 0);
        check(&[("/r/Game.zip", &zipped(&["a.bin"]))], &[("Game.zip", "Imported")], 1);
        check(&[("/r/Game.gba.zip", &game)], &[("Game.gba.zip", "SNES")], 1);
        check(&[("/r/Game.gba.zip", b"?")], &[("Game.gba.zip", "Game Boy Advance")], 1);
        check(&[("/r/Game.zip", b"no archive")], &[("Game.zip", "Imported")], 1);
    }

    #[test]
    fn a_sheet_and_a_playlist_have_the_platform_of_their_image() {
        let saturn = at(0, b"SEGA SEGASATURN");
        let sheet: &[u8] = b"FILE \"a.bin\" BINARY";
        check(&[("/r/a.cue", sheet), ("/r/a.bin", &saturn)], &[("a.cue", "Sega Saturn")], 2);
        check(
            &[("/r/l.m3u", b"a.cue"), ("/r/a.cue", sheet), ("/r/a.bin", &saturn)],
            &[("l.m3u", "Sega Saturn")],
            3,
        );
    }

    #[test]
    fn a_file_that_other_things_use_is_a_game_with_the_header_of_one() {
        let game = at(0x100, b"SEGA GENESIS");
        check(&[("/r/a.md", &game), ("/r/b.md", b"# b")], &[("a.md", "Sega Genesis")], 2);
        check(&[("/r/a.dat", &game), ("/r/README.md", &game)], &[], 0);
    }
}
