//! Pictures that a client sends in chunks: `POST /api/v2/media/upload`.
//!
//! The body of a request holds at most 64 KiB, so a picture that is dropped or pasted into the page arrives
//! in order, chunk by chunk, in a temporary file. It becomes one of the own pictures when it is whole and
//! its content is that of a picture. A kill leaves a temporary file, which the next start removes.

use std::{
    path::PathBuf,
    sync::Mutex,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::own_pictures::{self, LARGEST, PictureFailure};
use crate::{
    base::{Hold as _, ids::random_hex, schema::schema},
    files::{Files, temp::Temp},
};

/// The most characters of one chunk, in Base64.
pub const CHUNK: usize = 61_440;
/// How many pictures may be on their way at once. Another one takes the place of the one that waits longest.
const AT_ONCE: usize = 4;
/// How long a picture may wait for its next chunk.
const PATIENCE: Duration = Duration::from_mins(10);
/// Random bytes of a number.
const ID_BYTES: usize = 12;

/// Why a chunk is not accepted. All but disk errors keep the earlier chunks.
#[derive(Debug, thiserror::Error)]
pub enum UploadFailure {
    #[error("size must be a whole number from 1 to 33554432.")]
    Size,
    /// It has too many characters, or is not Base64.
    #[error("data must be Base64 of at most 61440 characters.")]
    Chunk,
    /// It was never begun, waited too long, or another one took its place.
    #[error("There is no such upload. Begin again.")]
    Unknown,
    /// A chunk is missing or came twice; the number is the next expected chunk.
    #[error("offset must be {0}.")]
    Offset(u64),
    /// More bytes than the announced size.
    #[error("The picture is larger than size says.")]
    TooLong,
    #[error(transparent)]
    Picture(#[from] PictureFailure),
}

/// One chunk of a picture.
pub struct UploadChunk<'a> {
    /// The picture it continues; empty begins one.
    pub upload_id: &'a str,
    /// Bytes of the whole picture; checked when it begins.
    pub size: u64,
    /// Bytes of it that were sent before.
    pub offset: u64,
    /// Base64, with padding.
    pub data: &'a str,
}

schema! {
    "UploadProgress"
    /// How much of a picture arrived.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Progress {
        /// What the next chunk names.
        pub upload_id: String,
        /// Bytes that are here.
        pub received: u64,
        /// Bytes of the whole picture.
        pub size: u64,
        /// Where the picture lies, once it is whole.
        pub path: Option<String>,
    }
}

struct Upload {
    id: String,
    size: u64,
    received: u64,
    touched: Instant,
    temp: Temp,
}

/// The pictures that are on their way.
pub struct Uploads {
    files: Files,
    folder: PathBuf,
    open: Mutex<Vec<Upload>>,
}

