//! Keeping the artwork of games in order: finding problems, replacing pictures with those of the artwork provider, and
//! undoing that (`/api/v2/artgrid/hygiene/*`).
//!
//! Owns the definition of a problem, and the copies of replaced files. See `docs/design/metadata.md`.
//!
//! | file | what it does |
//! |---|---|
//! | `picture_size` | how large a picture is, from its first bytes |
//! | `findings` | what is wrong with the pictures |
//! | `batches` | the fixes that can be undone |
//! | `service` | what the parts below share, and the report |
//! | `fix` | the job that replaces pictures |
//! | `undo` | taking a fix back |
//! | `compare` | the pictures that a fix replaced, next to the present ones |
//! | `error` | why something is refused |

use std::sync::Arc;

use self::batches::Batches;
use crate::{
    artgrid::Artwork,
    feature::{Deps, Feature},
    jobs::Kind,
    probe::media_roots::MediaRoots,
};

pub mod compare;
pub mod error;
pub mod fix;
pub mod undo;

mod batches;
mod findings;
mod picture_size;
mod service;

pub use self::error::HygieneError;
pub use self::service::{Hygiene, Report};

/// Makes the service and its kind of job.
pub fn install(
    deps: &Deps,
    artwork: &Arc<Artwork>,
    roots: Arc<MediaRoots>,
) -> Feature<Arc<Hygiene>> {
    let batches = Batches::new(deps.files.clone(), deps.data_dir.artwork_hygiene());
    batches.sweep();
    let service = Arc::new(Hygiene {
        artwork: Arc::clone(artwork),
        batches,
        roots,
        media: deps.data_dir.media(),
    });
    let kind = Kind::new(fix::SPEC, &service, Hygiene::run_fix);
    Feature { kinds: vec![kind], service }
}
