//! The setup preview: the contents of many sources become a plan that the user reviews and then, in
//! one commit, a part of the library (`/api/v2/setup/*`). See `docs/design/setup.md`.
//!
//! A preview is: reading the sources -> classifying candidates against the library -> decisions -> checking for changes
//! -> one commit. Until that commit nothing is written but the preview's own files in the data directory.
//!
//! | file | what it does |
//! |---|---|
//! | `source` | the sources a request may name |
//! | `candidate` | one game a source holds |
//! | `reading` | sources to candidates; the only file here that reads disk, stores and servers |
//! | `players` | the emulator definitions a candidate may be played with |
//! | `classify` | candidates compared with the library |
//! | `systems` | candidates counted by platform and folder, platforms chosen for folders |
//! | `preview` | the document of a preview |
//! | `decision` | decisions of the user |
//! | `items` | the candidates of a preview by page, id and group |
//! | `preview_files` | the files of all previews: added, bounded, decided, read |
//! | `resolve` | candidates and decisions to steps of a commit |
//! | `plan` | the steps of a commit, compressed |
//! | `commit` | the steps applied to the library |
//! | `previews` | what clients ask for |
//! | `scan_work`, `commit_work` | the three durable jobs |
//! | `summary` | how far a library is set up |

pub mod error;
pub mod source;
pub mod candidate;
pub mod players;
pub mod reading;
pub mod classify;
pub mod systems;
pub mod preview;
pub mod decision;
pub mod items;
pub mod preview_files;
pub mod resolve;
pub mod plan;
pub mod commit;
pub mod previews;
pub mod scan_work;
pub mod commit_work;
pub mod summary;

use std::sync::Arc;

use crate::{
    feature::{Deps, Feature},
    launch::detection::Detector,
};

#[cfg(test)]
mod commit_tests;

/// Makes the setup previews and their kinds of job.
pub fn install(deps: &Deps, detector: Arc<Detector>) -> Feature<Arc<previews::Previews>> {
    let files = preview_files::PreviewFiles::new(deps.files.clone(), deps.data_dir.previews());
    let context = reading::ScanContext {
        files: deps.files.clone(),
        data: deps.data_dir.clone(),
        home: deps.home().to_owned(),
        environment: deps.environment.clone(),
    };
    let service = Arc::new(previews::Previews::new(deps.store.clone(), files, context, detector));
    let [scan, revalidate] = scan_work::kinds(&service);
    Feature { kinds: vec![scan, revalidate, commit_work::kind(&service)], service }
}
