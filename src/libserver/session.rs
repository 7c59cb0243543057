//! The session at the library server: its cookies and the token that its page sends with every change.
//!
//! A server lets a user have three sessions and ends the oldest one for a fourth, which may be that of a user at a
//! browser. So the session is kept for the next request, as long as it is good.

use std::sync::Mutex;

use super::config::Config;
use crate::base::Hold as _;

/// Cookies that are kept.
const COOKIES: usize = 32;
/// Bytes of the longest token.
const TOKEN: usize = 1_000;

/// Who is logged in, and the session of that login.
static KEPT: Mutex<Option<(Login, Session)>> = Mutex::new(None);

/// The server and the user of a login.
#[derive(PartialEq, Eq)]
struct Login {
    address: String,
    username: String,
    password: String,
}

impl Login {
    fn of(config: &Config) -> Self {
        Self {
            address: config.location.text().to_owned(),
            username: config.username.clone(),
            password: config.password.clone(),
        }
    }
}

/// What every request carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Session {
    cookies: Vec<(String, String)>,
    /// Blank while the server asked for none.
    pub token: String,
}

impl Session {
    /// The session that is kept for this login.
    pub fn kept(config: &Config) -> Option<Self> {
        let kept = KEPT.hold();
        let (login, session) = kept.as_ref()?;
        (*login == Login::of(config)).then(|| session.clone())
    }

    /// Keeps a session that is good.
    pub fn keep(&self, config: &Config) {
        *KEPT.hold() = Some((Login::of(config), self.clone()));
    }

    /// Keeps none for this login.
    pub fn forget(config: &Config) {
        let login = Login::of(config);
        KEPT.hold().take_if(|(kept, _)| *kept == login);
    }

    /// Takes a cookie over, in place of one of the same name.
    pub fn take_cookie(&mut self, text: &str) {
        let pair = text.split(';').next().unwrap_or_default();
        let Some((name, value)) = pair.split_once('=') else { return };
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        self.cookies.retain(|(known, _)| *known != name);
        if self.cookies.len() < COOKIES {
            self.cookies.push((name, value));
        }
    }

    /// What no text may show: the values of the cookies, and the token.
    pub fn secrets(&self) -> Vec<String> {
        let values = self.cookies.iter().map(|(_, value)| value);
        values.chain([&self.token]).cloned().collect()
    }

    /// The header with the cookies; blank without any.
    pub fn cookies(&self) -> String {
        let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }
}

/// The token that a page names: `<meta name="_csrf" content="...">`.
pub(super) fn token_of(page: &str) -> Option<String> {
    let tags = page.split("<meta").skip(1).filter_map(|rest| rest.split('>').next());
    let mut named = tags.filter(|tag| attribute(tag, "name") == Some("_csrf"));
    let token = named.find_map(|tag| attribute(tag, "content"))?;
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    ((1..=TOKEN).contains(&token.len()) && is_plain(token)).then(|| token.to_owned())
}

/// An attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|letter| "\"'".contains(*letter));
        let (value, end) = match quote {
            Some(quote) => after[1..].split_once(quote)?,
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        if before.split_whitespace().next_back() == Some(name) {
            return Some(value);
        }
        rest = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_its_token() {
        for (page, expected) in [
            ("<html><meta charset=utf-8><meta name=\"_csrf\" content=\"a-b_1\"/>", Some("a-b_1")),
            ("<meta content='t' name='_csrf'><meta name='_csrf_header' content='X'>", Some("t")),
            ("<meta name=_csrf content=t>", Some("t")),
            ("<meta name=\"_csrf_header\" content=\"X-CSRF-TOKEN\">", None),
            ("<meta name=\"_csrf\" content=\"\">", None),
            ("<meta name=\"_csrf\" content=\"a\r\nb\">", None),
            ("<meta name=\"_csrf", None),
            ("", None),
        ] {
            assert_eq!(token_of(page).as_deref(), expected, "{page}");
        }
    }

    #[test]
    fn a_cookie_takes_the_place_of_one_of_its_name() {
        let mut session = Session::default();
        assert_eq!(session.cookies(), "");
        for text in ["a=1; Path=/", "b = 2", "nothing", "a=3"] {
            session.take_cookie(text);
        }
        assert_eq!(session.cookies(), "b=2; a=3");
    }
}
