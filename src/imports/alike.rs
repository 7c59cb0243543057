//! Files that every game calls alike: the folder around them gives the title.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    references::{App, Standing},
    walk::FoundFile,
};
use crate::{
    names::{
        self, ParsedName,
        folder::{FIRST_DISC, SECOND_DISC},
    },
    platforms,
};

/// Gives games whose files are named alike in every game the title of their folder below `root`. A second
/// disc beside such a file belongs to it.
pub fn name_by_folder(root: &str, standing: &mut Vec<Standing>) {
    let mut seconds: HashMap<Arc<str>, FoundFile> = HashMap::new();
    for standing in standing.iter_mut().filter(|standing| standing.app.is_none()) {
        let file = &standing.file;
        let naming = names::folder::naming(&file.folder, file.stem(), file.extension.suffix);
        let naming = naming.filter(|folder| folder.len() > root.len());
        let name = naming.and_then(|folder| folder.rsplit('/').next());
        let Some(name) = name.filter(|name| platforms::by_folder(name).is_none()) else {
            continue;
        };
        if file.stem().eq_ignore_ascii_case(SECOND_DISC) {
            seconds.insert(Arc::clone(&file.folder), file.clone());
        }
        let ParsedName { title, tags } = names::parse(name);
        standing.app = Some(Box::new(App { title, tags, ..App::default() }));
    }
    let mut joined: HashSet<String> = HashSet::new();
    for first in standing.iter_mut() {
        let file = &first.file;
        let is_first = first.app.is_some() && file.stem().eq_ignore_ascii_case(FIRST_DISC);
        let second = seconds.get(&file.folder).filter(|_| is_first);
        if let Some(second) = second.filter(|second| second.extension == file.extension) {
            joined.insert(second.path());
            first.discs = [file.clone(), second.clone()].into();
        }
    }
    standing.retain(|standing| !joined.contains(&standing.file.path()));
}
