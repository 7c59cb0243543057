//! The texts and the pages: locales that say the same things, no markup made from text.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Findings, Source, assert_found, assert_tidy, repository};

/// The five locales; the first is the source of the others.
const LOCALES: [&str; 5] = ["en", "es", "de", "fr", "pt"];

/// Ways to turn text into markup or code.
const MARKUP: [&str; 7] = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "javascript:",
    "eval(",
    "new Function(",
];

/// The texts of a locale file by key.
fn texts(source: &Source) -> Result<BTreeMap<String, String>, String> {
    let parsed: Value =
        serde_json::from_str(&source.text).map_err(|error| format!("{}: {error}", source.path))?;
    let object = parsed.as_object().ok_or_else(|| format!("{}: no object", source.path))?;
    object
        .iter()
        .map(|(key, value)| {
            let text = value.as_str().filter(|text| !text.trim().is_empty());
            let text = text.ok_or_else(|| format!("{}: {key} has no text", source.path))?;
            Ok((key.clone(), text.to_owned()))
        })
        .collect()
}

/// The names between braces, `{count}`.
fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)).collect()
}

/// Locale files that are missing, lack a key, have one too many or use other placeholders.
fn locale_differences(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    let mut read = Vec::new();
    for locale in LOCALES {
        let path = format!("locales/{locale}.json");
        match sources.iter().find(|source| source.path == path).map(texts) {
            None => findings.push(format!("{path} is missing")),
            Some(Err(error)) => findings.push(error),
            Some(Ok(texts)) => read.push((path, texts)),
        }
    }
    let Some(((_, english), others)) = read.split_first() else { return findings };
    for (path, texts) in others {
        for (key, text) in english {
            match texts.get(key) {
                None => findings.push(format!("{path}: {key} is missing")),
                Some(other) if placeholders(other) != placeholders(text) => {
                    findings.push(format!("{path}: {key} has other placeholders"));
                }
                Some(_) => {}
            }
        }
        let extra = texts.keys().filter(|key| !english.contains_key(*key));
        findings.extend(extra.map(|key| format!("{path}: {key} is not in the source locale")));
    }
    findings
}

/// Markup made from text, inline handlers and inline scripts below `static/`.
fn unsafe_markup(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|source| source.path.starts_with("static/")) {
        for (at, line) in source.text.lines().enumerate() {
            let here = format!("{}:{}", source.path, at + 1);
            for word in MARKUP.iter().filter(|word| line.contains(**word)) {
                findings.push(format!("{here}: {word}"));
            }
            if source.extension() == "html" {
                findings.extend(inline_code(line).map(|what| format!("{here}: {what}")));
            }
        }
    }
    findings
}

fn inline_code(line: &str) -> Option<&'static str> {
    let handler = line.split_whitespace().any(|word| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        name.len() > 2 && name.starts_with("on") && name.bytes().all(|b| b.is_ascii_lowercase())
    });
    let script = line.contains("<script") && !line.contains("src=");
    handler.then_some("inline handler").or_else(|| script.then_some("inline script"))
}

#[test]
fn the_locales_say_the_same_things() {
    assert_tidy(locale_differences(&repository()));
}

#[test]
fn pages_never_make_markup_from_text() {
    assert_tidy(unsafe_markup(&repository()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locales(other: &str) -> Vec<Source> {
        let file = |locale: &str, text: &str| Source::new(&format!("locales/{locale}.json"), text);
        let english = r#"{"a": "A", "b": "{count} games"}"#;
        LOCALES.iter().map(|l| file(l, if *l == "pt" { other } else { english })).collect()
    }

    #[test]
    fn locales_that_differ_fail() {
        assert_tidy(locale_differences(&locales(r#"{"a": "Á", "b": "{count} jogos"}"#)));
        let cases = [
            (r#"{"a": "Á"}"#, "b is missing"),
            (r#"{"a": "Á", "b": "{total} jogos"}"#, "b has other placeholders"),
            (r#"{"a": "Á", "b": "{count}", "c": "C"}"#, "c is not in the source"),
            (r#"{"a": " ", "b": "{count}"}"#, "a has no text"),
            ("[]", "no object"),
        ];
        for (text, expected) in cases {
            assert_found(locale_differences(&locales(text)), &["locales/pt.json", expected]);
        }
        let few = &locales("{}")[..4];
        assert_found(locale_differences(few), &["locales/pt.json is missing"]);
    }

    #[test]
    fn markup_from_text_fails() {
        let page = |name: &str, text: &str| [Source::new(&format!("static/{name}"), text)];
        assert_found(unsafe_markup(&page("a.js", "x.innerHTML = y")), &["static/a.js:1"]);
        assert_found(unsafe_markup(&page("a.html", "<b onclick=\"x()\">")), &["inline handler"]);
        assert_found(unsafe_markup(&page("a.html", "<script>x()</script>")), &["inline script"]);
        let good = "<script type=\"module\" src=\"app.js\"></script>";
        assert_tidy(unsafe_markup(&page("a.html", good)));
    }
}
