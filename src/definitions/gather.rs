//! Which definitions apply: those of the user before those of the channel before the bundled ones.
//!
//! A definition hides those after it that have the same file name or the same id. A file that
//! cannot be used hides nothing and is reported.

use std::{collections::HashSet, sync::Arc};

use crate::{
    base::schema::schema,
    formats::definition_file::{self, DefinitionError},
    model::emulators::{Catalog, Definition, Origin},
};

use super::extended;

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFile {
    /// Its name.
    pub name: String,
    /// Who wrote it.
    pub origin: Origin,
    /// What it holds, or why that is not known.
    pub content: Result<Vec<u8>, Unusable>,
}

/// Why a file of the folder is ignored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    #[error("it is not a file")]
    NotAFile,
    #[error("there are more files than are read")]
    TooMany,
    /// It is not a definition.
    #[error(transparent)]
    Invalid(#[from] DefinitionError),
    /// Another file of the user has the same id.
    #[error("another file has the id {0:?}")]
    TwiceId(String),
}

/// A file that is skipped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("This file is not used: {error}.")]
pub struct Problem {
    /// Its name.
    pub file: String,
    /// Why.
    pub error: Unusable,
}

schema! {
    "DefinitionProblem"
    /// A file that is skipped, as clients see it.
    #[derive(Debug)]
    pub struct ShownProblem {
        /// Why, as a sentence.
        pub error: String,
        /// Its name.
        pub file: String,
    }
}

impl Gathered {
    /// The files that are skipped.
    pub fn shown_problems(&self) -> Vec<ShownProblem> {
        let shown = |problem: &Problem| ShownProblem {
            error: problem.to_string(),
            file: problem.file.clone(),
        };
        self.problems.iter().map(shown).collect()
    }
}

/// The effective definitions, and the skipped files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// The definitions, by file name.
    pub catalog: Arc<Catalog>,
    /// Skipped files, by file name.
    pub problems: Vec<Problem>,
    /// How many files of the folder are the user's own, usable or not.
    pub own_files: usize,
}

/// Puts the files of the folder before the bundled definitions.
pub fn gather(mut files: Vec<DefinitionFile>, bundled: &[(String, Definition)]) -> Gathered {
    files.sort_by(|one, other| (one.origin, &one.name).cmp(&(other.origin, &other.name)));
    let own_files = files.iter().filter(|file| file.origin == Origin::User).count();
    let (mut chosen, mut problems): (Vec<(String, Definition)>, Vec<Problem>) = Default::default();
    let (mut names, mut ids, mut own_ids) = (HashSet::new(), HashSet::new(), HashSet::new());
    for DefinitionFile { name, origin, content } in files {
        let parsed = content
            .and_then(|bytes| definition_file::parse(&bytes, origin).map_err(Unusable::Invalid));
        let parsed = parsed.and_then(|definition| match own_ids.get(&definition.id) {
            Some(_) if origin == Origin::User => Err(Unusable::TwiceId(definition.id)),
            _ => Ok(definition),
        });
        match parsed {
            Ok(definition) => {
                if origin == Origin::User {
                    own_ids.insert(definition.id.clone());
                }
                if ids.insert(definition.id.clone()) {
                    names.insert(name.clone());
                    chosen.push((name, definition));
                }
            }
            Err(error) => problems.push(Problem { file: name, error }),
        }
    }
    let visible =
        bundled.iter().filter(|(name, each)| !names.contains(name) && !ids.contains(&each.id));
    chosen.extend(visible.cloned());
    chosen.sort_by(|one, other| one.0.cmp(&other.0));
    problems.sort_by(|one, other| one.file.cmp(&other.file));
    let definitions = chosen.into_iter().map(|(_, definition)| definition).collect();
    let catalog = Catalog::new(definitions).extended_by(extended::beside(bundled));
    Gathered { catalog: Arc::new(catalog), problems, own_files }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::bundled;

    fn found(name: &str, origin: Origin, text: &str) -> DefinitionFile {
        DefinitionFile { name: name.to_owned(), origin, content: Ok(text.as_bytes().to_vec()) }
    }

    fn own(name: &str, id: &str, platform: &str) -> DefinitionFile {
        let text = format!("id: {id}\nemulator_id: org.example.E\nplatform: {platform}\n");
        found(name, Origin::User, &text)
    }

    fn platform<'a>(gathered: &'a Gathered, id: &str) -> Option<&'a str> {
        gathered.catalog.definition(id).map(|each| each.platform.as_str())
    }

    #[test]
    fn an_own_file_hides_the_bundled_one_of_its_name_or_id() {
        let files =
            vec![own("z.yaml", "mame-arcade", "Mine"), own("cemu-wiiu.yaml", "other", "Mine")];
        let gathered = gather(files, bundled::definitions());
        assert_eq!(platform(&gathered, "mame-arcade"), Some("Mine"));
        assert_eq!(platform(&gathered, "other"), Some("Mine"));
        assert_eq!(platform(&gathered, "cemu-wiiu"), None);
        assert_eq!(gathered.catalog.definitions().len(), 24);
        let order: Vec<&str> =
            gathered.catalog.definitions().iter().map(|each| each.id.as_str()).collect();
        assert_eq!((order[0], order[23]), ("other", "mame-arcade"), "by file name");
        assert_eq!((gathered.problems.len(), gathered.own_files), (0, 2));
    }

    #[test]
    fn a_file_that_cannot_be_used_hides_nothing_and_is_told() {
        let files = vec![
            found("cemu-wiiu.yaml", Origin::User, "id: cemu-wiiu"),
            own("a.yaml", "mine", "One"),
            own("b.yaml", "mine", "Two"),
            DefinitionFile {
                name: "c.yaml".to_owned(),
                origin: Origin::User,
                content: Err(Unusable::NotAFile),
            },
        ];
        let gathered = gather(files, bundled::definitions());
        assert_eq!(platform(&gathered, "cemu-wiiu"), Some("Wii U"));
        assert_eq!(platform(&gathered, "mine"), Some("One"));
        let told: Vec<_> =
            gathered.shown_problems().into_iter().map(|each| (each.file, each.error)).collect();
        let sentence = |why: &str| format!("This file is not used: {why}.");
        assert_eq!(
            told,
            [
                ("b.yaml".to_owned(), sentence("another file has the id \"mine\"")),
                ("c.yaml".to_owned(), sentence("it is not a file")),
                ("cemu-wiiu.yaml".to_owned(), sentence("the key emulator_id is missing")),
            ]
        );
    }

    #[test]
    fn the_channel_stands_between_the_person_and_the_bundled_set() {
        let pack = |id: &str, platform: &str| {
            let (_, text) = ("", include_str!("../../definitions/mame-arcade.yaml"));
            let text = text
                .replace("mame-arcade", id)
                .replace("platform: Arcade", &format!("platform: {platform}"));
            found(&format!("{id}.yaml"), Origin::Community, &text)
        };
        let files = vec![
            pack("mame-arcade", "Pack"),
            pack("cemu-wiiu", "Pack"),
            own("mine.yaml", "mame-arcade", "Mine"),
        ];
        let gathered = gather(files, bundled::definitions());
        assert_eq!(platform(&gathered, "mame-arcade"), Some("Mine"));
        assert_eq!(platform(&gathered, "cemu-wiiu"), Some("Pack"));
        assert_eq!((gathered.problems.len(), gathered.own_files), (0, 1));
    }
}
