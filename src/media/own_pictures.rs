//! Pictures from anywhere on this machine, copied to where pictures may lie.
//!
//! Owns the choice of what is copied and its name; a picture is named by its content, so the same
//! one is kept once. Everything that is not a picture by its content is refused.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{
    base::ids::hex,
    files::{DiskError, Files},
    formats::thumbnail::Kind,
    game::path_checks::absolute,
    probe::media_roots::MediaRoots,
};

/// The largest picture in bytes, as for pictures that are downloaded.
pub const LARGEST: u64 = 32 << 20;

/// Bytes of the checksum in a name.
const NAME_BYTES: usize = 16;

/// Where they lie, below the folder of media.
pub fn folder(media: &Path) -> PathBuf {
    media.join("own")
}

/// Why a picture is not taken.
#[derive(Debug, thiserror::Error)]
pub enum PictureFailure {
    /// The path does not begin at the root or the home directory.
    #[error("The picture must be an absolute path.")]
    Relative,
    #[error("There is no picture at this path that can be read.")]
    Missing,
    /// It is larger than [`LARGEST`].
    #[error("The picture is larger than 32 MiB.")]
    TooLarge,
    /// Its first bytes are not those of a picture that can be shown.
    #[error("Only PNG, JPEG and WebP pictures can be used.")]
    NoPicture,
    #[error("The picture could not be copied: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

/// Copies the picture at `wanted` into `folder` under the name of its content, unless it is there
/// already, and returns its path: `POST /api/media/adopt`. A picture below an approved media root
/// stays where it is. `~` is the home directory.
///
/// # Errors
/// [`PictureFailure`]; nothing was written unless the picture is whole.
pub fn adopt(
    files: &Files,
    roots: &MediaRoots,
    folder: &Path,
    wanted: &str,
    home: &Path,
) -> Result<PathBuf, PictureFailure> {
    let source = absolute(wanted.trim(), home).ok_or(PictureFailure::Relative)?;
    if source.to_str().is_some_and(|path| roots.approve(path).is_ok()) {
        return Ok(source);
    }
    keep(files, folder, &read(&source)?)
}

/// Writes a picture into `folder` under the name of its content, unless it is there already, and returns
/// its path.
///
/// # Errors
/// [`PictureFailure::NoPicture`] and [`PictureFailure::Disk`].
pub fn keep(files: &Files, folder: &Path, bytes: &[u8]) -> Result<PathBuf, PictureFailure> {
    let kind = Kind::of(bytes).ok_or(PictureFailure::NoPicture)?;
    let name = hex(&Sha256::digest(bytes)[..NAME_BYTES]);
    let path = folder.join(format!("{name}.{}", kind.ending()));
    // A copy that was cut or changed is rebuilt.
    if fs::read(&path).is_ok_and(|there| there == bytes) {
        return Ok(path);
    }
    files.private_dir(folder)?;
    files.replace(&path, bytes)?;
    Ok(path)
}

fn read(source: &Path) -> Result<Vec<u8>, PictureFailure> {
    let missing = |_: io::Error| PictureFailure::Missing;
    // Asked before it is opened: opening a pipe waits for a writer.
    let found = fs::metadata(source).map_err(missing)?;
    if !found.is_file() {
        return Err(PictureFailure::Missing);
    }
    let mut bytes = Vec::new();
    File::open(source)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(missing)?;
    if bytes.len() as u64 > LARGEST {
        return Err(PictureFailure::TooLarge);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nthe rest";

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn a_picture_is_copied_once_and_anything_else_refused() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let home = folder.path().join("home");
        let own = folder.path().join("data/media/own");
        fs::create_dir_all(&home).expect("folder");
        fs::write(home.join("cover.txt"), PNG).expect("file");
        fs::write(home.join("again.png"), PNG).expect("file");
        fs::write(home.join("words.png"), "words").expect("file");
        fs::write(home.join("empty.png"), "").expect("file");
        let large = File::create(home.join("large.png")).expect("file");
        large.set_len(LARGEST + 1).expect("length");
        let roots = MediaRoots::new(&folder.path().join("elsewhere"), &[]);
        let take = |wanted: &str| adopt(&Files::system(), &roots, &own, wanted, &home);
        let first = take("~/cover.txt").expect("copied");
        assert!(first.starts_with(&own) && first.extension().is_some_and(|ending| ending == "png"));
        assert_eq!(fs::read(&first).expect("there"), PNG);
        fs::write(&first, "cut").expect("damage");
        let again = take(&format!(" {} ", home.join("again.png").display())).expect("copied");
        assert_eq!((&again, fs::read(&again).expect("there")), (&first, PNG.to_vec()));
        for (wanted, expected) in [
            ("cover.txt", "The picture must be an absolute path."),
            ("", "The picture must be an absolute path."),
            ("~/gone.png", "There is no picture at this path that can be read."),
            ("~", "There is no picture at this path that can be read."),
            ("~/words.png", "Only PNG, JPEG and WebP pictures can be used."),
            ("~/empty.png", "Only PNG, JPEG and WebP pictures can be used."),
            ("~/large.png", "The picture is larger than 32 MiB."),
        ] {
            let refused = take(wanted).expect_err(wanted);
            assert_eq!(refused.to_string(), expected, "{wanted}");
        }
        assert_eq!(fs::read_dir(&own).expect("folder").count(), 1);
        fs::write(home.join("whole.png"), PNG).expect("file");
        let whole = File::options().write(true).open(home.join("whole.png")).expect("file");
        whole.set_len(LARGEST).expect("length");
        let taken = take("~/whole.png").expect("as large as may be");
        assert_eq!(fs::metadata(taken).expect("there").len(), LARGEST);
    }
}
