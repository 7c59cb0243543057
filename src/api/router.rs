//! From method and path to a row of the table: one hash lookup.

use std::collections::HashMap;

use super::route::{Route, Verb};

/// The table, indexed.
pub struct Router {
    families: &'static [&'static [Route]],
    rows: HashMap<(Verb, Box<str>), &'static Route>,
}

impl Router {
    /// Indexes rows under their path and their frozen alias.
    pub fn new(families: &'static [&'static [Route]]) -> Self {
        let mut rows = HashMap::new();
        for route in families.iter().flat_map(|family| family.iter()) {
            rows.insert((route.verb, route.path.into()), route);
            if let Some(alias) = route.v1_path() {
                rows.insert((route.verb, alias.into()), route);
            }
        }
        Self { families, rows }
    }

    /// The row that answers.
    pub fn find(&self, verb: Verb, path: &str) -> Option<&'static Route> {
        self.rows.get(&(verb, path.into())).copied()
    }

    /// All rows, family by family.
    pub fn families(&self) -> &'static [&'static [Route]] {
        self.families
    }
}
