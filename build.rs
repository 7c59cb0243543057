//! Packs what the executable carries: the files of `static/`, `locales/`, `definitions/` and `data/`,
//! each as one gzip stream beside its name and its entity tag. `src/base/embedded.rs` includes what is made.
//!
//! The streams are sent as they lie to clients that take gzip, so nothing is compressed or hashed
//! while the program runs, and the executable is smaller by what they save.

use std::{
    env,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

/// The trees and the names of their tables.
const TREES: [(&str, &str); 4] = [
    ("static", "STATIC"),
    ("locales", "LOCALES"),
    ("definitions", "DEFINITIONS"),
    ("data", "DATA"),
];

fn main() -> io::Result<()> {
    // Asked for when it runs: checkouts that share a target directory share this program too.
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut code = String::new();
    for (tree, table) in TREES {
        writeln!(io::stdout(), "cargo::rerun-if-changed={tree}")?;
        let mut files = Vec::new();
        list(&root.join(tree), "", &mut files)?;
        files.sort();
        let entries: io::Result<String> =
            files.iter().map(|name| pack(&root.join(tree), name, tree, &out)).collect();
        let (entries, count) = (entries?, files.len());
        // OK because writing to a String never fails.
        let _ = write!(
            code,
            "/// The files of `{tree}/`, by name.\n\
             pub static {table}: [File; {count}] = [\n{entries}];\n"
        );
    }
    write(&out.join("embedded.rs"), code.as_bytes())
}

/// The names of all files below a folder, with `/` between their parts.
fn list(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| io::ErrorKind::InvalidFilename)?;
        let name = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

/// Compresses one file and hands back the line of its table.
fn pack(folder: &Path, name: &str, tree: &str, out: &Path) -> io::Result<String> {
    let bytes = fs::read(folder.join(name))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    let packed = format!("{tree}-{}.gz", name.replace('/', "-"));
    write(&out.join(&packed), &encoder.finish()?)?;
    let digest = Sha256::digest(&bytes);
    let tag = digest[..8].iter().fold(String::new(), |mut tag, byte| {
        // OK because writing to a String never fails.
        let _ = write!(tag, "{byte:02x}");
        tag
    });
    let length = grouped(bytes.len());
    Ok(format!(
        "    File {{ name: {name:?}, tag: \"\\\"{tag}\\\"\", length: {length}, \
         gzip: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{packed}\")), \
         unpacked: OnceLock::new() }},\n"
    ))
}

/// A number with a separator before each group of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let begins_group = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let separated = digits
        .char_indices()
        .map(|(at, digit)| if begins_group(at) { format!("_{digit}") } else { digit.to_string() });
    separated.collect()
}

/// Writes a file unless it holds these bytes already, so that an unchanged one rebuilds nothing.
#[expect(clippy::disallowed_methods, reason = "a build script writes below OUT_DIR")]
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|before| before == bytes) {
        return Ok(());
    }
    fs::write(path, bytes)
}
