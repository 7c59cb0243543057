//! A pack of the definition channel: an archive of definition files, read and verified as a whole.
//!
//! Nothing of a pack is used before all of it was verified. Files beside the definitions, such as a note to the
//! reader, are left out.

use std::{
    collections::{BTreeMap, HashSet},
    io::Read as _,
};

use flate2::bufread::GzDecoder;

use super::ledger;
use crate::{
    formats::{
        definition_file::{self, DefinitionError},
        tar::{self, TarError},
    },
    model::emulators::Origin,
};

/// Definitions of the largest pack.
pub const MAX_FILES: usize = 400;
/// Members of the largest archive, with the folders and the files that are no definitions.
const MAX_MEMBERS: usize = 2 * MAX_FILES;
/// Bytes of the largest archive before it was packed.
const UNPACKED_BYTES: usize = 32 << 20;

/// A pack that can be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// The SHA-256 of the archive.
    pub digest: String,
    /// The files by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Why an archive is not a pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    #[error("the archive cannot be unpacked")]
    Packing,
    #[error("the archive is too large")]
    TooLarge,
    /// It is not an archive of plain files.
    #[error(transparent)]
    Tar(#[from] TarError),
    #[error("the name {0:?} stands twice")]
    TwiceName(String),
    #[error("the id {0:?} stands twice")]
    TwiceId(String),
    #[error("the definition {name:?} cannot be used: {error}")]
    Invalid {
        /// The name of its file.
        name: String,
        /// What is wrong.
        error: DefinitionError,
    },
    #[error("the archive holds no definition")]
    Empty,
}

/// Reads a pack whose signature was checked.
///
/// # Errors
/// [`PackError`].
pub fn read(archive: &[u8]) -> Result<Pack, PackError> {
    let bytes = unpack(archive)?;
    let mut files = BTreeMap::new();
    let (mut names, mut ids) = (HashSet::new(), HashSet::new());
    for member in tar::read(&bytes, MAX_MEMBERS)? {
        let Some(content) = member.content else { continue };
        let name = member.path.rsplit('/').next().unwrap_or(member.path);
        // Some archivers put attributes of a file into a hidden file beside it.
        if name.starts_with('.') || name.strip_suffix(".yaml").is_none() {
            continue;
        }
        if files.len() == MAX_FILES {
            return Err(TarError::TooMany.into());
        }
        let parsed = definition_file::parse(content, Origin::Community);
        let definition =
            parsed.map_err(|error| PackError::Invalid { name: name.to_owned(), error })?;
        // Also where the disk takes names that differ in their case for one.
        if !names.insert(name.to_lowercase()) {
            return Err(PackError::TwiceName(name.to_owned()));
        }
        if !ids.insert(definition.id.clone()) {
            return Err(PackError::TwiceId(definition.id));
        }
        files.insert(name.to_owned(), content.to_vec());
    }
    if files.is_empty() {
        return Err(PackError::Empty);
    }
    Ok(Pack { digest: ledger::digest(archive), files })
}

fn unpack(archive: &[u8]) -> Result<Vec<u8>, PackError> {
    let mut packed = archive;
    let mut bytes = Vec::new();
    let decoder = GzDecoder::new(&mut packed);
    let read = decoder.take(UNPACKED_BYTES as u64 + 1).read_to_end(&mut bytes);
    if bytes.len() > UNPACKED_BYTES {
        return Err(PackError::TooLarge);
    }
    match read {
        Ok(_) if packed.is_empty() => Ok(bytes),
        Ok(_) | Err(_) => Err(PackError::Packing),
    }
}

/// Makes packs, good and bad.
#[cfg(test)]
pub(crate) mod make {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use crate::formats::tar::make;

    pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("in memory");
        encoder.finish().expect("in memory")
    }

    /// A complete definition.
    pub(crate) fn definition(id: &str, platform: &str) -> String {
        include_str!("../../definitions/mame-arcade.yaml")
            .replace("mame-arcade", id)
            .replace("platform: Arcade", &format!("platform: {platform}"))
    }

    /// An archive of definitions, packed.
    pub(crate) fn pack(definitions: &[(&str, &str)]) -> Vec<u8> {
        let members = definitions.iter().map(|(id, platform)| {
            make::member(&format!("defs/{id}.yaml"), b'0', definition(id, platform).as_bytes())
        });
        gzip(&make::archive(&members.collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::{make::*, *};
    use crate::formats::{
        definition_file::FILE_BYTES,
        tar::make::{archive, member},
    };

    #[test]
    fn a_pack_is_read_by_base_names() {
        let bytes = pack(&[("a", "P"), ("b", "Q")]);
        let read = read(&bytes).expect("a pack");
        assert_eq!(read.files.keys().collect::<Vec<_>>(), ["a.yaml", "b.yaml"]);
        assert_eq!(read.files["a.yaml"], definition("a", "P").into_bytes());
        assert_eq!(read.digest, ledger::digest(&bytes));
    }

    #[track_caller]
    fn refused(members: &[Vec<u8>], expected: &str) {
        let error = read(&gzip(&archive(members))).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn what_is_no_pack_is_refused_whole() {
        let good = |path: &str, id: &str| member(path, b'0', definition(id, "P").as_bytes());
        refused(&[], "the archive holds no definition");
        refused(&[member("folder/", b'5', b"")], "the archive holds no definition");
        refused(&[member("README", b'0', b"x")], "the archive holds no definition");
        refused(&[good("x/.a.yaml", "a")], "the archive holds no definition");
        refused(
            &[good("x/a.yaml", "a"), good("y/a.yaml", "b")],
            "the name \"a.yaml\" stands twice",
        );
        refused(&[good("a.yaml", "a"), good("A.yaml", "b")], "the name \"A.yaml\" stands twice");
        refused(&[good("a.yaml", "a"), good("b.yaml", "a")], "the id \"a\" stands twice");
        refused(&[member("a.yaml", b'2', b"")], "the member \"a.yaml\" is a link");
        let escape = "the name of the member \"../a.yaml\" is not safe";
        refused(&[good("../a.yaml", "a")], escape);
        let short = "id: a\nemulator_id: e\nplatform: P\n";
        let incomplete = "the definition \"a.yaml\" cannot be used: the key adapter_id is missing";
        let text = definition("a", "P").replace("adapter_id", "id");
        refused(&[member("a.yaml", b'0', text.as_bytes())], incomplete);
        let first = "the definition \"a.yaml\" cannot be used: the key adapter_id is missing";
        refused(&[member("a.yaml", b'0', short.as_bytes())], first);
        let large = [definition("a", "P").as_bytes(), &vec![b'#'; FILE_BYTES]].concat();
        let told = "the definition \"a.yaml\" cannot be used: it is larger than 262144 bytes";
        refused(&[member("a.yaml", b'0', &large)], told);
    }

    #[test]
    fn files_that_are_no_definitions_are_left_out() {
        let members = [
            member("README.md", b'0', b"x"),
            member("defs/a.yaml", b'0', definition("a", "P").as_bytes()),
            member("defs/._a.yaml", b'0', b"attributes"),
            member("defs/.yaml", b'0', b"x"),
            member("defs/a.yaml.bak", b'0', b"x"),
            member("defs/LICENSE", b'0', b"x"),
        ];
        let read = read(&gzip(&archive(&members))).expect("a pack");
        assert_eq!(read.files.keys().collect::<Vec<_>>(), ["a.yaml"]);
    }

    #[test]
    fn the_number_of_definitions_is_bounded() {
        let all = |count: usize| {
            let ids: Vec<String> = (0..count).map(|at| format!("d{at}")).collect();
            read(&pack(&ids.iter().map(|id| (id.as_str(), "P")).collect::<Vec<_>>()))
        };
        assert_eq!(all(MAX_FILES).map(|pack| pack.files.len()), Ok(MAX_FILES));
        assert_eq!(all(MAX_FILES + 1), Err(PackError::Tar(TarError::TooMany)));
    }

    #[test]
    fn a_damaged_or_growing_archive_is_refused() {
        let whole = pack(&[("a", "P")]);
        for length in [0, 5, whole.len() / 2, whole.len() - 1] {
            assert_eq!(read(&whole[..length]), Err(PackError::Packing), "{length}");
        }
        assert_eq!(read(&[whole.as_slice(), b"x"].concat()), Err(PackError::Packing));
        assert_eq!(read(b"no archive"), Err(PackError::Packing));
        assert_eq!(read(&gzip(&vec![0; UNPACKED_BYTES + 1])), Err(PackError::TooLarge));
    }
}
