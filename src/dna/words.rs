//! The indexed content of a game: weighted words of its fields, and a hash of them.

use std::{borrow::Cow, collections::HashMap};

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

use crate::{
    base::text,
    game::slots::{Slots, slot, text_of},
    model::Game,
};

/// Words of one game that are kept, the heaviest ones.
const KEPT: usize = 400;
/// Characters of a word that are kept.
const WORD_CHARS: usize = 64;

/// Words without meaning for a game, in the languages of the program. Words that are titles in another
/// of these languages are not among them.
const STOPWORDS: &str = "\
    a about after all also am an and any are as at be been but by can could do does every for from \
    get give had has have he her his how i if in into is it its just let like me more most my no not \
    of off on one only or other our out over she so some such than that the their them then there \
    these they this those to too up us very was we were what when where which while who will with \
    would you your game games play played player players playing \
    aber als auch auf aus bei das dem den der des du ein eine einen einer es für ich im ist mit nach \
    nicht noch nur oder sehr sich sie sind und uns vom von wie wir zu zum zur spiel spiele spielen \
    spieler \
    al como con cual de del el ella en entre eres es esta este la las le lo los más muy no para pero \
    por que se sin son su sus un una unos y ya juego juegos jugar jugador jugadores \
    au aux avec ce ces cette dans des du elle en est et il ils je la le les leur lui mais ne nous \
    ou par pas pour plus qui sa ses son sur très tu une vous jeu jeux jouer joueur joueurs \
    ao aos às com como da das do dos ele ela em entre essa esse esta este eu foi isso mais mas na \
    nas nos nós num numa os ou para pela pelo por que seu sua são um uma você jogo jogos jogar \
    jogador jogadores";

/// The fields of a game with what one occurrence of a word in them weighs.
const FIELDS: [(usize, f32); 11] = [
    (slot("name"), 3.0),
    (slot("alternate_names"), 2.0),
    (slot("genre"), 2.0),
    (slot("tags"), 2.0),
    (slot("series"), 1.5),
    (slot("description"), 1.0),
    (slot("notes"), 1.0),
    (slot("developer"), 0.5),
    (slot("publisher"), 0.5),
    (slot("platform"), 0.5),
    (slot("play_mode"), 0.5),
];

/// The first twelve bytes of the SHA-256 of the fields.
pub(super) type Hash = [u8; 12];

/// The indexed texts of a game, one for each of the fields, folded.
pub(super) struct Corpus {
    texts: [String; FIELDS.len()],
    /// Whether it has a description.
    pub(super) is_described: bool,
    /// Personal stars, 0 to 5.
    pub(super) stars: u8,
    /// Whether it has no progress.
    pub(super) is_fresh: bool,
    /// Seconds that it takes to beat; 0 when unknown.
    pub(super) seconds_to_beat: u32,
}

impl Corpus {
    /// The indexed texts of a game.
    pub(super) fn of(game: &Game) -> Self {
        let slots = Slots::of(game.json());
        let texts = FIELDS.map(|(at, _)| text::fold(&shown(&slots, at)));
        let hours = slots.number(const { slot("time_to_beat_hours") }).0.unwrap_or(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast of a number saturates"
        )]
        let seconds_to_beat = (hours * 3_600.0) as u32;
        Self {
            is_described: !texts[5].trim().is_empty(),
            texts,
            stars: game.user_rating(),
            is_fresh: game.progress().is_empty(),
            seconds_to_beat,
        }
    }

    /// The folded title.
    pub(super) fn title(&self) -> &str {
        // OK because the title is the first of the fields.
        &self.texts[0]
    }

    /// The hash of the texts: equal hashes are equal words.
    pub(super) fn hash(&self) -> Hash {
        let mut whole = Sha256::new();
        for text in &self.texts {
            whole.update(text);
            // No folded text holds it, so no two rows of texts read alike.
            whole.update([0]);
        }
        let mut hash = [0; 12];
        hash.copy_from_slice(&whole.finalize()[..12]);
        hash
    }

    /// The words with their weights, the heaviest first and equal ones alphabetically.
    pub(super) fn words(&self) -> Vec<(String, f32)> {
        let mut weights: HashMap<String, f32> = HashMap::new();
        for (text, (_, weight)) in self.texts.iter().zip(FIELDS) {
            for word in split(text) {
                *weights.entry(word).or_default() += weight;
            }
        }
        let mut words: Vec<(String, f32)> = weights.into_iter().collect();
        words.sort_unstable_by(|(a, heavy), (b, light)| {
            light.total_cmp(heavy).then_with(|| a.cmp(b))
        });
        words.truncate(KEPT);
        words
    }
}

