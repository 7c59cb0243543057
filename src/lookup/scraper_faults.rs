//! Errors of the scraper provider: French sentences, some with the status 200 and all with the type of JSON, and JSON
//! that has to be repaired.

use std::fmt::Write as _;

use serde_json::Value;

use super::error::LookupError;
use crate::{
    base::text,
    providers::{ProviderError, SCRAPER, client::Answered},
};

/// The variables of the user's login.
pub(super) const USER: &str = "SCRAPER_USER and SCRAPER_PASSWORD";
/// Those of the program's login.
const DEVELOPER: &str = "SCRAPER_DEV_ID and SCRAPER_DEV_PASSWORD";
/// Characters of a sentence that is passed on.
pub(super) const SENTENCE: usize = 200;

/// Bytes of the longest text that is not a media file.
const MESSAGE: usize = 2_000;
/// What comes in place of a media file that is not there, or that is reported as known already.
const NO_MEDIA: [&str; 4] = ["NOMEDIA", "CRCOK", "MD5OK", "SHA1OK"];

/// The meaning of an answer.
#[derive(Debug)]
pub(super) enum Said {
    /// JSON.
    Data(Value),
    /// There is no such game.
    Nothing,
    /// The quota is reported as used up, which may be wrong.
    Quota,
    /// A fault.
    Fault(LookupError),
}

/// Understands an answer. The sentence of a fault is whole, with whatever the provider repeats in it.
pub(super) fn understand(answer: &Answered) -> Said {
    let body = answer.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&answer.bytes);
    let body = String::from_utf8_lossy(body);
    if let Some(data) = json(&body) {
        return match answer.status {
            404 | 431 => Said::Nothing,
            430 => Said::Quota,
            status if status >= 400 => Said::Fault(fault(answer, &reason_in(&data))),
            _ if is_failure(&data) => by_sentence(answer, &reason_in(&data)),
            _ => Said::Data(data),
        };
    }
    by_sentence(answer, &body)
}

/// The fault of an answer that denies what must be there.
pub(super) fn fault_of(answer: &Answered) -> LookupError {
    let body = String::from_utf8_lossy(&answer.bytes);
    match json(&body) {
        Some(data) => fault(answer, &reason_in(&data)),
        None => fault(answer, &body),
    }
}

/// Interprets a reply that came in place of a media file; `is_other` says why it is not one where it has no text.
pub(super) fn understand_media(answer: &Answered, is_other: &ProviderError) -> Said {
    let text = std::str::from_utf8(&answer.bytes).ok().filter(|text| text.len() <= MESSAGE);
    let text = text.unwrap_or_default().trim();
    let is_word = |word: &&str| text.eq_ignore_ascii_case(word);
    if NO_MEDIA.iter().any(is_word) {
        return Said::Nothing;
    }
    // Of a media server a status alone says nothing about the login.
    let is_silent =
        text.is_empty() || (answer.status == 403 && !text::fold(text).contains("login"));
    if !is_silent || matches!(answer.status, 404 | 423 | 430 | 431) {
        return understand(answer);
    }
    let (status, reason) = (answer.status, answer.reason);
    Said::Fault(LookupError::of(
        SCRAPER.name,
        &match status {
            200 => is_other.clone(),
            _ => ProviderError::Status { status, reason },
        },
    ))
}

/// Understands a fault by its status and its words.
fn by_sentence(answer: &Answered, sentence: &str) -> Said {
    // Some replies have asterisks between the letters.
    let said = text::fold(&sentence.replace('*', ""));
    let has = |words: &str| said.contains(words);
    if matches!(answer.status, 404 | 431) || has("non trouv") {
        Said::Nothing
    } else if answer.status == 430 || has("quota") {
        Said::Quota
    } else {
        Said::Fault(fault(answer, sentence))
    }
}

fn fault(answer: &Answered, sentence: &str) -> LookupError {
    let provider = SCRAPER.name;
    let said = text::fold(&sentence.replace('*', ""));
    let has = |words: &str| said.contains(words);
    let is_login = answer.status == 403 || has("erreur de login");
    match answer.status {
        _ if is_login && (has("développeur") || has("developpeur")) => {
            LookupError::Rejected { provider, variables: DEVELOPER }
        }
        _ if is_login => LookupError::Rejected { provider, variables: USER },
        401 | 423 => LookupError::Closed(provider),
        _ if has("totalement ferm") || has("non-membres") => LookupError::Closed(provider),
        status => {
            let line = text::collapse(sentence);
            let says_nothing =
                line.is_empty() || line.starts_with(['{', '[', '<']) || !is_text(sentence);
            let reason = answer.reason;
            let error = if status == 200 {
                ProviderError::Nonsense
            } else {
                ProviderError::Status { status, reason }
            };
            match status {
                // The program, not this one request, is refused.
                426 if says_nothing => LookupError::Banned(provider, error.to_string()),
                426 => LookupError::Banned(provider, line),
                _ if says_nothing => LookupError::of(provider, &error),
                _ => LookupError::Refused(provider, line),
            }
        }
    }
}

