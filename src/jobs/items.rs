//! The failed and skipped items of one operation.

use serde::{Deserialize, Serialize};

use super::document::Fault;
use crate::base::{limits, schema::schema};

schema! {
    "JobItem"
    /// The outcome of one item.
    #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
    pub struct Item {
        /// Identifies the item within its operation; often the id of a game.
        pub item_id: String,
        /// A few words for the user.
        #[serde(default)]
        pub label: String,
        /// `failed` or `skipped`.
        pub state: String,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub error: Option<Fault>,
    }
}

/// The code of an item that a provider did not give.
pub const PROVIDER_ERROR: &str = "PROVIDER_ERROR";

impl Item {
    /// An item that failed with this code and sentence.
    pub fn failed(item_id: &str, label: &str, code: &str, message: &str) -> Self {
        let (code, request_id) = (code.to_owned(), String::new());
        let error = Some(Fault { code, message: message.to_owned(), request_id });
        Self { item_id: item_id.into(), label: label.into(), state: "failed".into(), error }
    }
}

/// The items of one operation in the order in which they were reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items {
    /// The operation.
    pub job_id: String,
    /// One entry for each item id; at most [`limits::JOB_ITEMS`].
    pub items: Vec<Item>,
}

impl Items {
    /// No items yet.
    pub fn of(job_id: &str) -> Self {
        Self { job_id: job_id.to_owned(), items: Vec::new() }
    }

    /// Adds an item, or replaces the entry with its id. Beyond the limit it is left out.
    pub fn put(&mut self, item: Item) {
        let known = self.items.iter().position(|other| other.item_id == item.item_id);
        match known {
            Some(at) => self.items[at] = item,
            None if self.items.len() < limits::JOB_ITEMS => self.items.push(item),
            None => {}
        }
    }

    /// Whether an item was skipped or failed.
    pub fn has_faults(&self) -> bool {
        self.items.iter().any(|item| matches!(item.state.as_str(), "skipped" | "failed"))
    }

    /// The items after the one with id `cursor`, and the next cursor when more follow. An unknown
    /// cursor is the start.
    pub fn page(&self, cursor: Option<&str>, limit: usize) -> (&[Item], Option<&str>) {
        let found = cursor.and_then(|id| self.items.iter().position(|item| item.item_id == id));
        let rest = &self.items[found.map_or(0, |at| at + 1)..];
        let page = &rest[..limit.min(rest.len())];
        let more = rest.len() > page.len();
        (page, page.last().filter(|_| more).map(|item| item.item_id.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, state: &str) -> Item {
        Item { item_id: id.into(), label: String::new(), state: state.into(), error: None }
    }

    #[test]
    fn an_item_is_listed_once_with_its_last_state() {
        let mut items = Items::of("job");
        for (id, state) in [("a", "failed"), ("b", "skipped"), ("a", "skipped")] {
            items.put(item(id, state));
        }
        assert_eq!(items.items, [item("a", "skipped"), item("b", "skipped")]);
    }

    #[test]
    fn pages_follow_each_other_without_gaps() {
        let mut items = Items::of("job");
        for number in 0..5 {
            items.put(item(&number.to_string(), "failed"));
        }
        let ids = |page: &[Item]| page.iter().map(|item| item.item_id.clone()).collect::<String>();
        let (page, next) = items.page(None, 2);
        assert_eq!((ids(page), next), ("01".into(), Some("1")));
        let (page, next) = items.page(next, 2);
        assert_eq!((ids(page), next), ("23".into(), Some("3")));
        let (page, next) = items.page(next, 2);
        assert_eq!((ids(page), next), ("4".into(), None));
        let (page, next) = items.page(Some("unknown"), 5);
        assert_eq!((ids(page), next), ("01234".into(), None));
    }
}
