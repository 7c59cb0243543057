//! Presets of the game compositor: the stock ones, the user's own, and the arguments they mean.

use serde_json::{Map, Value};

use super::field_error::BrokenRule;
use super::rule::whole;
use crate::base::text;

/// Custom presets of a library.
const PRESETS: usize = 16;
/// Characters of a preset's name; longer ones are cut.
const NAME_CHARS: usize = 30;
/// Extra arguments of one preset.
const EXTRA_ARGUMENTS: usize = 20;
/// Bounds of the numbers in a custom preset; zero means not given.
const BOUNDS: [(&str, i64); 6] = [
    ("width", 7680),
    ("height", 4320),
    ("inner_width", 7680),
    ("inner_height", 4320),
    ("refresh", 1000),
    ("fsr_sharpness", 5),
];
const FLAGS: [&str; 4] = ["integer", "stretch", "fsr", "borderless"];
/// Sharpness of the upscaler when a preset does not say.
const SHARPNESS: i64 = 2;

/// A preset that is always there: its name, what the settings screen calls it, its arguments.
const STOCK: &[(&str, &str, &str)] = &[
    ("handheld", "Handheld 1280x800", "-W 1280 -H 800 -w 1280 -h 800 -F fsr --fsr-sharpness 2"),
    (
        "handheld_hd",
        "Handheld 1080p upscaled",
        "-W 1280 -H 800 -w 1920 -h 1080 -F fsr --fsr-sharpness 2",
    ),
    ("1080p", "1080p", "-W 1920 -H 1080 -w 1920 -h 1080 -F fsr --fsr-sharpness 2"),
    ("1440p", "1440p", "-W 2560 -H 1440 -w 2560 -h 1440 -F fsr --fsr-sharpness 2"),
    ("4k", "4K", "-W 3840 -H 2160 -w 3840 -h 2160 -F fsr --fsr-sharpness 2"),
    ("integer", "Integer scaling", "-F integer"),
    ("stretch", "Stretch", "-F stretch"),
    ("borderless", "Borderless window", "-b"),
];

/// The stored spelling of the preset called `name`, whatever its case; a custom preset shadows a
/// stock one. `customs` is the value of `compositor_custom_presets`.
pub fn find_name(name: &str, customs: &Value) -> Option<String> {
    if let Some(custom) = find_custom(name, customs) {
        return Some(name_of(custom).to_owned());
    }
    let stock = STOCK.iter().find(|(stock, ..)| stock.eq_ignore_ascii_case(name))?;
    Some(stock.0.to_owned())
}

/// The compositor's arguments for the preset called `name`, without the program and the `--` before
/// the game; `None` when there is no such preset.
pub fn arguments_of(name: &str, customs: &Value) -> Option<Vec<String>> {
    if let Some(custom) = find_custom(name, customs) {
        return Some(custom_arguments(custom));
    }
    let stock = STOCK.iter().find(|(stock, ..)| stock.eq_ignore_ascii_case(name))?;
    Some(stock.2.split(' ').map(str::to_owned).collect())
}

/// Name and label of every preset, stock before custom; a shadowed stock preset is left out.
pub fn choices(customs: &Value) -> Vec<(String, String)> {
    let stock = STOCK
        .iter()
        .filter(|(name, ..)| find_custom(name, customs).is_none())
        .map(|(name, label, _)| ((*name).to_owned(), (*label).to_owned()));
    let custom = presets(customs).map(|preset| {
        let name = name_of(preset).to_owned();
        (name.clone(), name)
    });
    stock.chain(custom).collect()
}

fn presets(customs: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    customs.as_array().into_iter().flatten().filter_map(Value::as_object)
}

fn name_of(preset: &Map<String, Value>) -> &str {
    preset.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn find_custom<'a>(name: &str, customs: &'a Value) -> Option<&'a Map<String, Value>> {
    let folded = text::fold(name);
    presets(customs).find(|preset| text::fold(name_of(preset)) == folded)
}

fn custom_arguments(preset: &Map<String, Value>) -> Vec<String> {
    let number = |part: &str| preset.get(part).and_then(Value::as_i64).unwrap_or(0);
    let flag = |part: &str| preset.get(part).and_then(Value::as_bool).unwrap_or(false);
    let mut arguments: Vec<String> = Vec::new();
    let mut option = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
    let numbers = [
        ("-W", "width"),
        ("-H", "height"),
        ("-w", "inner_width"),
        ("-h", "inner_height"),
        ("-r", "refresh"),
    ];
    for (name, part) in numbers {
        if number(part) > 0 {
            option(name, number(part).to_string());
        }
    }
    if let Some(filter) = ["integer", "stretch", "fsr"].into_iter().find(|part| flag(part)) {
        option("-F", filter.to_owned());
        if filter == "fsr" {
            let given = preset.get("fsr_sharpness").and_then(Value::as_i64).unwrap_or(SHARPNESS);
            option("--fsr-sharpness", given.to_string());
        }
    }
    if flag("borderless") {
        arguments.push("-b".to_owned());
    }
    let extra = preset.get("extra_args").and_then(Value::as_array).into_iter().flatten();
    arguments.extend(extra.filter_map(Value::as_str).map(str::to_owned));
    arguments
}

