//! INI files: sections of `key=value` lines.

use super::sheet_text;

/// One section with its pairs in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The name between the brackets.
    pub name: String,
    /// Keys, lower case, with their values.
    pub pairs: Vec<(String, String)>,
}

impl Section {
    /// The last value of a key (lower case); empty when there is none.
    pub fn value(&self, key: &str) -> &str {
        let found = self.pairs.iter().rev().find(|(name, _)| name == key);
        found.map_or("", |(_, value)| value.as_str())
    }
}

/// The sections of a file; lines before the first one and lines that are not a pair are skipped.
pub fn parse(bytes: &[u8]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in sheet_text::decode(bytes).lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            sections.push(Section { name: name.trim().to_owned(), pairs: Vec::new() });
        } else if !line.starts_with(['#', ';'])
            && let Some((key, value)) = line.split_once('=')
            && let Some(section) = sections.last_mut()
        {
            section.pairs.push((key.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sections_and_forgives_the_rest() {
        let sections = parse(b"lost=1\n[a]\nX = 1 = 2\n# no\n;no\nnoise\n[ b ]\nx=1\nx=3\n[\n");
        assert_eq!(sections.len(), 2);
        assert_eq!((sections[0].name.as_str(), sections[0].value("x")), ("a", "1 = 2"));
        assert_eq!((sections[1].name.as_str(), sections[1].value("x")), ("b", "3"));
        assert_eq!(sections[0].value("y"), "");
        assert!(parse(b"").is_empty());
    }
}