impl Uploads {
    /// Keeps whole pictures in `folder`.
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self { files, folder, open: Mutex::default() }
    }

    /// Takes a chunk. The last one answers with the path of the picture.
    ///
    /// # Errors
    /// [`UploadFailure`]. A picture that turns out to be none is forgotten.
    pub fn take(&self, chunk: &UploadChunk<'_>, now: Instant) -> Result<Progress, UploadFailure> {
        if chunk.data.len() > CHUNK {
            return Err(UploadFailure::Chunk);
        }
        let bytes = STANDARD.decode(chunk.data).map_err(|_| UploadFailure::Chunk)?;
        let mut open = self.open.hold();
        open.retain(|upload| now.saturating_duration_since(upload.touched) < PATIENCE);
        let at = match open.iter().position(|upload| upload.id == chunk.upload_id) {
            Some(at) => at,
            None if !chunk.upload_id.is_empty() => return Err(UploadFailure::Unknown),
            None => self.begin(&mut open, chunk, now)?,
        };
        let upload = &mut open[at];
        if chunk.offset != upload.received {
            return Err(UploadFailure::Offset(upload.received));
        }
        let received = upload.received + bytes.len() as u64;
        if received > upload.size {
            return Err(UploadFailure::TooLong);
        }
        // What a failed write left in the file would be followed by the same chunk.
        if let Err(error) = upload.temp.extend_unsynced(&bytes) {
            open.remove(at);
            return Err(PictureFailure::from(error).into());
        }
        (upload.received, upload.touched) = (received, now);
        let (upload_id, size) = (upload.id.clone(), upload.size);
        let path = if received == size {
            let whole = open.remove(at);
            drop(open);
            Some(self.finish(&whole)?.to_string_lossy().into_owned())
        } else {
            None
        };
        Ok(Progress { upload_id, received, size, path })
    }

    fn begin(
        &self,
        open: &mut Vec<Upload>,
        chunk: &UploadChunk<'_>,
        now: Instant,
    ) -> Result<usize, UploadFailure> {
        if !(1..=LARGEST).contains(&chunk.size) {
            return Err(UploadFailure::Size);
        }
        if chunk.offset != 0 {
            return Err(UploadFailure::Offset(0));
        }
        self.files.private_dir(&self.folder).map_err(PictureFailure::from)?;
        let beside = self.folder.join("upload");
        let temp = self.files.write_beside(&beside, |_| Ok(())).map_err(PictureFailure::from)?;
        if open.len() >= AT_ONCE {
            let waiting = open.iter().enumerate().min_by_key(|(_, upload)| upload.touched);
            if let Some((longest, _)) = waiting {
                open.remove(longest);
            }
        }
        let id = random_hex(ID_BYTES);
        open.push(Upload { id, size: chunk.size, received: 0, touched: now, temp });
        Ok(open.len() - 1)
    }

    fn finish(&self, whole: &Upload) -> Result<PathBuf, PictureFailure> {
        let bytes = self.files.read(whole.temp.path())?;
        own_pictures::keep(&self.files, &self.folder, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nthe rest";

    fn chunk<'a>(upload_id: &'a str, offset: u64, data: &'a str) -> UploadChunk<'a> {
        UploadChunk { upload_id, size: PNG.len() as u64, offset, data }
    }

    fn refused(outcome: Result<Progress, UploadFailure>) -> String {
        outcome.expect_err("refused").to_string()
    }

    #[test]
    fn pieces_become_a_picture_and_everything_else_is_refused() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let own = folder.path().join("media/own");
        let uploads = Uploads::new(Files::system(), own.clone());
        let (now, size) = (Instant::now(), PNG.len() as u64);
        let [first, last] = [&PNG[..8], &PNG[8..]].map(|part| STANDARD.encode(part));
        for size in [0, LARGEST + 1] {
            let outcome = uploads.take(&UploadChunk { size, ..chunk("", 0, &first) }, now);
            assert_eq!(refused(outcome), "size must be a whole number from 1 to 33554432.");
        }
        assert_eq!(refused(uploads.take(&chunk("", 8, &last), now)), "offset must be 0.");
        let long = "A".repeat(CHUNK + 4);
        for data in ["no base64", "QQ", &long] {
            let outcome = uploads.take(&chunk("", 0, data), now);
            assert_eq!(
                refused(outcome),
                "data must be Base64 of at most 61440 characters.",
                "{data}"
            );
        }
        let begun = uploads.take(&chunk("", 0, &first), now).expect("taken");
        let id = begun.upload_id.clone();
        assert_eq!(begun, Progress { upload_id: id.clone(), received: 8, size, path: None });
        assert_eq!(refused(uploads.take(&chunk(&id, 0, &first), now)), "offset must be 8.");
        let more = STANDARD.encode(&PNG[7..]);
        let outcome = uploads.take(&chunk(&id, 8, &more), now);
        assert_eq!(refused(outcome), "The picture is larger than size says.");
        let whole = uploads.take(&chunk(&id, 8, &last), now).expect("taken");
        let path = whole.path.expect("whole");
        assert_eq!(fs::read(&path).expect("there"), PNG);
        assert_eq!(fs::read_dir(&own).expect("folder").count(), 1, "nothing else stays");
        let outcome = uploads.take(&chunk(&id, size, ""), now);
        assert_eq!(refused(outcome), "There is no such upload. Begin again.");
    }

    #[test]
    fn what_is_no_picture_waits_too_long_or_is_one_too_many_is_forgotten() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let own = folder.path().join("own");
        let uploads = Uploads::new(Files::system(), own.clone());
        let now = Instant::now();
        let words = STANDARD.encode(b"<html>a page");
        let outcome = uploads.take(&UploadChunk { size: 12, ..chunk("", 0, &words) }, now);
        assert_eq!(refused(outcome), "Only PNG, JPEG and WebP pictures can be used.");
        assert_eq!(fs::read_dir(&own).expect("folder").count(), 0);
        let begin = |at| uploads.take(&chunk("", 0, "iVBO"), at).expect("taken").upload_id;
        let ids: Vec<String> = (0..=4).map(|at| begin(now + Duration::from_secs(at))).collect();
        let later = now + Duration::from_secs(5);
        let gone = |id: &str, at| refused(uploads.take(&chunk(id, 3, ""), at));
        assert_eq!(gone(&ids[0], later), "There is no such upload. Begin again.");
        assert_eq!(fs::read_dir(&own).expect("folder").count(), AT_ONCE);
        assert!(uploads.take(&chunk(&ids[1], 3, "RfX/"), later).is_ok());
        assert_eq!(gone(&ids[1], later + PATIENCE), "There is no such upload. Begin again.");
        assert_eq!(fs::read_dir(&own).expect("folder").count(), 0);
    }
}
