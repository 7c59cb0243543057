//! Reads the answers of the provider. Rows that lack what they need are left out.

use serde::Deserialize;
use serde_json::Value;

use super::error::ArtgridError;
use crate::{
    base::{Moment, schema::schema, text},
    providers::{ARTGRID, ProviderError},
};

/// Characters of the longest text that is taken from an answer.
pub(super) const TEXT: usize = 300;
/// The moments whose year is believed: 1950 to 2100.
const TIMES: std::ops::Range<i64> = -631_152_000..4_102_444_800;

schema! {
    "ArtgridHit"
    /// A game of the provider, as a search finds it.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct Hit {
        /// Its number there.
        pub id: u32,
        pub name: String,
        /// The year of its release.
        pub year: Option<i32>,
        /// Stores that have it, such as `steam`.
        pub types: Vec<String>,
        /// Whether the provider checked it.
        pub verified: bool,
        /// `artgrid`.
        pub provider: String,
    }

    "ArtgridPicture"
    /// A picture of a game.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct Picture {
        /// The media field it is for: `cover`, `background`, `clear_logo`, `icon` or `banner`.
        pub kind: String,
        pub url: String,
        /// A small copy; may be blank.
        pub thumb: String,
        pub score: i64,
        pub style: String,
        /// Pixels.
        pub width: u32,
        /// Pixels.
        pub height: u32,
        /// Who made it; may be blank.
        pub author: String,
    }
}

/// A kind of picture at the provider.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// The media field.
    pub field: &'static str,
    /// The list that has it, with the parameters that narrow it.
    pub list: &'static str,
    pub narrow: &'static str,
}

/// The kinds. Animated pictures are large and cannot be shown, so they are not asked for.
pub(super) const KINDS: [Kind; 5] = [
    Kind {
        field: "cover",
        list: "grids",
        narrow: "mimes=image/png,image/jpeg,image/webp&dimensions=600x900,342x482,660x930",
    },
    Kind { field: "background", list: "heroes", narrow: "mimes=image/png,image/jpeg,image/webp" },
    Kind { field: "clear_logo", list: "logos", narrow: "mimes=image/png,image/webp" },
    Kind { field: "icon", list: "icons", narrow: "mimes=image/png" },
    Kind {
        field: "banner",
        list: "grids",
        narrow: "mimes=image/png,image/jpeg,image/webp&dimensions=460x215,920x430",
    },
];

/// The payload of an answer. A reason is whole, with whatever the provider repeats in it.
pub(super) fn payload(answer: &Value) -> Result<&Value, ArtgridError> {
    match (answer["success"].as_bool(), answer.get("data")) {
        (Some(true), Some(data)) => Ok(data),
        (Some(false), _) => {
            let reason = text::collapse(answer["errors"][0].as_str().unwrap_or_default());
            Err(ArtgridError::Refused(if reason.is_empty() {
                "no reason".to_owned()
            } else {
                reason
            }))
        }
        _ => Err(ProviderError::Nonsense.into()),
    }
}

/// The rows of an answer that is a list.
pub(super) fn rows(answer: &Value) -> Result<&[Value], ArtgridError> {
    let rows = payload(answer)?.as_array();
    Ok(rows.ok_or(ProviderError::Nonsense)?)
}

/// A game; `None` without a number or a name.
pub(super) fn hit(row: &Value) -> Option<Hit> {
    let id = u32::try_from(row["id"].as_u64()?).ok().filter(|id| *id > 0)?;
    let name = Some(text(&row["name"])).filter(|name| !name.is_empty())?;
    let types = row["types"].as_array().into_iter().flatten().take(20).map(text);
    let types = types.filter(|name| !name.is_empty()).collect();
    // Zero means that no date was entered.
    let released = row["release_date"].as_i64().filter(|time| *time != 0 && TIMES.contains(time));
    let year = released.and_then(|time| Moment::from_unix(time).utc_iso().get(..4)?.parse().ok());
    let verified = row["verified"].as_bool().unwrap_or(false);
    Some(Hit { id, name, year, types, verified, provider: ARTGRID.id.to_owned() })
}

