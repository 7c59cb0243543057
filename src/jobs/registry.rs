//! The kinds of work that were registered, by type and by the names of their jobs.

use std::collections::{HashMap, HashSet};

use super::{
    kind::Kind,
    spec::{self, Spec},
};

pub(super) struct Registry(HashMap<&'static str, Kind>);

impl Registry {
    pub(super) fn new(kinds: Vec<Kind>) -> Self {
        let mut names = kinds.iter().flat_map(|kind| kind.spec.names).map(|(name, _)| name);
        let mut seen = HashSet::new();
        debug_assert!(names.all(|name| seen.insert(name)), "two kinds of work share a name");
        debug_assert!(
            kinds.iter().all(|kind| kind.spec.has_subject() == kind.spec.subject.is_some()),
            "a kind of work does not declare where its input has the subject of its names"
        );
        let count = kinds.len();
        let kinds: HashMap<_, _> =
            kinds.into_iter().map(|kind| (kind.spec.type_name, kind)).collect();
        debug_assert_eq!(kinds.len(), count, "two kinds of work share a type");
        Self(kinds)
    }

    pub(super) fn kind(&self, type_name: &str) -> Option<&Kind> {
        self.0.get(type_name)
    }

    pub(super) fn spec(&self, type_name: &str) -> Option<&Spec> {
        self.kind(type_name).map(|kind| &kind.spec)
    }

    /// The kind of the job with this name, and its title.
    pub(super) fn find_name(&self, name: &str) -> Option<(&Spec, String)> {
        self.0.values().find_map(|kind| Some((&kind.spec, kind.spec.title_of(name)?)))
    }

    /// Name and title of a stored job that has neither; made from its type when there is no such
    /// kind.
    pub(super) fn describe_stored(&self, type_name: &str) -> (String, String) {
        self.spec(type_name).and_then(Spec::fallback).unwrap_or_else(|| {
            let name = type_name.replace(['.', '_'], "-");
            let title = spec::spell(&name);
            (name, title)
        })
    }
}