/// At most 16 presets with different names; parts a preset does not have stay absent.
pub(super) fn check_presets(value: &Value) -> Result<Value, BrokenRule> {
    let posted = value.as_array().filter(|presets| presets.len() <= PRESETS);
    let mut seen = std::collections::BTreeSet::new();
    let mut checked = Vec::new();
    for preset in posted.ok_or(BrokenRule::NotListOf { cap: PRESETS })? {
        let preset = check_preset(preset.as_object().ok_or(BrokenRule::NotObject)?)?;
        if !seen.insert(text::fold(name_of(&preset))) {
            return Err(BrokenRule::RepeatedName(name_of(&preset).to_owned()));
        }
        checked.push(Value::Object(preset));
    }
    Ok(Value::Array(checked))
}

fn check_preset(posted: &Map<String, Value>) -> Result<Map<String, Value>, BrokenRule> {
    let mut preset = Map::new();
    let name = text::cut(name_of(posted).trim(), NAME_CHARS).trim_end();
    if name.is_empty() {
        return Err(BrokenRule::MissingName);
    }
    preset.insert("name".to_owned(), Value::from(name));
    for (part, max) in BOUNDS {
        if let Some(value) = given(posted, part) {
            let number = whole(value).filter(|number| (0..=max).contains(number));
            preset
                .insert(part.to_owned(), number.map(Value::from).ok_or(BrokenRule::BadPart(part))?);
        }
    }
    for (one, other) in [("width", "height"), ("inner_width", "inner_height")] {
        let is_given = |part: &str| preset.get(part).is_some_and(|number| number != 0);
        if is_given(one) != is_given(other) {
            return Err(BrokenRule::BadPart(one));
        }
    }
    for part in FLAGS {
        if let Some(value) = given(posted, part) {
            let flag = value.as_bool().ok_or(BrokenRule::BadPart(part))?;
            preset.insert(part.to_owned(), Value::Bool(flag));
        }
    }
    if let Some(value) = given(posted, "extra_args") {
        preset.insert("extra_args".to_owned(), Value::from(extra_arguments(value)?));
    }
    Ok(preset)
}

fn given<'a>(posted: &'a Map<String, Value>, part: &str) -> Option<&'a Value> {
    posted.get(part).filter(|value| !value.is_null())
}

/// A list of arguments, or a text that is split like a shell splits it.
fn extra_arguments(value: &Value) -> Result<Vec<String>, BrokenRule> {
    let rule = || BrokenRule::BadPart("extra_args");
    let arguments: Vec<String> = match value {
        Value::String(line) => shlex::split(line).ok_or_else(rule)?,
        Value::Array(entries) => {
            let texts: Option<Vec<&str>> = entries.iter().map(Value::as_str).collect();
            texts.ok_or_else(rule)?.into_iter().map(str::to_owned).collect()
        }
        _ => return Err(rule()),
    };
    let fits = arguments.len() <= EXTRA_ARGUMENTS
        && arguments.iter().all(|argument| !argument.contains('\0'));
    if fits { Ok(arguments) } else { Err(rule()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(name: &str, customs: &Value, expected: Option<&str>) {
        let found = arguments_of(name, customs).map(|arguments| arguments.join(" "));
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn stock_presets_have_their_arguments() {
        let none = json!([]);
        let fsr = "-F fsr --fsr-sharpness 2";
        check("Handheld", &none, Some(&format!("-W 1280 -H 800 -w 1280 -h 800 {fsr}")));
        check("handheld_hd", &none, Some(&format!("-W 1280 -H 800 -w 1920 -h 1080 {fsr}")));
        check("4K", &none, Some(&format!("-W 3840 -H 2160 -w 3840 -h 2160 {fsr}")));
        check("integer", &none, Some("-F integer"));
        check("borderless", &none, Some("-b"));
        check("other", &none, None);
        check("", &none, None);
    }

    #[test]
    fn custom_presets_shadow_stock_ones_and_choose_one_filter() {
        let customs = json!([
            {"name": "4K", "width": 100, "height": 50, "fsr": true, "fsr_sharpness": 5},
            {"name": "Mine", "inner_width": 3, "inner_height": 2, "refresh": 60, "integer": true,
             "stretch": true, "fsr": true, "borderless": true, "extra_args": ["--a b"]},
            {"name": "Soft", "fsr": true},
        ]);
        check("4k", &customs, Some("-W 100 -H 50 -F fsr --fsr-sharpness 5"));
        check("MINE", &customs, Some("-w 3 -h 2 -r 60 -F integer -b --a b"));
        check("soft", &customs, Some("-F fsr --fsr-sharpness 2"));
        assert_eq!(find_name("mine", &customs).as_deref(), Some("Mine"));
        let names: Vec<String> = choices(&customs).into_iter().map(|(name, _)| name).collect();
        let expected = [
            "handheld",
            "handheld_hd",
            "1080p",
            "1440p",
            "integer",
            "stretch",
            "borderless",
            "4K",
            "Mine",
            "Soft",
        ];
        assert_eq!(names, expected);
    }
}
