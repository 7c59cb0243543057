//! The files inside the executable: the web UI, its texts, and the definitions and lists that
//! came with it.
//!
//! The build script packs them, so they lie here compressed, with their entity tags. Other names are refused.

use std::{io::Read as _, sync::OnceLock};

use flate2::bufread::GzDecoder;

/// One file inside the executable.
#[derive(Debug)]
pub struct File {
    /// Its name below its folder, with `/` between the parts.
    pub name: &'static str,
    /// Its entity tag with quotes, made of its bytes.
    pub tag: &'static str,
    /// How many bytes it has.
    pub length: usize,
    /// Its bytes as one gzip stream.
    pub gzip: &'static [u8],
    unpacked: OnceLock<Vec<u8>>,
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

impl File {
    /// The file of a table by its name.
    pub fn find(table: &'static [Self], name: &str) -> Option<&'static Self> {
        let at = table.binary_search_by(|file| file.name.cmp(name)).ok()?;
        table.get(at)
    }

    /// Its bytes, unpacked when they are first asked for and kept: browsers take gzip, so this is
    /// for other clients and for small files.
    pub fn bytes(&'static self) -> &'static [u8] {
        self.unpacked.get_or_init(|| self.unpack())
    }

    /// Its bytes, unpacked for a reader who asks once.
    pub fn unpack(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.length);
        // OK because the build script wrote the stream and a reader of memory does not fail.
        GzDecoder::new(self.gzip).read_to_end(&mut bytes).expect("a whole stream");
        bytes
    }
}
