//! Texts of answers as plain text: without mark-up, entities and anything that was sent.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::base::{markup, text};

/// Characters of the longest name that is taken from an answer.
pub(super) const NAME: usize = 300;
/// Characters of the longest description.
pub(super) const DESCRIPTION: usize = 20_000;
/// Years that are believed.
const YEARS: std::ops::RangeInclusive<i64> = 1950..=2100;

/// A text or a number as text, without blanks around it and entities in it; empty for anything else.
pub(super) fn plain(value: &Value, letters: usize) -> String {
    let raw = match value {
        Value::String(raw) => raw.clone(),
        Value::Number(number) => number.to_string(),
        _ => return String::new(),
    };
    let kept: String = markup::without_entities(&raw)
        .chars()
        .map(|letter| if letter == '\t' { ' ' } else { letter })
        .filter(|letter| *letter == '\n' || !letter.is_control())
        .collect();
    text::cut(kept.trim(), letters).to_owned()
}

/// As [`plain`] for a text with mark-up, whose tags go.
pub(super) fn without_tags(value: &Value, letters: usize) -> String {
    let bare = markup::without_tags(value.as_str().unwrap_or_default());
    plain(&Value::String(bare), letters)
}

/// A whole number, written as one or as text.
pub(super) fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// A number that is at least 0, written as one or as text.
pub(super) fn decimal(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// A number with two digits behind the point.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// The first four digits in a row of a date that are a year.
pub(super) fn year(date: &str) -> String {
    let words = date.split(|letter: char| !letter.is_ascii_digit());
    let is_year =
        |word: &&str| word.len() == 4 && word.parse().is_ok_and(|year: i64| YEARS.contains(&year));
    words.into_iter().find(is_year).unwrap_or_default().to_owned()
}

/// Says from now on whether work has taken longer than this.
pub(super) fn impatient(patience: Duration) -> impl Fn() -> bool + Sync {
    let begun = Instant::now();
    move || begun.elapsed() > patience
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_lose_mark_up_and_entities() {
        for (raw, expected) in [
            (json!("Two &quot;pilots&quot; &amp; a robot."), "Two \"pilots\" & a robot."),
            (json!("a &unknown; b"), "a &unknown; b"),
            (json!("R&D &amp; more; &#039;x&quot; &amp;lt; &"), "R&D & more; 'x\" &lt; &"),
            (json!("Comet\tTab\r\nline"), "Comet Tab\nline"),
            (json!(" x\u{0}\u{7} "), "x"),
            (json!(12), "12"),
            (json!(null), ""),
            (json!(["x"]), ""),
        ] {
            assert_eq!(plain(&raw, 100), expected, "{raw}");
        }
        assert_eq!(plain(&json!("äbcdef"), 3), "äbc");
        let marked = json!("<p>One<br/>two &lt;b&gt; 1 < 2</p><img src='x'>");
        assert_eq!(without_tags(&marked, 100), "One\ntwo <b> 1 < 2");
        assert_eq!(without_tags(&json!("broken <b"), 100), "broken <b");
    }

    #[test]
    fn numbers_and_years_are_read_from_texts() {
        assert_eq!(
            (number(&json!("900")), number(&json!(7)), number(&json!("x"))),
            (Some(900), Some(7), None)
        );
        assert_eq!(
            (decimal(&json!("14.5")), decimal(&json!("NaN")), decimal(&json!(-1))),
            (Some(14.5), None, None)
        );
        for (date, expected) in
            [("18 Mar, 1994", "1994"), ("1994-03-18", "1994"), ("Coming soon", ""), ("9999", "")]
        {
            assert_eq!(year(date), expected, "{date}");
        }
    }
}
