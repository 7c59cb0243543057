//! Setting values in configuration files of emulators, line by line: everything else stays as it is.

/// A file without sections: `key = "value"`, as RetroArch writes it.
pub(super) fn set_plain(text: &[u8], values: &[(&str, String)]) -> Vec<u8> {
    let mut lines = Lines::of(text);
    for (key, value) in values {
        lines.set(0..lines.rows.len(), key, &format!("{key} = \"{value}\""));
    }
    lines.write()
}

/// A file with sections: `key = value` below `[section]`, which is added at the end where it is missing.
pub(super) fn set_in_section(text: &[u8], section: &str, values: &[(&str, String)]) -> Vec<u8> {
    let mut lines = Lines::of(text);
    let header = format!("[{section}]");
    let is_header = |row: &Vec<u8>| {
        let row = row.trim_ascii();
        row.starts_with(b"[") && row.ends_with(b"]")
    };
    let is_ours = |row: &Vec<u8>| row.trim_ascii().eq_ignore_ascii_case(header.as_bytes());
    let start = if let Some(at) = lines.rows.iter().position(is_ours) {
        at + 1
    } else {
        if lines.rows.last().is_some_and(|row| !row.trim_ascii().is_empty()) {
            lines.rows.push(Vec::new());
        }
        lines.rows.push(header.into_bytes());
        lines.rows.len()
    };
    for (key, value) in values {
        let rest = lines.rows[start..].iter().position(is_header);
        let end = rest.map_or(lines.rows.len(), |rest| start + rest);
        lines.set(start..end, key, &format!("{key} = {value}"));
    }
    lines.write()
}

/// The lines of a file without their ends.
struct Lines {
    rows: Vec<Vec<u8>>,
    end: &'static [u8],
}

impl Lines {
    fn of(text: &[u8]) -> Self {
        let end: &[u8] = if text.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
        let bare = |row: &[u8]| {
            let last = row.iter().rposition(|byte| *byte != b'\r');
            row[..last.map_or(0, |at| at + 1)].to_vec()
        };
        let mut rows: Vec<_> = text.split(|byte| *byte == b'\n').map(bare).collect();
        if rows.last().is_some_and(Vec::is_empty) {
            rows.pop();
        }
        Self { rows, end }
    }

    /// Replaces the lines of a key among these, or adds one behind the last that is not blank.
    fn set(&mut self, among: std::ops::Range<usize>, key: &str, line: &str) {
        let is_of_key = |row: &[u8]| {
            let front = row.split(|byte| *byte == b'=').next().unwrap_or_default();
            front.len() < row.len() && front.trim_ascii().eq_ignore_ascii_case(key.as_bytes())
        };
        let mut found = false;
        for row in &mut self.rows[among.clone()] {
            if is_of_key(row) {
                *row = line.as_bytes().to_vec();
                found = true;
            }
        }
        if !found {
            let is_full = |at: &usize| !self.rows[*at].trim_ascii().is_empty();
            let at = among.clone().rev().find(is_full).map_or(among.start, |at| at + 1);
            self.rows.insert(at, line.as_bytes().to_vec());
        }
    }

    fn write(self) -> Vec<u8> {
        let mut text = Vec::new();
        for row in self.rows {
            text.extend_from_slice(&row);
            text.extend_from_slice(self.end);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(pairs: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        pairs.iter().map(|(key, value)| (*key, (*value).to_owned())).collect()
    }

    #[track_caller]
    fn check(before: &str, after: &str) {
        let set = values(&[("Username", "Ada"), ("Token", "t")]);
        let text = set_in_section(before.as_bytes(), "Achievements", &set);
        assert_eq!(String::from_utf8(text).expect("text"), after);
    }

    #[test]
    fn only_the_section_changes() {
        check("", "[Achievements]\nUsername = Ada\nToken = t\n");
        check(
            "[UI]\nUsername = me\n\n[Achievements]\n; on\nEnabled = false\nusername=old\n\n[EmuCore]\nToken = x\n",
            "[UI]\nUsername = me\n\n[Achievements]\n; on\nEnabled = false\nUsername = Ada\nToken = t\n\n[EmuCore]\nToken = x\n",
        );
        check(
            "[UI]\r\nA = 1",
            "[UI]\r\nA = 1\r\n\r\n[Achievements]\r\nUsername = Ada\r\nToken = t\r\n",
        );
        check("[ACHIEVEMENTS]\n[B]\n", "[ACHIEVEMENTS]\nUsername = Ada\nToken = t\n[B]\n");
    }

    #[test]
    fn lines_of_plain_files_are_replaced_or_added() {
        let before = b"video_driver = \"gl\"\ncheevos_username = \"\"\n\xff odd\n\n";
        let text =
            set_plain(before, &values(&[("cheevos_username", "Ada"), ("cheevos_enable", "true")]));
        let after = b"video_driver = \"gl\"\ncheevos_username = \"Ada\"\n\xff odd\ncheevos_enable = \"true\"\n\n";
        assert_eq!(text, after);
        assert_eq!(set_plain(&text, &values(&[("cheevos_username", "Ada")])), after);
    }

    proptest! {
        #[test]
        fn twice_is_once(text in "[\\[\\]A-Ca-c= \r\n]{0,60}") {
            let set = values(&[("A", "1"), ("B", "2")]);
            let once = set_in_section(text.as_bytes(), "C", &set);
            prop_assert_eq!(&set_in_section(&once, "C", &set), &once);
            let once = set_plain(text.as_bytes(), &set);
            prop_assert_eq!(&set_plain(&once, &set), &once);
        }
    }
}
