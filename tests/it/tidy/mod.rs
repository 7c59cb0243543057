//! Tests of the repository itself: modules and their imports, headers, lengths, marks of unfinished
//! work, texts that must agree with each other.
//!
//! Every check is a pure function from sources to findings with a test next to it that shows it
//! failing. Lists of exceptions only shrink: an exception that is not needed any more is a finding
//! too.

mod cycles;
mod docs;
mod files;
mod front;
mod handlers;
mod lex;
mod modules;
mod names;
mod notes;
mod paths;
mod platforms;
mod words;

use std::{fs, path::Path};

/// A text file of the repository.
#[derive(Clone, Debug)]
struct Source {
    /// The path from the root of the repository, with `/`.
    path: String,
    /// Its text.
    text: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    fn is_rust(&self) -> bool {
        self.extension() == "rs"
    }

    fn extension(&self) -> &str {
        Path::new(&self.path).extension().and_then(|text| text.to_str()).unwrap_or("")
    }
}

/// One sentence each, with the place; no findings means tidy.
type Findings = Vec<String>;

/// Names of folders (and of the link that stands for one) that hold nothing we wrote.
const FOREIGN: [&str; 4] = [".git", "target", "node_modules", "test-results"];

/// Every text file of the repository.
fn repository() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    gather(root, root, &mut sources);
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(sources.iter().any(|source| source.path == "src/lib.rs"), "no sources found");
    sources
}

fn gather(root: &Path, folder: &Path, sources: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if FOREIGN.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            gather(root, &path, sources);
        } else if path.is_file()
            && let Ok(text) = fs::read_to_string(&path)
        {
            let path = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            sources.push(Source { path, text });
        }
    }
}

fn text_of(sources: &[Source], path: &str) -> String {
    let source = sources.iter().find(|source| source.path == path);
    source.map(|source| source.text.clone()).unwrap_or_default()
}

#[track_caller]
fn assert_tidy(findings: Findings) {
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

/// Fails unless there is exactly one finding and it names all of `parts`.
#[track_caller]
fn assert_found(findings: Findings, parts: &[&str]) {
    let named = |finding: &String| parts.iter().all(|part| finding.contains(part));
    assert!(findings.len() == 1 && findings.iter().all(named), "{parts:?} in {findings:?}");
}
