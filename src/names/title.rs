//! The title in the stem of a file's name.

use crate::base::text;

use super::{tags, version};

/// Articles that collections write behind the title. One that ends with an apostrophe stands without
/// a blank before its title.
const ARTICLES: [&str; 31] = [
    "The", "A", "An", "Le", "La", "Les", "L'", "Un", "Une", "Der", "Die", "Das", "Ein", "Eine",
    "El", "Los", "Las", "Una", "Il", "Lo", "Gli", "I", "De", "Het", "Een", "O", "Os", "As", "Ett",
    "En", "Det",
];
/// What separates the parts of a title, each of which may have an article.
const PARTS: [&str; 3] = [" - ", " + ", " ~ "];

/// What sets write before the title of a copy that nobody could verify.
const UNVERIFIED: &str = "ZZZ-UNK-";

/// The title: without tags in brackets and without a version behind it, blanks for underscores, the
/// article in front. A stem of nothing but tags stays as it is, with single blanks.
pub fn clean(stem: &str) -> String {
    let spaced = stem.replace('_', " ");
    let bare = tags::without(&spaced);
    let collapsed = text::collapse(&bare);
    let (title, _) = version::split(&collapsed, tags::is_dated(stem));
    let title = title.trim_end_matches([' ', ',']).trim_start_matches([' ', '-', ',']);
    let title = title.strip_suffix(" -").map_or(title, str::trim_end);
    let title = title.strip_prefix(UNVERIFIED).unwrap_or(title);
    let title = without_number(title, bare.len() < spaced.len());
    if title.is_empty() {
        return text::collapse(&spaced);
    }
    turn_articles(title)
}

/// A name without the running number of a release list (`0123 - Title (U)`): four digits before a tagged
/// name that are no year a title may begin with (`1943 - The Battle of Midway`).
fn without_number(title: &str, has_tags: bool) -> &str {
    match title.split_once(" - ") {
        Some((number, rest))
            if has_tags
                && number.len() == 4
                && !("1500".."2100").contains(&number)
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && !rest.is_empty() =>
        {
            rest
        }
        _ => title,
    }
}

/// Puts the article of each part in front of it.
pub fn turn_articles(title: &str) -> String {
    let mut turned = String::with_capacity(title.len());
    let mut rest = title;
    loop {
        let next = PARTS.iter().filter_map(|sign| Some((rest.find(sign)?, *sign))).min();
        let Some((at, sign)) = next else {
            turned.push_str(&turn_article(rest));
            return turned;
        };
        turned.push_str(&turn_article(&rest[..at]));
        turned.push_str(sign);
        rest = &rest[at + sign.len()..];
    }
}

fn turn_article(part: &str) -> String {
    if let Some((rest, last)) = part.rsplit_once(", ")
        && !rest.is_empty()
        && ARTICLES.contains(&last)
    {
        return if last.ends_with('\'') {
            format!("{last}{rest}")
        } else {
            format!("{last} {rest}")
        };
    }
    part.to_owned()
}
