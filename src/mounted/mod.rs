//! Records that libraries exchange through a mounted folder: a synchronized directory, a network drive.
//!
//! Devices only add files there. A file holds one record, its name is the hash of what it holds, and
//! it is never changed, so it does not matter in which order files arrive, or how often. Other programs write to the
//! folder: it may be missing, half filled, full of other things, or hostile.
//!
//! | file | what it owns |
//! |---|---|
//! | `canonical` | the one text of a record, and its id |
//! | `graph` | which records follow which |
//! | `folder` | reading and adding files, within bounds |

pub mod canonical;
pub mod folder;
pub mod graph;
