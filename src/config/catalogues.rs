//! Small fixed catalogues that the settings projection shows: interface words and media packs.

use serde_json::{Map, Value, json};

/// The keys of the interface words, in the order of every row of [`WORDS`].
const KEYS: [&str; 8] = [
    "library",
    "all_games",
    "import",
    "settings",
    "bigscreen",
    "list_view",
    "grid_view",
    "drop_import",
];

/// The interface words of each locale; the first row is the one to fall back to.
const WORDS: [(&str, [&str; 8]); 5] = [
    (
        "en",
        [
            "Library",
            "All games",
            "Import",
            "Settings",
            "Big screen",
            "List view",
            "Grid view",
            "Drop files or folders to import them",
        ],
    ),
    (
        "es",
        [
            "Biblioteca",
            "Todos los juegos",
            "Importar",
            "Ajustes",
            "Pantalla grande",
            "Vista de lista",
            "Vista de cuadrícula",
            "Suelta archivos o carpetas para importarlos",
        ],
    ),
    (
        "de",
        [
            "Bibliothek",
            "Alle Spiele",
            "Importieren",
            "Einstellungen",
            "Großbild",
            "Listenansicht",
            "Rasteransicht",
            "Dateien oder Ordner zum Importieren hier ablegen",
        ],
    ),
    (
        "fr",
        [
            "Bibliothèque",
            "Tous les jeux",
            "Importer",
            "Paramètres",
            "Grand écran",
            "Vue en liste",
            "Vue en grille",
            "Déposez des fichiers ou des dossiers pour les importer",
        ],
    ),
    (
        "pt",
        [
            "Biblioteca",
            "Todos os jogos",
            "Importar",
            "Definições",
            "Ecrã grande",
            "Vista de lista",
            "Vista de grelha",
            "Largue ficheiros ou pastas para os importar",
        ],
    ),
];

/// Id, name, description, kinds and mapping hint of each bundled media pack.
const PACKS: [(&str, &str, &str, &str, &str); 4] = [
    (
        "clear-logos-default",
        "Clear logos",
        "Logos of platforms on a clear ground.",
        "platform_logo",
        "",
    ),
    (
        "controller-console-x",
        "Console X controller",
        "Button prompts with the letters A, B, X and Y.",
        "controller_art",
        "A select · B back · X details · Y favourite",
    ),
    (
        "controller-console-p",
        "Console P controller",
        "Button prompts with cross, circle, square and triangle.",
        "controller_art",
        "✕ select · ○ back · □ details · △ favourite",
    ),
    ("badges-core", "Badges", "The marks on tiles and in details.", "badges", ""),
];

/// The locale a tag stands for: cut at the first `-`, English when it is unknown.
#[must_use]
pub fn locale_of(tag: &str) -> &'static str {
    let short = tag.split('-').next().unwrap_or("").trim();
    let known = WORDS.iter().map(|(locale, _)| *locale);
    known.into_iter().find(|locale| locale.eq_ignore_ascii_case(short)).unwrap_or(WORDS[0].0)
}

/// The interface words of a locale tag.
#[must_use]
pub fn strings(tag: &str) -> Map<String, Value> {
    let locale = locale_of(tag);
    let row = WORDS.iter().find(|(known, _)| *known == locale).unwrap_or(&WORDS[0]);
    KEYS.iter().zip(row.1).map(|(key, word)| ((*key).to_owned(), word.into())).collect()
}

/// The media packs, each saying whether it is among the active ones.
#[must_use]
pub fn media_packs(active: &[String]) -> Vec<Value> {
    let pack = |(id, name, description, kind, hint): &(&str, &str, &str, &str, &str)| {
        let mut pack = json!({
            "id": id,
            "name": name,
            "description": description,
            "kinds": [kind],
            "active": active.iter().any(|known| known == id),
        });
        if !hint.is_empty() {
            pack["mapping_hint"] = (*hint).into();
        }
        pack
    };
    PACKS.iter().map(pack).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_fall_back_to_english() {
        assert_eq!((locale_of("de-AT"), locale_of("PT"), locale_of("xx")), ("de", "pt", "en"));
        for (locale, _) in WORDS {
            let words = strings(locale);
            assert_eq!(words.len(), KEYS.len());
            assert!(words.values().all(|word| word.as_str().is_some_and(|word| !word.is_empty())));
        }
        assert_eq!(strings("fr")["import"], "Importer");
    }

    #[test]
    fn packs_say_whether_they_are_active() {
        let packs = media_packs(&["badges-core".to_owned()]);
        assert_eq!(packs.len(), 4);
        let active: Vec<_> = packs.iter().filter(|pack| pack["active"] == true).collect();
        assert_eq!(active.len(), 1);
        assert_eq!(active[0]["id"], "badges-core");
    }
}
