//! The score of what was found.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::rules::{About, Dimension, Finding};
use crate::{base::schema::schema, model::Games};

/// Findings that are kept with a score, the weightiest ones.
const DEDUCTIONS: usize = 500;

schema! {
    "HealthDimension"
    /// One part of a score.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    pub struct DimensionScore {
        /// 0 to 100.
        pub score: u32,
        /// How much of the whole it makes, in percent.
        pub weight: u32,
        /// How many findings it has.
        pub issues: usize,
    }

    "HealthIssue"
    /// A finding.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Issue {
        /// Stable id of the game.
        pub game_id: String,
        /// Its position in the library.
        pub index: usize,
        /// Its name.
        pub name: String,
        /// What it lowers.
        pub dimension: Dimension,
        /// What is wrong.
        pub code: &'static str,
        /// In words.
        pub reason: String,
        /// The path, field, platform or game that it is about.
        pub detail: String,
        /// By how much it lowers its dimension.
        pub points: u8,
    }

    "HealthDeduction"
    /// A finding that is kept with the score.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(default)]
    pub struct Deduction {
        /// What it lowers.
        pub dimension: String,
        /// By how much.
        pub points: u8,
        /// In words.
        pub reason: String,
        /// Stable id of the game.
        pub game_id: String,
        /// Every game that it is about.
        pub game_ids: Vec<String>,
        /// What is wrong.
        pub code: String,
        /// The path, field, platform or game that it is about.
        pub detail: String,
        /// Position of the game in the library.
        pub index: usize,
        /// Name of the game.
        pub name: String,
    }
}

/// A score with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// 0 to 100.
    pub total: u32,
    /// By the name of the dimension.
    pub dimensions: BTreeMap<String, DimensionScore>,
}

/// The score of these findings.
pub fn score(findings: &[Finding]) -> Score {
    let mut parts = Dimension::ALL.map(|dimension| {
        let whole = DimensionScore { score: 100, weight: dimension.weight(), issues: 0 };
        (dimension, 0_u64, whole)
    });
    for finding in findings {
        let dimension = finding.code.dimension();
        let part = parts.iter_mut().find(|(known, ..)| *known == dimension);
        if let Some((_, points, part)) = part {
            *points += u64::from(finding.points);
            part.issues += 1;
        }
    }
    let mut weighted = 0;
    for (_, points, part) in &mut parts {
        // OK because it is at most 100.
        part.score = u32::try_from(100_u64.saturating_sub(*points)).unwrap_or(0);
        weighted += part.score * part.weight;
    }
    let dimensions =
        parts.into_iter().map(|(dimension, _, part)| (dimension.name().to_owned(), part));
    Score { total: rounded(weighted), dimensions: dimensions.collect() }
}

/// Hundredths as a whole number; halves go to the even one.
fn rounded(hundredths: u32) -> u32 {
    let whole = hundredths / 100;
    match hundredths % 100 {
        ..50 => whole,
        50 => whole + whole % 2,
        51.. => whole + 1,
    }
}

/// A finding as it is shown.
pub fn issue(games: &Games, finding: &Finding) -> Option<Issue> {
    let index = finding.position as usize;
    let game = games.get(index)?;
    Some(Issue {
        game_id: game.id().to_owned(),
        index,
        name: game.name().to_owned(),
        dimension: finding.code.dimension(),
        code: finding.code.name(),
        reason: finding.reason(),
        detail: finding.detail(games),
        points: finding.points,
    })
}

/// The findings that are kept with a score: those that cost most, in library order where they cost the same.
pub fn deductions(games: &Games, findings: &[Finding]) -> Vec<Deduction> {
    let weight = |finding: &Finding| u32::from(finding.points) * finding.code.dimension().weight();
    let mut order: Vec<&Finding> = findings.iter().collect();
    order.sort_by_key(|finding| std::cmp::Reverse(weight(finding)));
    let shown = order.into_iter().filter_map(|finding| {
        let issue = issue(games, finding)?;
        let earlier = match &finding.about {
            About::Earlier(earlier, _) => games.get(*earlier as usize).map(|game| game.id()),
            _ => None,
        };
        let game_ids = std::iter::once(issue.game_id.as_str()).chain(earlier);
        Some(Deduction {
            dimension: issue.dimension.name().to_owned(),
            points: issue.points,
            reason: issue.reason,
            game_ids: game_ids.map(str::to_owned).collect(),
            game_id: issue.game_id,
            code: issue.code.to_owned(),
            detail: issue.detail,
            index: issue.index,
            name: issue.name,
        })
    });
    shown.take(DEDUCTIONS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::rules::tests::{findings, library, whole},
        *,
    };

    fn scores(score: &Score) -> Vec<(&str, u32, usize)> {
        let parts = score.dimensions.iter();
        parts.map(|(name, part)| (name.as_str(), part.score, part.issues)).collect()
    }

    #[test]
    fn a_library_without_findings_has_every_point() {
        let score = score(&[]);
        assert_eq!(score.total, 100);
        assert_eq!(score.dimensions.values().map(|part| part.weight).sum::<u32>(), 100);
        assert!(scores(&score).iter().all(|(_, score, issues)| (*score, *issues) == (100, 0)));
    }

    #[test]
    fn points_are_summed_up_over_the_library_and_weighted() {
        let state = library(&[
            whole("a", json!({"path": "/gone", "genre": ""})),
            whole("b", json!({"path": "/gone/too", "cover": ""})),
            whole("c", json!({"broken": true})),
        ]);
        let found = findings(&state);
        let score = score(&found);
        let expected = [
            ("artwork", 60, 1),
            ("duplicates", 100, 0),
            ("file_integrity", 0, 2),
            ("launch_readiness", 60, 1),
            ("metadata", 85, 1),
        ];
        assert_eq!(scores(&score), expected);
        // 35 x 0 + 20 x 100 + 20 x 60 + 15 x 85 + 10 x 60 is 5,075.
        assert_eq!(score.total, 51);
        let kept = deductions(&state.games, &found);
        let shown: Vec<(&str, &str)> =
            kept.iter().map(|one| (one.game_id.as_str(), one.code.as_str())).collect();
        let expected = [
            ("a", "missing_game"),
            ("b", "missing_game"),
            ("b", "missing_cover"),
            ("c", "broken"),
            ("a", "missing_metadata"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_deductions_are_bounded_and_name_every_game() {
        let games: Vec<_> = (0..600)
            .map(|number| whole(&number.to_string(), json!({"store_a_app_id": "1"})))
            .collect();
        let state = library(&games);
        let kept = deductions(&state.games, &findings(&state));
        assert_eq!(
            (kept.len(), kept[0].game_ids.clone()),
            (500, vec!["1".to_owned(), "0".to_owned()])
        );
    }

    #[test]
    fn halves_go_to_the_even_number() {
        for (hundredths, expected) in [(0, 0), (49, 0), (50, 0), (51, 1), (150, 2), (3_050, 30)] {
            assert_eq!(rounded(hundredths), expected, "{hundredths}");
        }
    }
}
