//! Foreign file formats, bytes to values and back, without I/O.
//!
//! Owns the reading and writing of formats other programs define. Every reader takes untrusted bytes: it never panics,
//! never loops for longer than its input, and keeps what it can.

pub mod arcade_list;
pub mod command_line;
pub mod content;
pub mod cue;
pub mod definition_file;
pub mod desktop_entry;
pub mod gdi;
pub mod ini;
pub mod key_values;
pub mod launch_env;
pub mod lpl;
pub mod m3u;
pub mod metadata_dump;
pub mod packed;
pub mod sfo;
pub mod sheet_text;
pub mod shortcuts;
pub mod shrink;
pub mod signature;
pub mod tar;
pub mod text_dat;
pub mod thumbnail;
pub mod xml_rows;
pub mod yaml;

#[cfg(test)]
mod definition_file_tests;
