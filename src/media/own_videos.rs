//! Videos from anywhere on this machine, copied to where media may lie.
//!
//! As pictures (`own_pictures`): named by content, so the same one is kept once; what is not a video is refused,
//! whatever its name says. A video is never held in memory whole.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use crate::{
    base::ids::hex,
    files::{DiskError, Files},
    game::path_checks::absolute,
    probe::media_roots::{self, MediaRoots},
};

/// The largest video that is copied, in bytes.
pub const LARGEST: u64 = 512 << 20;
/// Bytes of the checksum in a name.
const NAME_BYTES: usize = 16;
/// Bytes that identify the type of a file.
const START: usize = 12;

/// Why a video is not taken.
#[derive(Debug, thiserror::Error)]
pub enum VideoFailure {
    /// The path does not begin at the root or the home directory.
    #[error("The video must be an absolute path.")]
    Relative,
    #[error("There is no video at this path that can be read.")]
    Missing,
    /// It is larger than [`LARGEST`].
    #[error("The video is larger than 512 MiB.")]
    TooLarge,
    /// Its first bytes are not those of a video that can be shown.
    #[error("Only MP4 and WebM videos can be used.")]
    NoVideo,
    #[error("The video could not be copied: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

/// Copies the video at `wanted` into `folder` under the name of its content and returns its path. A video
/// below an approved media root stays where it is.
///
/// # Errors
/// [`VideoFailure`]; no video was made then.
pub fn adopt(
    files: &Files,
    roots: &MediaRoots,
    folder: &Path,
    wanted: &str,
    home: &Path,
) -> Result<PathBuf, VideoFailure> {
    let wanted = absolute(wanted.trim(), home).ok_or(VideoFailure::Relative)?;
    if wanted.to_str().is_some_and(|path| roots.approve(path).is_ok()) {
        return Ok(wanted);
    }
    let missing = |_: io::Error| VideoFailure::Missing;
    let source = fs::canonicalize(&wanted).map_err(missing)?;
    // Without links from here on: what was checked is what is read.
    let source = source.to_str().and_then(|path| media_roots::open_without_links(path).ok());
    let source = source.ok_or(VideoFailure::Missing)?;
    if source.metadata().map_err(missing)?.len() > LARGEST {
        return Err(VideoFailure::TooLarge);
    }
    let mut start = Vec::new();
    (&source).take(START as u64).read_to_end(&mut start).map_err(missing)?;
    let ending = ending_of(&start).ok_or(VideoFailure::NoVideo)?;
    files.private_dir(folder)?;
    let mut digest = Sha256::new();
    let mut copy = files.write_beside(&folder.join(format!("video.{ending}")), |sink| {
        digest.update(&start);
        sink.write_all(&start)?;
        let mut piece = vec![0; 1 << 16];
        let mut source = source.take(LARGEST);
        loop {
            match source.read(&mut piece)? {
                0 => return Ok(()),
                read => {
                    digest.update(&piece[..read]);
                    sink.write_all(&piece[..read])?;
                }
            }
        }
    })?;
    let name = hex(&digest.finalize()[..NAME_BYTES]);
    let path = folder.join(format!("{name}.{ending}"));
    copy.persist(&path)?;
    files.sync_dir(folder)?;
    Ok(path)
}

fn ending_of(start: &[u8]) -> Option<&'static str> {
    if start.get(4..8) == Some(b"ftyp") {
        return Some("mp4");
    }
    start.starts_with(b"\x1a\x45\xdf\xa3").then_some("webm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn a_video_is_copied_once_and_anything_else_refused() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let home = folder.path().canonicalize().expect("a real path");
        let own = home.join("data/media/own");
        let video = b"\0\0\0\x18ftypmp42 the rest";
        fs::write(home.join("a.mp4"), video).expect("file");
        fs::write(home.join("b.mp4"), video).expect("file");
        fs::write(home.join("c.webm"), b"\x1a\x45\xdf\xa3").expect("file");
        fs::write(home.join("words.mp4"), "words").expect("file");
        let roots = MediaRoots::new(&home.join("elsewhere"), &[]);
        let take = |wanted: &str| adopt(&Files::system(), &roots, &own, wanted, &home);
        let first = take("~/a.mp4").expect("copied");
        assert_eq!(fs::read(&first).expect("there"), video);
        assert_eq!(take("~/b.mp4").expect("copied"), first);
        assert!(take("~/c.webm").expect("copied").extension().is_some_and(|it| it == "webm"));
        for (wanted, expected) in [
            ("a.mp4", "The video must be an absolute path."),
            ("~/gone.mp4", "There is no video at this path that can be read."),
            ("~", "There is no video at this path that can be read."),
            ("~/words.mp4", "Only MP4 and WebM videos can be used."),
        ] {
            assert_eq!(take(wanted).expect_err(wanted).to_string(), expected, "{wanted}");
        }
        let large = fs::File::options().write(true).open(home.join("b.mp4")).expect("file");
        large.set_len(LARGEST + 1).expect("length");
        let refused = take("~/b.mp4").expect_err("too large");
        assert_eq!(refused.to_string(), "The video is larger than 512 MiB.");
        assert_eq!(fs::read_dir(&own).expect("folder").count(), 2);
    }
}
