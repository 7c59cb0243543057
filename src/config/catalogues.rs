//! Small fixed catalogues that the settings projection shows: interface words and media packs.

use serde_json::{Map, Value, json};

/// The locales of the interface words; the first is the one to fall back to.
const LOCALES: [&str; 5] = ["en", "es", "de", "fr", "pt"];

/// The interface words: key, and the word in every locale of [`LOCALES`].
const WORDS: [(&str, [&str; 5]); 8] = [
    ("library", ["Library", "Biblioteca", "Bibliothek", "Bibliothèque", "Biblioteca"]),
    (
        "all_games",
        ["All games", "Todos los juegos", "Alle Spiele", "Tous les jeux", "Todos os jogos"],
    ),
    ("import", ["Import", "Importar", "Importieren", "Importer", "Importar"]),
    ("settings", ["Settings", "Ajustes", "Einstellungen", "Paramètres", "Definições"]),
    ("bigscreen", ["Big screen", "Pantalla grande", "Großbild", "Grand écran", "Ecrã grande"]),
    (
        "list_view",
        ["List view", "Vista de lista", "Listenansicht", "Vue en liste", "Vista de lista"],
    ),
    (
        "grid_view",
        ["Grid view", "Vista de cuadrícula", "Rasteransicht", "Vue en grille", "Vista de grelha"],
    ),
    (
        "drop_import",
        [
            "Drop files or folders to import them",
            "Suelta archivos o carpetas para importarlos",
            "Dateien oder Ordner zum Importieren hier ablegen",
            "Déposez des fichiers ou des dossiers pour les importer",
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
pub fn locale_of(tag: &str) -> &'static str {
    LOCALES[index_of(tag)]
}

fn index_of(tag: &str) -> usize {
    let short = tag.split('-').next().unwrap_or("").trim();
    LOCALES.iter().position(|locale| locale.eq_ignore_ascii_case(short)).unwrap_or(0)
}

/// The interface words of a locale tag.
pub fn strings(tag: &str) -> Map<String, Value> {
    let locale = index_of(tag);
    WORDS.iter().map(|(key, words)| ((*key).to_owned(), words[locale].into())).collect()
}

/// The media packs, each saying whether it is among the active ones.
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
        for locale in LOCALES {
            let words = strings(locale);
            assert_eq!(words.len(), WORDS.len());
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
