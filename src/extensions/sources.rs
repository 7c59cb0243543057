//! The configuration of the services that the program can use: the metadata database.

use std::collections::BTreeMap;

use crate::base::schema::schema;

schema! {
    /// How many games the database knows, and what media games have.
    #[derive(Debug, PartialEq)]
    pub struct MetadataCoverage {
        pub games: u64,
        pub matched_games: u64,
        /// Four decimal places.
        pub matched_ratio: f64,
        /// `with_` and a media field, with the number of games that have it.
        #[serde(flatten)]
        pub with: BTreeMap<String, u64>,
    }
}
