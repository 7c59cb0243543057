//! Playlists in a folder that an import would write itself: of the very discs that it joins, under the
//! very name.
//!
//! Such a playlist says nothing that the names of the discs do not say. It is left out before the files
//! are looked at, so that a folder gives the same games whether an earlier import has written playlists
//! into it or not.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use super::{
    alike,
    discs::{self, DiscGroup, Entry},
    extensions::Role,
    playlists,
    references::{self, SHEET_BYTES},
    tree::Tree,
    walk::FoundFile,
};
use crate::{formats::m3u, names::marker};

/// Playlists of one folder that are tried one by one; with more of them the others stay.
const TRIED: usize = 16;

/// A playlist by its path and its entries.
type Listed = (String, Vec<String>);

/// The files without these playlists, in their order. Folders without a playlist are not looked at.
pub fn leave_out(tree: &dyn Tree, root: &str, files: Vec<FoundFile>) -> Vec<FoundFile> {
    let mut lists: HashMap<Arc<str>, Vec<Listed>> = HashMap::new();
    let is_list = |file: &&FoundFile| file.extension.role == Role::Playlist;
    let discs = folders_of_discs(&files);
    for file in files.iter().filter(is_list).filter(|file| discs.contains(&file.folder)) {
        if let Some(entries) = entries_of(tree, &file.path()) {
            lists.entry(Arc::clone(&file.folder)).or_default().push((file.path(), entries));
        }
    }
    let mut near: HashMap<Arc<str>, Vec<FoundFile>> = HashMap::new();
    for file in files.iter().filter(|file| lists.contains_key(&file.folder)) {
        near.entry(Arc::clone(&file.folder)).or_default().push(file.clone());
    }
    let mut own: HashSet<String> = HashSet::new();
    for (folder, lists) in lists {
        let files = near.remove(&folder).unwrap_or_default();
        own.extend(own_of(tree, root, &files, lists).into_iter().map(|(path, _)| path));
    }
    files.into_iter().filter(|file| !own.contains(&file.path())).collect()
}

/// The folders with playlists and at least two discs: only there one is read.
fn folders_of_discs(files: &[FoundFile]) -> HashSet<Arc<str>> {
    let lists = files.iter().filter(|file| file.extension.role == Role::Playlist);
    let mut discs: HashMap<Arc<str>, usize> =
        lists.map(|file| (Arc::clone(&file.folder), 0)).collect();
    for file in files {
        if let Some(discs) = discs.get_mut(&file.folder).filter(|discs| **discs < 2)
            && marker::split(file.stem()).is_some()
        {
            *discs += 1;
        }
    }
    discs.into_iter().filter(|(_, discs)| *discs > 1).map(|(folder, _)| folder).collect()
}

/// Those of the playlists of a folder that an import would write: without them it joins the same discs.
fn own_of(tree: &dyn Tree, root: &str, files: &[FoundFile], lists: Vec<Listed>) -> HashSet<Listed> {
    let without = |own: &HashSet<Listed>| {
        let out: HashSet<&str> = own.iter().map(|(path, _)| path.as_str()).collect();
        let rest = files.iter().filter(|file| !out.contains(&*file.path())).cloned().collect();
        groups_of(tree, root, rest)
    };
    let mut own: HashSet<Listed> = lists.iter().cloned().collect();
    // A playlist that stays takes its discs away, and then others are joined.
    loop {
        let groups = without(&own);
        let before = own.len();
        own.retain(|listed| groups.contains(listed));
        if own.len() == before {
            break;
        }
    }
    for listed in
        lists.into_iter().filter(|listed| !own.contains(listed)).take(TRIED).collect::<Vec<_>>()
    {
        let mut more = own.clone();
        more.insert(listed);
        if more.is_subset(&without(&more)) {
            own = more;
        }
    }
    own
}

/// The entries of a playlist of at least two discs.
fn entries_of(tree: &dyn Tree, path: &str) -> Option<Vec<String>> {
    let bytes = tree.read_start(Path::new(path), SHEET_BYTES).ok()?;
    Some(m3u::parse(&bytes)).filter(|entries| entries.len() > 1)
}

/// The playlists that would be written for these files.
fn groups_of(tree: &dyn Tree, root: &str, files: Vec<FoundFile>) -> HashSet<Listed> {
    let mut standing = references::drop_named(tree, files);
    alike::name_by_folder(root, &mut standing);
    let groups = discs::join_discs(standing).into_iter().filter_map(|entry| match entry {
        Entry::Discs(group) if playlists::is_played(&group) => Some(group),
        _ => None,
    });
    let named = |group: Box<DiscGroup>| Some((group.playlist_path(), playlists::entries(&group)?));
    groups.filter_map(named).collect()
}
