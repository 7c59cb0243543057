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
const PARTS: [&str; 3] = [SUBTITLE, " + ", " ~ "];
/// What stands before the second part of one title; the other separators separate titles.
const SUBTITLE: &str = " - ";

/// What sets write before the title of a copy that could not be verified.
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
/// name that are not a year a title may begin with (`1943 - The Battle of Midway`).
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

/// Puts the article of each part in front of it. A part that has an article in front has that of the whole
/// title behind it: `Adventure - Le Jeu, La` is `La Adventure - Le Jeu`.
pub fn turn_articles(title: &str) -> String {
    let mut turned = String::with_capacity(title.len());
    let mut rest = title;
    // Where the open title begins, and whether the part to come is not its first.
    let (mut start, mut is_subtitle) = (0, false);
    loop {
        let next = PARTS.iter().filter_map(|sign| Some((rest.find(sign)?, *sign))).min();
        let part = next.map_or(rest, |(at, _)| &rest[..at]);
        match split_article(part) {
            Some((part, article)) if is_subtitle && begins_with_article(part) => {
                turned.push_str(part);
                turned.insert_str(start, &in_front(article));
            }
            Some((part, article)) => {
                turned.push_str(&in_front(article));
                turned.push_str(part);
            }
            None => turned.push_str(part),
        }
        let Some((at, sign)) = next else { return turned };
        turned.push_str(sign);
        is_subtitle = sign == SUBTITLE;
        if !is_subtitle {
            start = turned.len();
        }
        rest = &rest[at + sign.len()..];
    }
}

/// A part without the article behind it, and that article.
fn split_article(part: &str) -> Option<(&str, &str)> {
    let (rest, last) = part.rsplit_once(", ")?;
    (!rest.is_empty() && ARTICLES.contains(&last)).then_some((rest, last))
}

/// An article as it stands before a title.
fn in_front(article: &str) -> String {
    let blank = if article.ends_with('\'') { "" } else { " " };
    [article, blank].concat()
}

fn begins_with_article(part: &str) -> bool {
    ARTICLES.iter().any(|article| {
        let behind = part.strip_prefix(article);
        behind.is_some_and(|behind| article.ends_with('\'') || behind.starts_with(' '))
    })
}
