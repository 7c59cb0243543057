//! Imports of libraries of other programs: lists of front ends, the library of an older launcher.
//!
//! A preview reads the file, compares it with the library and writes nothing; applying reads the
//! file again and goes on only when file, library and options are those of the preview. What a user
//! set here is never overwritten unless they named the field.
//!
//! Media that other programs keep for games (`local_*`) are found without a list, by the folders they lie in.

use std::sync::Arc;

use self::local_media::LocalMedia;
use crate::{
    feature::{Deps, Feature},
    probe::media_roots::MediaRoots,
};

pub mod error;
pub mod frontend;
pub mod import;
pub mod installed_lists;
pub mod launchbox;
mod launchers;
pub mod legacy;
pub mod list;
pub mod list_layout;
mod local_layouts;
mod local_look;
mod local_match;
pub mod local_media;
mod local_scan;
mod local_work;
pub mod merge;
pub mod options;
pub mod other_lists;
mod paths;
pub mod pictures;
mod playnite;
mod sorter;
mod starters;

#[cfg(test)]
mod local_tests;

/// Makes the service that imports media of other programs, and its kinds of job.
pub fn install(deps: &Deps, roots: &Arc<MediaRoots>) -> Feature<Arc<LocalMedia>> {
    let service = Arc::new(LocalMedia::new(deps, roots));
    Feature { kinds: vec![local_look::kind(&service), local_work::kind(&service)], service }
}
