//! What extends the program: style sheets and sources of data.
//!
//! Owns which of them are installed and configured; of style sheets also their import and their choice. Asks no
//! server.

pub mod sources;
pub mod stock_themes;
pub mod theme_choice;
pub mod theme_text;
pub mod themes;
