//! The stores by name, their titles, and the titles for an import.

use std::{collections::HashSet, path::Path};

use crate::base::{named::named, text};

use super::{error::StorefrontError, store_a, store_b, store_c, title::Title};

named! {
    /// A store.
    pub enum Source {
        /// The first store.
        StoreA = "store_a",
        /// The second store.
        StoreB = "store_b",
        /// The third store.
        StoreC = "store_c",
        /// The library server.
        LibraryServer = "libserver",
    }
}

impl Source {
    /// The store of this name, in any case.
    pub fn read(name: &str) -> Option<Self> {
        Self::named(&text::fold(name.trim()))
    }
}

/// Which titles of a catalog are imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only what is not installed.
    pub uninstalled_only: bool,
    /// Only what is installed.
    pub installed_only: bool,
    /// Only titles with these ids; `None` for all.
    pub ids: Option<HashSet<String>>,
}

impl Selection {
    /// Whether it takes a title; both limits at once leave none.
    pub fn takes(&self, title: &Title) -> bool {
        (!self.uninstalled_only || !title.is_installed)
            && (!self.installed_only || title.is_installed)
            && self.ids.as_ref().is_none_or(|ids| ids.contains(&title.id))
    }
}

/// The catalog of a store that keeps it on this machine.
///
/// # Errors
/// [`StorefrontError`] when the store cannot be read; `None` for the library server, which is read
/// over the network.
pub fn local(source: Source, home: &Path) -> Option<Result<Vec<Title>, StorefrontError>> {
    Some(match source {
        Source::StoreA => store_a::catalog(home),
        Source::StoreB => store_b::catalog(home),
        Source::StoreC => store_c::catalog(home),
        Source::LibraryServer => return None,
    })
}

/// The titles that a store on this machine has installed, and the library folders that could not be
/// read; none for the library server.
///
/// # Errors
/// [`StorefrontError`].
pub fn installed(
    source: Source,
    home: &Path,
) -> Result<(Vec<Title>, Vec<String>), StorefrontError> {
    let titles = match source {
        Source::StoreA => {
            let launcher = store_a::launcher()?;
            let installed = store_a::installed(home);
            return Ok((store_a::titles(home, &installed, &launcher), installed.errors));
        }
        Source::StoreB => store_b::installed(home)?,
        Source::StoreC => store_c::installed(home)?,
        Source::LibraryServer => Vec::new(),
    };
    Ok((titles, Vec::new()))
}
