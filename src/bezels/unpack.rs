//! Reading an archive of bezels: its directory is checked as a whole before a file is written.

use std::{
    collections::HashSet,
    io::{BufReader, Read as _},
    path::Path,
};

use zip::{CompressionMethod, ZipArchive};

use super::{
    error::BezelError,
    layout::{self, Index},
};
use crate::{
    files::{Files, source::Source, space},
    providers::error::Cancel,
};

/// Members of an archive.
const MEMBERS: usize = 100_000;
/// Bytes of the largest picture.
const PICTURE_BYTES: u64 = 64 << 20;
/// Bytes of the largest settings file.
const SETTINGS_BYTES: u64 = 1 << 20;
/// Bytes of all files together.
const ALL_BYTES: u64 = 2 << 30;
/// Bytes moved at once.
const PIECE: usize = 1 << 18;
/// The type bits of the mode of a regular file, and of a file of systems without modes.
const REGULAR: [u32; 2] = [0, 0o100_000];

type Archive = ZipArchive<BufReader<Source>>;

/// A member that is needed.
struct Member {
    at: usize,
    /// Below the folder of the platform.
    path: String,
    size: u64,
}

/// Writes what is needed of an archive into a folder, which is there and empty. The files say that they
/// lie in `target`, where the folder goes afterwards.
///
/// # Errors
/// [`BezelError`]; then the folder may hold a part.
pub(super) fn unpack(
    files: &Files,
    archive: &Path,
    into: &Path,
    target: &Path,
    cancel: Cancel<'_>,
) -> Result<(), BezelError> {
    let mut zip =
        ZipArchive::new(BufReader::new(files.open(archive)?)).map_err(|_| BezelError::Damaged)?;
    let members = directory(&mut zip)?;
    if members.is_empty() {
        return Err(BezelError::Empty);
    }
    let needed = members.iter().map(|member| member.size).sum::<u64>();
    if space::free_bytes(into).is_some_and(|free| free < needed) {
        return Err(BezelError::NoRoom);
    }
    let index = Index::of(members.iter().map(|member| member.path.as_str()));
    for member in &members {
        if cancel() {
            return Err(BezelError::TookTooLong);
        }
        let path = into.join(&member.path);
        files.private_dir(path.parent().unwrap_or(into))?;
        let mut file = files.append_or_create(&path)?;
        if layout::is_settings(&member.path) {
            let mut bytes = Vec::new();
            read(&mut zip, member, cancel, &mut |piece| {
                bytes.extend_from_slice(piece);
                Ok(())
            })?;
            // A file that is not text holds no paths.
            match String::from_utf8(bytes) {
                Ok(text) => file.append(layout::rewrite(&text, &index, target).as_bytes())?,
                Err(other) => file.append(other.as_bytes())?,
            }
        } else {
            read(&mut zip, member, cancel, &mut |piece| Ok(file.append(piece)?))?;
        }
    }
    Ok(())
}

/// The members that are needed. Every member is checked, also those that are not.
fn directory(zip: &mut Archive) -> Result<Vec<Member>, BezelError> {
    if zip.len() > MEMBERS {
        return Err(BezelError::TooMuch);
    }
    if zip.has_duplicate_names() {
        return Err(BezelError::Damaged);
    }
    let (mut members, mut seen) = (Vec::new(), HashSet::new());
    let mut total = 0_u64;
    for at in 0..zip.len() {
        let entry = zip.by_index_data(at).map_err(|_| BezelError::Damaged)?;
        let name = entry.name().map_err(|_| BezelError::Unsafe)?.into_owned();
        if !layout::is_safe(&name) {
            return Err(BezelError::Unsafe);
        }
        let Some(path) = layout::kept(&name) else { continue };
        let kind = (entry.external_attributes() >> 16) & 0o170_000;
        if !REGULAR.contains(&kind) {
            return Err(BezelError::Unsafe);
        }
        let is_known =
            [CompressionMethod::Stored, CompressionMethod::Deflated].contains(&entry.compression());
        if entry.encrypted() || !is_known {
            return Err(BezelError::Damaged);
        }
        // Folders in front of the kept part may differ.
        if !seen.insert(path.to_owned()) {
            return Err(BezelError::Damaged);
        }
        let size = entry.size();
        total = total.saturating_add(size);
        let most = if layout::is_settings(path) { SETTINGS_BYTES } else { PICTURE_BYTES };
        if size > most || total > ALL_BYTES {
            return Err(BezelError::TooMuch);
        }
        members.push(Member { at, path: path.to_owned(), size });
    }
    Ok(members)
}

/// Reads a member piece by piece: exactly as many bytes as the directory says.
fn read(
    zip: &mut Archive,
    member: &Member,
    cancel: Cancel<'_>,
    take: &mut dyn FnMut(&[u8]) -> Result<(), BezelError>,
) -> Result<(), BezelError> {
    let mut entry = zip.by_index(member.at).map_err(|_| BezelError::Damaged)?;
    let mut buffer = vec![0; PIECE];
    let mut read = 0_u64;
    loop {
        if cancel() {
            return Err(BezelError::TookTooLong);
        }
        let count = match entry.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(BezelError::Damaged),
        };
        read += count as u64;
        if read > member.size {
            return Err(BezelError::TooMuch);
        }
        take(&buffer[..count])?;
    }
    if read == member.size { Ok(()) } else { Err(BezelError::Damaged) }
}