/// The pictures of a list, the best first. `named` says whether an address lies with the provider, and
/// what it is then.
pub(super) fn pictures(
    kind: &str,
    rows: &[Value],
    named: &dyn Fn(&str) -> Option<String>,
) -> Vec<Picture> {
    let of = |row: &Value| {
        let is_left_out = ["nsfw", "humor", "epilepsy"].iter().any(|key| row[key] == true);
        let url = named(row["url"].as_str()?).filter(|_| !is_left_out)?;
        let pixels = |key: &str| row[key].as_u64().and_then(|count| u32::try_from(count).ok());
        let picture = Picture {
            kind: kind.to_owned(),
            url,
            thumb: row["thumb"].as_str().and_then(named).unwrap_or_default(),
            score: row["score"].as_i64().unwrap_or(0),
            style: text(&row["style"]),
            width: pixels("width")?,
            height: pixels("height")?,
            author: text(&row["author"]["name"]),
        };
        let votes = row["upvotes"].as_i64().unwrap_or(0);
        Some((picture, votes, row["id"].as_i64().unwrap_or(0)))
    };
    let mut found: Vec<_> = rows.iter().filter_map(of).collect();
    found
        .sort_by_key(|(picture, votes, id)| (-i128::from(picture.score), -i128::from(*votes), *id));
    found.into_iter().map(|(picture, ..)| picture).collect()
}

/// The text of a value on one line, cut.
fn text(value: &Value) -> String {
    text::cut(text::one_line(value.as_str().unwrap_or_default()).trim(), TEXT).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_believed_only_in_its_own_shape() {
        let nonsense = || Err(ProviderError::Nonsense.into());
        assert_eq!(rows(&json!({"success": true, "data": [1]})), Ok(&[json!(1)][..]));
        for answer in [
            json!([]),
            json!(null),
            json!({"data": []}),
            json!({"success": "true", "data": []}),
            json!({"success": true}),
            json!({"success": true, "data": {}}),
        ] {
            assert_eq!(rows(&answer), nonsense(), "{answer}");
        }
        let refused = |answer: Value, reason: &str| {
            assert_eq!(rows(&answer), Err(ArtgridError::Refused(reason.to_owned())));
        };
        refused(json!({"success": false, "errors": ["Game\nnot found"]}), "Game not found");
        refused(json!({"success": false, "errors": {}}), "no reason");
    }

    #[test]
    fn games_without_number_or_name_are_left_out() {
        let row = json!({"id": 77, "name": " Comet Rangers ", "verified": true, "types": ["steam", 3],
            "release_date": 763_948_800});
        let found = hit(&row).expect("a game");
        assert_eq!((found.id, found.name.as_str(), found.year), (77, "Comet Rangers", Some(1994)));
        assert_eq!((found.types, found.verified), (vec!["steam".to_owned()], true));
        let year = |time: Value| {
            hit(&json!({"id": 1, "name": "A", "release_date": time})).and_then(|it| it.year)
        };
        assert_eq!(
            (year(json!(-86_400)), year(json!(0)), year(json!(i64::MAX)), year(json!("x"))),
            (Some(1969), None, None, None)
        );
        for row in [
            json!(3),
            json!({"id": 0, "name": "A"}),
            json!({"id": -1, "name": "A"}),
            json!({"id": "1", "name": "A"}),
            json!({"id": 1, "name": ""}),
            json!({"id": u64::MAX, "name": "A"}),
        ] {
            assert_eq!(hit(&row), None, "{row}");
        }
    }

    #[test]
    fn the_best_pictures_come_first_and_some_not_at_all() {
        let row = |id: i64, score: i64, votes: i64, more: Value| {
            let mut row = json!({"id": id, "score": score, "upvotes": votes, "width": 6, "height": 9,
                "url": format!("own/{id}"), "thumb": "elsewhere", "author": {"name": "pix"}});
            row.as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("an object").clone());
            row
        };
        let plain = || json!({});
        let rows = [
            row(1, 0, 1, plain()),
            row(2, 0, 4, plain()),
            row(3, 9, 0, plain()),
            row(4, 0, 4, plain()),
            row(5, 99, 0, json!({"nsfw": true})),
            row(6, 99, 0, json!({"epilepsy": true})),
            row(7, 99, 0, json!({"url": "elsewhere"})),
            row(8, 99, 0, json!({"width": "6"})),
            json!([]),
            row(9, i64::MIN, 0, plain()),
        ];
        let own = |text: &str| text.starts_with("own/").then(|| text.to_owned());
        let found = pictures("cover", &rows, &own);
        let urls: Vec<_> = found.iter().map(|picture| picture.url.as_str()).collect();
        assert_eq!(urls, ["own/3", "own/2", "own/4", "own/1", "own/9"]);
        assert_eq!((found[0].thumb.as_str(), found[0].author.as_str()), ("", "pix"));
    }
}
