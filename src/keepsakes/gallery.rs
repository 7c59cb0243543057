//! The gallery: the moments of all games, by month.

use super::{
    moment::{Item, MomentGallery, MonthCount},
    moments::LIST,
};
use crate::{base::Moment, model::State};

/// Moments of one page of the gallery at least, at most and by default.
pub const PAGE: (i64, i64, i64) = (1, 500, 100);
/// Characters of `YYYY-MM`.
const MONTH: usize = 7;

/// A page of the moments of all games, the newest first.
pub fn page(state: &State, offset: usize, limit: usize) -> MomentGallery {
    let mut items = Vec::new();
    // A record is only read where its text names moments.
    for game in state.games.iter().filter(|game| game.json().contains("\"moments\"")) {
        let record = game.record();
        items.extend(
            record.list(LIST).iter().rev().filter_map(|each| Item::of(each, game, &record)),
        );
    }
    // The sort is stable: of those made at one time the last stored of a game comes first.
    items.sort_by_cached_key(|item| {
        std::cmp::Reverse(Moment::parse(&item.created_at).map(|at| at.unix_micros()))
    });
    let mut months: Vec<MonthCount> = Vec::new();
    for item in &items {
        let at = Moment::parse(&item.created_at).map(|at| at.utc_iso()).unwrap_or_default();
        let month = at.get(..MONTH).unwrap_or_default();
        match months.last_mut().filter(|last| last.month == month) {
            Some(last) => last.count += 1,
            None => months.push(MonthCount { month: month.to_owned(), count: 1 }),
        }
    }
    let total = items.len();
    let items = items.into_iter().skip(offset).take(limit).collect();
    MomentGallery { items, total, months, offset, limit }
}
