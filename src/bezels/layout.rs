//! Which files of an archive of bezels are kept, where they go, and the paths that they name.
//!
//! An archive holds files for RetroArch as they lie on another machine: pictures, descriptions of them, and
//! for each game a file that names a description by its absolute path there.

use std::{collections::HashMap, path::Path};

/// Folders whose files are used; everything else of an archive is not.
const FOLDERS: [&str; 4] = ["retroarch", "config", "overlay", "overlays"];

/// The path of a member, below the folder of its platform; `None` for one that is not needed. The name is
/// safe.
pub fn kept(name: &str) -> Option<&str> {
    let (_, path) = name.split_once('/')?;
    let (folders, file) = path.rsplit_once('/')?;
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_used = ["cfg", "png"].iter().any(|known| known.eq_ignore_ascii_case(ending));
    let is_inside = folders.split('/').any(|part| FOLDERS.contains(&part));
    (is_used && is_inside).then_some(path)
}

/// Whether a name leads to a place below the folder it is unpacked to, on every system.
pub fn is_safe(name: &str) -> bool {
    let name = name.strip_suffix('/').unwrap_or(name);
    name.as_bytes().get(1) != Some(&b':')
        && !name.contains(|letter: char| letter.is_control() || letter == '\\')
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Whether a file is a RetroArch configuration that names other files.
pub fn is_settings(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("cfg"))
}

/// The files of a platform by their names.
pub struct Index<'a>(HashMap<&'a str, Vec<&'a str>>);

impl<'a> Index<'a> {
    /// Of these paths below the folder.
    pub fn of(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut index: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            index.entry(name).or_default().push(path);
        }
        Self(index)
    }

    /// The file that a path of another machine means: of those with its name the one that has most of its
    /// folders in common, counted from the end.
    fn find(&self, path: &str) -> Option<&'a str> {
        let path = path.replace('\\', "/");
        let name = path.rsplit('/').next()?;
        let common = |other: &&&str| {
            other.rsplit('/').zip(path.rsplit('/')).take_while(|(a, b)| a == b).count()
        };
        self.0.get(name)?.iter().max_by_key(common).copied()
    }
}

/// The text of a settings file with every absolute path of another machine led to the file that lies
/// below `folder`. Paths of files that are not there, and everything else, stay as they are.
pub fn rewrite(text: &str, index: &Index<'_>, folder: &Path) -> String {
    let mut out = String::with_capacity(text.len() + 200);
    for line in text.split_inclusive('\n') {
        match rewritten(line, index, folder) {
            Some(line) => out.push_str(&line),
            None => out.push_str(line),
        }
    }
    out
}

fn rewritten(line: &str, index: &Index<'_>, folder: &Path) -> Option<String> {
    let content = line.trim_end_matches(['\r', '\n']);
    let (key, value) = content.split_once('=')?;
    if key.trim_start().starts_with('#') {
        return None;
    }
    let value = value.trim();
    let bare = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    let is_elsewhere = bare.starts_with(['/', '~', ':']) || bare.as_bytes().get(1) == Some(&b':');
    let found = index.find(bare).filter(|_| is_elsewhere)?;
    let path = folder.join(found);
    let end = &line[content.len()..];
    Some(format!("{key}= \"{}\"{end}", path.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_pictures_and_settings_of_retroarch_are_kept() {
        for (name, expected) in [
            (
                "b-NES-master/retroarch/config/Nestopia/A (USA).cfg",
                Some("retroarch/config/Nestopia/A (USA).cfg"),
            ),
            (
                "b-NES-master/retroarch/overlay/GameBezels/NES/A!.PNG",
                Some("retroarch/overlay/GameBezels/NES/A!.PNG"),
            ),
            ("b/overlay/a.cfg", Some("overlay/a.cfg")),
            ("b/README.md", None),
            ("b/retroarch/install.sh", None),
            ("b/system-NES.png", None),
            ("b/docs/shot.png", None),
            ("b/retroarch/", None),
            ("retroarch", None),
        ] {
            assert_eq!(kept(name), expected, "{name}");
        }
    }

    #[test]
    fn names_that_lead_out_are_unsafe() {
        for name in ["a/../b", "/a", "..", "a//b", "./a", "C:/a", "a\\b", "a\0b", "a\nb", ""] {
            assert!(!is_safe(name), "{name:?}");
        }
        for name in ["a", "a/", "a/b c (USA)!'\".cfg", "a/..b"] {
            assert!(is_safe(name), "{name:?}");
        }
    }

    #[test]
    fn paths_lead_to_where_the_files_lie() {
        let paths = [
            "retroarch/overlay/GameBezels/SNES/A (USA).cfg",
            "retroarch/overlay/GameBezels/SNES/A (USA).png",
            "retroarch/config/Snes9x/A (USA).cfg",
            "retroarch/overlay/SNES.cfg",
        ];
        let index = Index::of(paths.into_iter());
        let check = |line: &str, expected: &str| {
            assert_eq!(rewrite(line, &index, Path::new("/d/bezels/SNES")), expected);
        };
        let old = "/opt/retropie/configs/all/retroarch/overlay/GameBezels/SNES/A (USA).cfg";
        let new = "\"/d/bezels/SNES/retroarch/overlay/GameBezels/SNES/A (USA).cfg\"";
        check(&format!("input_overlay = \"{old}\"\r\n"), &format!("input_overlay = {new}\r\n"));
        check(&format!("input_overlay={old}"), &format!("input_overlay= {new}"));
        check("x = \"~/overlay/SNES.cfg\"", "x = \"/d/bezels/SNES/retroarch/overlay/SNES.cfg\"");
        check("x = \":\\overlay\\SNES.cfg\"", "x = \"/d/bezels/SNES/retroarch/overlay/SNES.cfg\"");
        for line in [
            "overlay0_overlay = \"A (USA).png\"\n",
            "input_overlay = \"/opt/elsewhere/B.cfg\"\n",
            "# input_overlay = \"/a/SNES.cfg\"\n",
            "input_overlay_enable = \"true\"\n",
            "no value\n",
            "",
        ] {
            check(line, line);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_rewritten_without_harm(text in "(?s).{0,200}") {
            let index = Index::of(["overlay/a.cfg"].into_iter());
            let once = rewrite(&text, &index, Path::new("/d"));
            prop_assert_eq!(rewrite(&once, &index, Path::new("/d")), once);
        }
    }
}