fn is_failure(data: &Value) -> bool {
    let success = &data["header"]["success"];
    success == "false" || *success == Value::Bool(false)
}

fn reason_in(data: &Value) -> String {
    data["header"]["error"].as_str().unwrap_or_default().to_owned()
}

/// An object of JSON, repaired where needed.
fn json(body: &str) -> Option<Value> {
    let body = body.trim();
    if !body.starts_with('{') {
        return None;
    }
    let parsed = serde_json::from_str(body).or_else(|_| serde_json::from_str(&mended(body)));
    parsed.ok().filter(Value::is_object)
}

/// JSON without commas in front of closing brackets, unknown escapes and control characters in texts.
/// An invalid numeric escape becomes the replacement character.
fn mended(body: &str) -> String {
    let mut whole = String::with_capacity(body.len());
    let mut letters = body.chars();
    let mut is_text = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if is_text => match letters.as_str().chars().next() {
                Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {
                    whole.push('\\');
                    whole.extend(letters.next());
                }
                Some('u') => {
                    let (sign, length) = numbered(letters.as_str());
                    letters = letters.as_str()[length..].chars();
                    // As an escape again: it may be a quotation mark.
                    let mut units = [0; 2];
                    for unit in sign.encode_utf16(&mut units) {
                        // OK because writing to a text does not fail.
                        let _ = write!(whole, "\\u{unit:04x}");
                    }
                }
                // Some texts are quoted as for another language.
                Some('\'') => whole.extend(letters.next()),
                _ => whole.push_str("\\\\"),
            },
            '"' => {
                is_text = !is_text;
                whole.push('"');
            }
            _ if is_text && letter.is_control() => whole.push(' '),
            '}' | ']' if !is_text => {
                let kept = whole.trim_end().trim_end_matches(',').len();
                whole.truncate(kept);
                whole.push(letter);
            }
            _ => whole.push(letter),
        }
    }
    whole
}

/// The character of an escape `u` with digits, in one pair or two, and its length in bytes.
fn numbered(text: &str) -> (char, usize) {
    let first = digits(text);
    let unit = |text: &str| u16::from_str_radix(text.get(1..5)?, 16).ok();
    let lone = (char::REPLACEMENT_CHARACTER, 1 + first);
    let Some(high) = unit(text).filter(|_| first == 4) else { return lone };
    let low = text.get(5..).and_then(|rest| rest.strip_prefix('\\'));
    let low = low.filter(|low| low.starts_with('u') && digits(low) == 4).and_then(unit);
    let units = [Some(high), low].into_iter().flatten();
    match char::decode_utf16(units).next() {
        Some(Ok(sign)) => (sign, if sign.len_utf16() == 2 { 11 } else { 5 }),
        _ => lone,
    }
}

/// Whether a sentence is one and not bytes of something else. Letters of an older encoding are a few.
fn is_text(sentence: &str) -> bool {
    let is_odd = |letter: &char| *letter == '\u{fffd}';
    let is_control = |letter: char| letter.is_control() && !letter.is_whitespace();
    let odd = sentence.chars().filter(is_odd).count();
    !sentence.contains(is_control) && odd * 8 <= sentence.chars().count()
}

