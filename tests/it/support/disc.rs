//! Images of discs that real programs made; `tests/discs/make.py` says how.

use std::{fs, io::Read as _, path::Path};

use flate2::read::GzDecoder;

/// The image of this name in `tests/discs`.
pub(crate) fn image(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/discs");
    let gzip = fs::read(folder.join(format!("{name}.gz"))).expect("an image");
    let mut bytes = Vec::new();
    GzDecoder::new(&*gzip).read_to_end(&mut bytes).expect("gzip");
    bytes
}
