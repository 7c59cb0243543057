//! Each source file by itself: a header, a bounded length, a place in the module tree.

use std::collections::BTreeSet;

use super::{
    Findings, Source, assert_found, assert_tidy,
    lex::{code_only, tokens},
    repository,
};

/// The longest file that is still read in one go.
const LINES: usize = 600;

/// Files that are longer today, with the length they may not exceed. This list only shrinks.
const LONG: [(&str, usize); 0] = [];

/// Rust files that do not open by saying what they own.
fn missing_headers(sources: &[Source]) -> Findings {
    let bare = sources.iter().filter(|source| source.is_rust() && !source.text.starts_with("//! "));
    bare.map(|source| format!("{}: no `//!` header on the first line", source.path)).collect()
}

/// Files beyond [`LINES`], and exceptions that do not fit any more.
fn long_files(sources: &[Source], long: &[(&str, usize)]) -> Findings {
    let mut findings = Findings::new();
    let counted = sources.iter().filter(|source| matches!(source.extension(), "rs" | "js" | "css"));
    let counted: Vec<_> =
        counted.map(|source| (source.path.as_str(), source.text.lines().count())).collect();
    for (path, lines) in &counted {
        let bound = long.iter().find(|(other, _)| other == path).map_or(LINES, |(_, most)| *most);
        if *lines > bound {
            findings.push(format!("{path}: {lines} lines, at most {bound}: split it by verb"));
        }
    }
    for (path, _) in long {
        if !counted.iter().any(|(other, lines)| other == path && *lines > LINES) {
            findings.push(format!("the exception for {path} is not needed any more"));
        }
    }
    findings
}

/// Rust files below these folders that no parent declares: the compiler never sees them.
fn orphans(sources: &[Source]) -> Findings {
    let declared: BTreeSet<(String, String)> = sources
        .iter()
        .filter(|source| source.is_rust())
        .flat_map(|source| {
            let folder = children_folder(&source.path);
            declared_modules(&source.text).into_iter().map(move |name| (folder.clone(), name))
        })
        .collect();
    let placed: Vec<String> =
        sources.iter().filter(|source| source.is_rust()).flat_map(paths).collect();
    let mut findings = Findings::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        let Some((folder, file)) = source.path.rsplit_once('/') else { continue };
        let (folder, name) = match file {
            "lib.rs" | "main.rs" => continue,
            "mod.rs" => folder.rsplit_once('/').unwrap_or(("", folder)),
            _ => (folder, file.trim_end_matches(".rs")),
        };
        let is_declared = declared.contains(&(folder.to_owned(), name.to_owned()));
        if !is_declared && !placed.contains(&source.path) {
            findings.push(format!("{}: no parent declares `mod {name};`", source.path));
        }
    }
    findings
}

/// Where the modules lie that a file declares.
fn children_folder(path: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    match file {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", file.trim_end_matches(".rs")),
    }
}

fn declared_modules(text: &str) -> Vec<String> {
    let code = code_only(text);
    let words = tokens(&code);
    let declared = words.windows(3).filter(|three| three[0] == "mod" && three[2] == ";");
    declared.map(|three| three[1].to_owned()).collect()
}

/// The files that a `path` attribute names, as `../folder/file` next to the file that has it.
fn paths(source: &Source) -> Vec<String> {
    let above = source.path.rsplitn(3, '/').nth(2).unwrap_or_default();
    let lines = source.text.lines().filter_map(|line| line.strip_prefix("#[path = \"../"));
    lines.filter_map(|line| Some(format!("{above}/{}", line.strip_suffix("\"]")?))).collect()
}

#[test]
fn every_file_opens_with_what_it_owns() {
    assert_tidy(missing_headers(&repository()));
}

#[test]
fn no_file_outgrows_a_reader() {
    assert_tidy(long_files(&repository(), &LONG));
}

#[test]
fn every_file_is_compiled() {
    assert_tidy(orphans(&repository()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_header_fails() {
        assert_tidy(missing_headers(&[Source::new("src/a.rs", "//! Owns a.\n")]));
        let bare = [Source::new("src/a.rs", "use std::fs;\n//! Late.\n")];
        assert_found(missing_headers(&bare), &["src/a.rs"]);
    }

    #[test]
    fn a_long_file_fails_and_an_exception_holds_it_where_it_is() {
        let file = |lines: usize| [Source::new("src/a.rs", &"x\n".repeat(lines))];
        assert_tidy(long_files(&file(600), &[]));
        assert_found(long_files(&file(601), &[]), &["src/a.rs", "601"]);
        assert_tidy(long_files(&file(700), &[("src/a.rs", 700)]));
        assert_found(long_files(&file(701), &[("src/a.rs", 700)]), &["701", "700"]);
        assert_found(long_files(&file(600), &[("src/a.rs", 700)]), &["not needed"]);
    }

    #[test]
    fn an_undeclared_file_fails() {
        let mut sources = vec![
            Source::new("src/lib.rs", "pub mod base;"),
            Source::new("src/base/mod.rs", "mod ids;"),
            Source::new("src/base/ids.rs", ""),
        ];
        assert_tidy(orphans(&sources));
        sources.push(Source::new("src/base/lost.rs", "// mod lost;"));
        assert_found(orphans(&sources), &["src/base/lost.rs", "mod lost"]);
    }
}
