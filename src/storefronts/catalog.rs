//! The stores by name, their titles, and which titles an import takes.

use std::{collections::HashSet, path::Path};

use crate::base::text;

use super::{error::StorefrontError, store_a, store_b, store_c, title::Title};

/// A store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The first store.
    StoreA,
    /// The second store.
    StoreB,
    /// The third store.
    StoreC,
    /// The library server.
    LibraryServer,
}

impl Source {
    /// The store of this name, whatever the case of its letters.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match text::fold(name.trim()).as_str() {
            "store_a" => Some(Self::StoreA),
            "store_b" => Some(Self::StoreB),
            "store_c" => Some(Self::StoreC),
            "libserver" => Some(Self::LibraryServer),
            _ => None,
        }
    }

    /// Its neutral name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StoreA => "store_a",
            Self::StoreB => "store_b",
            Self::StoreC => "store_c",
            Self::LibraryServer => "libserver",
        }
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
    #[must_use]
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
            return Ok((store_a::titles(&installed, &launcher), installed.errors));
        }
        Source::StoreB => store_b::installed(home)?,
        Source::StoreC => store_c::installed(home)?,
        Source::LibraryServer => Vec::new(),
    };
    Ok((titles, Vec::new()))
}