/// The text of a field; the entries of a list stand in lines.
fn shown<'a>(slots: &Slots<'a>, at: usize) -> Cow<'a, str> {
    if !slots.raw(at).starts_with('[') {
        return slots.text(at);
    }
    let entry = |raw: &str| {
        // A note is an object with its text; everything else is the text itself.
        let note = raw.starts_with('{').then(|| serde_json::from_str::<serde_json::Value>(raw));
        match note {
            Some(Ok(note)) => note["text"].as_str().unwrap_or("").to_owned(),
            _ => text_of(raw).into_owned(),
        }
    };
    slots.items(at).into_iter().map(entry).collect::<Vec<_>>().join("\n").into()
}

/// The words of a text that count, in their order: runs of letters and digits, at least two of them.
pub(super) fn split(text: &str) -> Vec<String> {
    let folded = text::fold(&plain(text));
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| word.chars().nth(1).is_some() && !is_stopword(word))
        .map(|word| text::cut(word, WORD_CHARS).to_owned())
        .collect()
}

/// Whether a folded word has no meaning for a game.
fn is_stopword(word: &str) -> bool {
    use std::sync::LazyLock;
    static WORDS: LazyLock<hashbrown::HashSet<&str>> =
        LazyLock::new(|| STOPWORDS.split_whitespace().collect());
    WORDS.contains(word)
}

/// A text in the spelling NFKC: wide, joined, raised or decomposed characters as plain ones.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn corpus(record: Value) -> Corpus {
        Corpus::of(&Game::seal(&serde_json::from_value(record).expect("an object")))
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_that_say_something() {
        for (text, expected) in [
            ("The Legend of Zelda: A Link", &["legend", "zelda", "link"][..]),
            ("Die Siedler und das Spiel", &["die", "siedler"]),
            ("R-Type II, F-Zero X", &["type", "ii", "zero"]),
            ("Poke\u{301}mon ＡＢＣ ﬁnal Ⅶ x²", &["pokémon", "abc", "final", "vii", "x2"]),
            ("", &[]),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
        assert_eq!(split(&"x".repeat(200))[0].len(), WORD_CHARS);
    }

    #[test]
    fn words_have_one_spelling() {
        let cases = [
            ("①② ㎏ab Ĳssel x½y", ["12", "kgab", "ijssel", "x1", "2y"].as_slice()),
            ("ﾄﾞﾗｺﾞﾝｸｴｽﾄ", &["ドラゴンクエスト"]),
            ("ト\u{3099}ラコ\u{3099}ン", &["ドラゴン"]),
            ("\u{1111}\u{1169}\u{110f}\u{1166}\u{11ba}", &["포켓"]),
            ("Ｗｉｄｅ Ⅻ™ Z\u{307}o\u{301}łw Pho\u{31b}\u{309}", &["wide", "xiitm", "żółw", "phở"]),
        ];
        for (text, expected) in cases {
            assert_eq!(split(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_weighs_what_its_fields_say() {
        let words = corpus(json!({
            "name": "Zelda", "alternate_names": ["Zelda Two"], "genre": "Adventure", "series": "Zelda",
            "description": "zelda zelda", "notes": [{"ts": "t", "text": "adventure"}], "tags": ["Puzzle"],
            "developer": "Zelda", "platform": "NES", "time_to_beat_hours": 1.5,
        }));
        assert_eq!(words.seconds_to_beat, 5_400);
        let expected =
            [("zelda", 9.0), ("adventure", 3.0), ("puzzle", 2.0), ("two", 2.0), ("nes", 0.5)];
        let words: Vec<(String, f32)> = words.words();
        let words: Vec<(&str, f32)> =
            words.iter().map(|(word, weight)| (&**word, *weight)).collect();
        assert_eq!(words, expected);
    }

    #[test]
    fn the_hash_follows_what_is_indexed_and_nothing_else() {
        let first = corpus(json!({"name": "A", "genre": "B"})).hash();
        assert_eq!(corpus(json!({"name": "a", "genre": "B", "favorite": true})).hash(), first);
        assert_ne!(corpus(json!({"name": "A", "genre": "", "tags": ["B"]})).hash(), first);
        assert_ne!(corpus(json!({"name": "AB", "genre": ""})).hash(), first);
    }

    #[test]
    fn the_heaviest_words_are_kept() {
        let text: Vec<String> = (0..500).map(|number| format!("w{number:03}")).collect();
        let words = corpus(json!({"name": "w499", "description": text.join(" ")})).words();
        assert_eq!(
            (words.len(), words[0].0.as_str(), words[399].0.as_str()),
            (400, "w499", "w398")
        );
    }
}
