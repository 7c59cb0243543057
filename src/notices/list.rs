//! Adding, reading and clearing notices.

use super::notice::Notice;
use crate::{
    base::{Moment, limits},
    model::Draft,
    store::{Committed, Store},
};

/// Seconds within which a second notice of the same kind and title is dropped.
const REPEAT_SECONDS: i64 = 600;

/// Adds a notice in front and drops the oldest beyond the cap. Returns whether it was added: one
/// with a known dedupe key, or with kind and title of a recent one, is dropped.
pub fn add(draft: &mut Draft, notice: Notice, now: &Moment) -> bool {
    let mut notices = draft.state().rows::<Notice>();
    if notices.iter().any(|known| repeats(known, &notice, now)) {
        return false;
    }
    notices.insert(0, notice);
    notices.truncate(limits::NOTIFICATIONS);
    draft.set_rows(&notices);
    true
}

fn repeats(known: &Notice, new: &Notice, now: &Moment) -> bool {
    if !new.dedupe_key.is_empty() && known.dedupe_key == new.dedupe_key {
        return true;
    }
    let age = Moment::parse(&known.created_at).map(|then| now.unix_seconds() - then.unix_seconds());
    known.kind == new.kind
        && known.title == new.title
        && age.is_some_and(|age| age < REPEAT_SECONDS)
}

/// As [`mark_read`], in one commit.
pub fn read_notices(store: &Store, ids: &[String]) -> Committed<()> {
    store.change(|draft| mark_read(draft, ids))
}

/// Marks notices as read; no ids mean all of them.
fn mark_read(draft: &mut Draft, ids: &[String]) {
    let mut notices = draft.state().rows::<Notice>();
    for notice in notices.iter_mut().filter(|notice| chosen(ids, notice)) {
        notice.read = true;
    }
    draft.set_rows(&notices);
}

/// As [`clear`], in one commit.
pub fn clear_notices(store: &Store, ids: &[String]) -> Committed<()> {
    store.change(|draft| clear(draft, ids))
}

/// Removes notices; no ids mean all of them.
fn clear(draft: &mut Draft, ids: &[String]) {
    let mut notices = draft.state().rows::<Notice>();
    notices.retain(|notice| !chosen(ids, notice));
    draft.set_rows(&notices);
}

fn chosen(ids: &[String], notice: &Notice) -> bool {
    ids.is_empty() || ids.contains(&notice.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::State, notices::notice::Level};

    fn notice(title: &str, now: &Moment) -> Notice {
        Notice::new("system", Level::Error, title, "body", now)
    }

    fn titles(draft: &Draft) -> Vec<String> {
        draft.state().rows::<Notice>().into_iter().map(|notice| notice.title).collect()
    }

    #[test]
    fn newest_come_first_and_the_oldest_go() {
        let mut draft = Draft::new(State::default());
        let now = Moment::from_unix(1_000_000);
        for number in 0..=limits::NOTIFICATIONS {
            assert!(add(&mut draft, notice(&number.to_string(), &now), &now));
        }
        let titles = titles(&draft);
        assert_eq!(titles.len(), limits::NOTIFICATIONS);
        assert_eq!((titles[0].as_str(), titles[199].as_str()), ("200", "1"));
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        let mut draft = Draft::new(State::default());
        let then = Moment::from_unix(1_000_000);
        assert!(add(&mut draft, notice("A", &then).once("key"), &then));
        let soon = Moment::from_unix(1_000_599);
        assert!(!add(&mut draft, notice("A", &soon), &soon));
        let later = Moment::from_unix(1_000_600);
        assert!(add(&mut draft, notice("A", &later), &later));
        let much_later = Moment::from_unix(9_000_000);
        assert!(!add(&mut draft, notice("B", &much_later).once("key"), &much_later));
    }

    #[test]
    fn reads_and_clears_some_or_all() {
        let mut draft = Draft::new(State::default());
        let now = Moment::from_unix(1_000_000);
        for title in ["a", "b", "c"] {
            add(&mut draft, notice(title, &now), &now);
        }
        let ids: Vec<String> =
            draft.state().rows::<Notice>().iter().map(|n| n.id.clone()).collect();
        mark_read(&mut draft, &ids[..1]);
        assert_eq!(draft.state().rows::<Notice>().iter().filter(|notice| notice.read).count(), 1);
        clear(&mut draft, &ids[..1]);
        assert_eq!(titles(&draft), ["b", "a"]);
        mark_read(&mut draft, &[]);
        assert!(draft.state().rows::<Notice>().iter().all(|notice| notice.read));
        clear(&mut draft, &[]);
        assert!(titles(&draft).is_empty());
    }
}
