//! The history beyond the rows of the library file: an archive that only grows.

pub mod archive;

#[cfg(test)]
mod archive_tests;
