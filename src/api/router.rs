//! From method and path to a row of the table: one hash lookup.

use std::collections::HashMap;

use super::route::{Route, Verb};

/// The table, indexed.
pub struct Router {
    rows: HashMap<(Verb, Box<str>), &'static Route>,
}

impl Router {
    /// Indexes rows under their path and their frozen alias.
    #[must_use]
    pub fn new(families: &[&'static [Route]]) -> Self {
        let mut rows = HashMap::new();
        for route in families.iter().flat_map(|family| family.iter()) {
            rows.insert((route.verb, route.path.into()), route);
            if let Some(alias) = route.v1_path() {
                rows.insert((route.verb, alias.into()), route);
            }
        }
        Self { rows }
    }

    /// The row that answers.
    #[must_use]
    pub fn find(&self, verb: Verb, path: &str) -> Option<&'static Route> {
        self.rows.get(&(verb, path.into())).copied()
    }
}
