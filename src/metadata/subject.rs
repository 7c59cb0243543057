//! The facts about a game by which it is searched in the metadata database.

use crate::{
    base::text,
    metadb::{Row, normal::normalise},
    model::Record,
    names,
};

/// Numbers of the database that a game keeps as refused, the newest.
const REFUSED: usize = 20;
/// The field of the record that holds them.
const FIELD: &str = "rejected_metadb_ids";

/// A game of the library, as far as matching is concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Its title.
    pub title: String,
    /// The title as it is compared; empty when nothing of it can be.
    pub key: String,
    /// Its platform; may be empty.
    pub platform: String,
    /// The short names of its file, without an extension: those of arcade sets and of computers' games.
    pub stems: Vec<String>,
    regions: Vec<String>,
    revision: String,
    year: String,
    /// Numbers of the database that are never proposed again.
    pub refused: Vec<u32>,
}

impl Subject {
    /// The game of a record.
    pub fn of(record: &Record) -> Self {
        let title = record.text("name").trim().to_owned();
        let path = record.text("path");
        let name = path.rsplit('/').next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let mut stems: Vec<String> = Vec::new();
        for stem in [record.text("rom_name"), stem] {
            if !stem.is_empty() && !stems.iter().any(|known| known == stem) {
                stems.push(stem.to_owned());
            }
        }
        Self {
            key: normalise(&title),
            title,
            platform: record.text("platform").trim().to_owned(),
            stems,
            regions: parts(record.text("region")),
            revision: text::fold(record.text("revision").trim()),
            year: text::cut(record.text("year").trim(), 4).to_owned(),
            refused: refused(record),
        }
    }

    /// Whether a game of the database was refused for this one.
    pub fn refuses(&self, id: u32) -> bool {
        self.refused.contains(&id)
    }

    /// Puts games of the same title into an order, the likeliest first: by region, revision and year as
    /// far as both sides know them, then the shortest name.
    pub fn rank(&self, rows: &mut [Row]) {
        rows.sort_by_cached_key(|row| {
            let tags = names::parse(&row.name).tags;
            let regions = parts(&tags.region_text());
            let has_region = self.regions.iter().any(|region| regions.contains(region));
            let revision = text::fold(tags.revision.as_deref().unwrap_or_default());
            (
                differs(has_region, self.regions.is_empty() || regions.is_empty()),
                differs(self.revision == revision, self.revision.is_empty() || revision.is_empty()),
                differs(
                    self.year == row.release_year,
                    self.year.is_empty() || row.release_year.is_empty(),
                ),
                row.name.chars().count(),
                row.id,
            )
        });
    }
}

/// 0 for what is equal, 1 for what is not known, 2 for what differs.
fn differs(is_equal: bool, is_unknown: bool) -> u8 {
    match (is_unknown, is_equal) {
        (true, _) => 1,
        (false, true) => 0,
        (false, false) => 2,
    }
}

fn parts(regions: &str) -> Vec<String> {
    let parts = regions.split(',').map(|part| text::fold(part.trim()));
    parts.filter(|part| !part.is_empty()).collect()
}

/// The numbers of the database that a game refuses.
pub fn refused(record: &Record) -> Vec<u32> {
    record.texts(FIELD).filter_map(|id| id.parse().ok()).collect()
}

/// Records that a game refuses a number of the database; only the newest ones are kept.
pub fn refuse(record: &mut Record, id: u32) {
    let mut all = refused(record);
    all.retain(|known| *known != id);
    all.push(id);
    let old = all.len().saturating_sub(REFUSED);
    let kept: Vec<String> = all.drain(old..).map(|id| id.to_string()).collect();
    record.set(FIELD, kept);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn subject(record: Value) -> Subject {
        Subject::of(&serde_json::from_value(record).expect("an object"))
    }

    fn row(id: u32, name: &str, year: &str) -> Row {
        Row { id, name: name.to_owned(), release_year: year.to_owned(), ..Row::default() }
    }

    #[test]
    fn the_short_names_are_those_of_the_set_and_of_the_file() {
        let it =
            subject(json!({"name": " Comet, The ", "path": "/r/cmt.2.zip", "rom_name": "comet"}));
        assert_eq!(
            (it.key.as_str(), it.stems),
            ("the comet", vec!["comet".to_owned(), "cmt.2".to_owned()])
        );
        let it = subject(json!({"name": "A", "path": "/r/comet.zip", "rom_name": "comet"}));
        assert_eq!(it.stems, ["comet"]);
        assert_eq!(subject(json!({})), Subject::default());
    }

    #[test]
    fn region_revision_and_year_decide_between_equal_titles() {
        let order = |record: Value, rows: &[Row]| {
            let mut rows = rows.to_vec();
            subject(record).rank(&mut rows);
            rows.iter().map(|row| row.id).collect::<Vec<_>>()
        };
        let regions = [row(1, "Comet (Japan)", ""), row(2, "Comet", ""), row(3, "Comet (USA)", "")];
        assert_eq!(order(json!({"region": "USA, Europe"}), &regions), [3, 2, 1]);
        assert_eq!(order(json!({}), &regions), [2, 3, 1]);
        let revisions = [row(1, "Comet (Rev 2)", ""), row(2, "Comet (Rev 1)", "")];
        assert_eq!(order(json!({"revision": "Rev 1"}), &revisions), [2, 1]);
        let years = [row(1, "Comet", "1990"), row(2, "Comet", ""), row(3, "Comet", "1994")];
        assert_eq!(order(json!({"year": "1994-03"}), &years), [3, 2, 1]);
    }

    #[test]
    fn the_newest_refusals_are_kept() {
        let mut record = Record::default();
        for id in (1..=22).chain([5]) {
            refuse(&mut record, id);
        }
        let all = refused(&record);
        assert_eq!((all.len(), all[0], all[19]), (20, 3, 5));
        assert_eq!(all.iter().filter(|id| **id == 5).count(), 1);
    }
}
