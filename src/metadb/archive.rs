//! From the downloaded archive to the database file: every member with the extension `.xml` is read as a
//! stream, straight from the unpacker into the parser.

use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

use zip::ZipArchive;

use super::build::{BuildError, Builder, Counts};
use crate::{databases::sync::Watch, formats::metadata_dump};

/// Bytes of XML that are read at most, of all members together.
const XML_BYTES: u64 = 8 << 30;
/// Bytes unpacked at once.
const PIECE: usize = 128 << 10;
/// Records between two checks for a cancellation.
const PACE: u64 = 1_000;

/// Why no database was made of an archive.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiveError {
    #[error("it is no ZIP archive")]
    NoArchive,
    #[error("a member is damaged: {0}")]
    Member(String),
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Makes the database in the empty file `to`, with these facts besides those of the archive.
///
/// # Errors
/// [`ArchiveError`]; what is in the file then is worth nothing.
pub(super) fn import(
    archive: File,
    to: &Path,
    facts: &[(&str, &str)],
    watch: &Watch<'_>,
) -> Result<Counts, ArchiveError> {
    let archive = ZipArchive::new(BufReader::with_capacity(PIECE, archive));
    let mut archive = archive.map_err(|_| ArchiveError::NoArchive)?;
    (watch.expect)(size_of_dump(&mut archive));
    let mut builder = Builder::new(to)?;
    let mut read = 0_u64;
    for index in 0..archive.len() {
        let member = archive.by_index(index);
        let member = member.map_err(|error| ArchiveError::Member(error.to_string()))?;
        if !is_dump(member.name_raw()) {
            continue;
        }
        let counted =
            Counted { inner: member.take(XML_BYTES - read), count: 0, watch, before: read };
        let mut source = BufReader::with_capacity(PIECE, counted);
        let mut records = 0_u64;
        let outcome = metadata_dump::each(&mut source, &mut |record| {
            records += 1;
            if records.is_multiple_of(PACE) && !(watch.goes_on)() {
                return Err(BuildError::Stopped);
            }
            builder.take(record)
        });
        read += source.get_ref().count;
        outcome.map_err(|error| match error {
            BuildError::Dump(error) => ArchiveError::Member(error.to_string()),
            other => other.into(),
        })?;
    }
    Ok(builder.finish(facts)?)
}

fn is_dump(name: &[u8]) -> bool {
    name.to_ascii_lowercase().ends_with(b".xml")
}

/// Bytes of all members, by the directory of the archive.
fn size_of_dump(archive: &mut ZipArchive<BufReader<File>>) -> u64 {
    let sizes = (0..archive.len()).map(|index| {
        let member = archive.by_index_raw(index).ok().filter(|member| is_dump(member.name_raw()));
        member.map_or(0, |member| member.size())
    });
    sizes.fold(0, u64::saturating_add)
}

/// Counts the bytes read and reports them.
struct Counted<'a, R> {
    inner: R,
    count: u64,
    before: u64,
    watch: &'a Watch<'a>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        (self.watch.progress)(self.before + self.count);
        Ok(count)
    }
}