/// The hexadecimal digits behind a letter, at most four.
fn digits(text: &str) -> usize {
    text.bytes().skip(1).take(4).take_while(u8::is_ascii_hexdigit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(status: u16, body: &str) -> String {
        let bytes = body.as_bytes().to_vec();
        shown(understand(&Answered { status, reason: "Reason", bytes }))
    }

    fn shown(said: Said) -> String {
        match said {
            Said::Data(data) => data.to_string(),
            Said::Nothing => "nothing".to_owned(),
            Said::Quota => "quota".to_owned(),
            Said::Fault(error) => error.to_string(),
        }
    }

    #[test]
    fn sentences_are_understood_whatever_their_status() {
        let user = "ScreenScraper rejected the login. Check SCRAPER_USER and SCRAPER_PASSWORD.";
        let developer =
            "ScreenScraper rejected the login. Check SCRAPER_DEV_ID and SCRAPER_DEV_PASSWORD.";
        let closed = "ScreenScraper is closed at the moment. Try again later.";
        for (status, body, expected) in [
            (404, "Erreur : Jeu non trouvée !  ", "nothing"),
            (200, "E*r*r*e*u*r : Jeu n*o*n trouvée", "nothing"),
            (431, "Faites du tri dans vos fichiers roms", "nothing"),
            (430, "Votre quota de scrape est dépassé pour aujourd'hui !", "quota"),
            (200, "Votre quota de scrape est dépassé pour aujourd'hui !", "quota"),
            (403, "Erreur de login : Vérifier les identifiants utilisateurs !  ", user),
            (200, "Erreur de login : Vérifier les identifiants utilisateurs !  ", user),
            (403, "Erreur de login : Vérifier vos identifiants développeur !  ", developer),
            (423, "API totalement fermé", closed),
            (401, "API fermé pour les non membres ou les membres inactifs", closed),
            (
                400,
                "Champ crc, md5 ou sha1 erroné  ",
                "ScreenScraper refused the request: Champ crc, md5 ou sha1 erroné",
            ),
            (
                200,
                "<!doctype html>",
                "Could not ask ScreenScraper: the server sent something else than it was asked for.",
            ),
            (426, "", "ScreenScraper refused the request: the server answered 426 Reason"),
            (
                200,
                "[1]",
                "Could not ask ScreenScraper: the server sent something else than it was asked for.",
            ),
            (
                200,
                "{\"header\":{\"success\":\"false\",\"error\":\"Oh\"}}",
                "ScreenScraper refused the request: Oh",
            ),
        ] {
            assert_eq!(said(status, body), expected, "{body}");
        }
    }

    #[test]
    fn what_comes_in_place_of_media_is_understood() {
        let closed = "ScreenScraper is closed at the moment. Try again later.";
        let user = "ScreenScraper rejected the login. Check SCRAPER_USER and SCRAPER_PASSWORD.";
        for (status, bytes, expected) in [
            (200, &b"NOMEDIA"[..], "nothing"),
            (200, b" md5ok\r\n", "nothing"),
            (200, b"CRCOK", "nothing"),
            (200, b"SHA1OK", "nothing"),
            (404, b"", "nothing"),
            (431, b"", "nothing"),
            (430, b"", "quota"),
            (200, "Votre quota de scrape est dépassé pour aujourd'hui !".as_bytes(), "quota"),
            (423, "API totalement fermé".as_bytes(), closed),
            (423, b"", closed),
            (200, "Erreur de login : Vérifier les identifiants utilisateurs !".as_bytes(), user),
            (403, b"", "Could not ask ScreenScraper: the server answered 403 Reason."),
            (403, b"No", "Could not ask ScreenScraper: the server answered 403 Reason."),
            (
                200,
                b"GIF89a\xff",
                "Could not ask ScreenScraper: it is no PNG, JPEG or WebP picture.",
            ),
            (200, b"Oh no", "ScreenScraper refused the request: Oh no"),
        ] {
            let answer = Answered { status, reason: "Reason", bytes: bytes.to_vec() };
            assert_eq!(
                shown(understand_media(&answer, &ProviderError::NoPicture)),
                expected,
                "{status} {answer:?}"
            );
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_not_passed_on() {
        let nonsense =
            "Could not ask ScreenScraper: the server sent something else than it was asked for.";
        for (bytes, expected) in [
            (&b"\x0b\x02\x80abc\x03"[..], nonsense),
            (b"x\x9c\xcb\x48\xcd\xc9\xc9\xf7\xe9", nonsense),
            (
                b"Champ erron\xe9, c'est dit",
                "ScreenScraper refused the request: Champ erron\u{fffd}, c'est dit",
            ),
        ] {
            let answer = Answered { status: 200, reason: "OK", bytes: bytes.to_vec() };
            assert_eq!(shown(understand(&answer)), expected, "{bytes:?}");
        }
    }

    #[test]
    fn damaged_json_is_mended_once() {
        assert_eq!(said(200, "{\"a\": [1, 2,],\n\t\t}"), "{\"a\":[1,2]}");
        assert_eq!(said(200, "{\"a\": \"b\\'c\\d\\n,]\"}"), "{\"a\":\"b'c\\\\d\\n,]\"}");
        assert_eq!(said(200, "\u{feff}{\"a\": \"x\ty\"}"), "{\"a\":\"x y\"}");
        for (text, expected) in [
            (r"\u00e9\'", "é'"),
            (r"\ud83c\udfae\'", "🎮'"),
            (r"a\u12G4b", "a\u{fffd}G4b"),
            (r"a\ud83cb", "a\u{fffd}b"),
            (r"\udfae", "\u{fffd}"),
            (r"\ud83c\u00e9", "\u{fffd}é"),
            (r"\u", "\u{fffd}"),
            (r"\u0022\u5cé,", r#"\"�é,"#),
        ] {
            let mended = said(200, &format!("{{\"a\": \"{text}\"}}"));
            assert_eq!(mended, format!("{{\"a\":\"{expected}\"}}"), "{text}");
        }
        let lost =
            "Could not ask ScreenScraper: the server sent something else than it was asked for.";
        assert_eq!(said(200, "{\"a\": "), lost);
    }
}
