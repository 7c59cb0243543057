//! The settings that a plugin declares: a small part of JSON Schema, and the values it accepts.

use serde_json::{Map, Value, json};

/// Properties of one plugin.
const PROPERTIES: usize = 200;

/// The declared settings in their normal form.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// `{type: "object", properties, required}`.
    pub shown: Value,
    fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
struct Field {
    name: String,
    kind: Kind,
    choices: Option<Vec<Value>>,
    default: Option<Value>,
    least: Option<f64>,
    most: Option<f64>,
    is_required: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Integer,
    Flag,
}

/// Why declared settings make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    #[error("Plugin settings must be an object schema.")]
    Shape,
    #[error("Plugin setting '{0}' is not valid.")]
    Field(String),
    #[error("Plugin settings require an unknown property: {0}.")]
    Required(String),
}

/// Why values were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("Plugin settings must be an object.")]
    Shape,
    #[error("Unknown plugin settings: {0}.")]
    Unknown(String),
    /// One value breaks a rule.
    #[error("Setting '{name}' {problem}")]
    Value {
        /// The setting.
        name: String,
        /// What is wrong, to the end of the sentence.
        problem: String,
    },
}

impl Options {
    /// Reads a declaration.
    ///
    /// # Errors
    /// [`OptionsError`].
    pub fn of(declared: &Value) -> Result<Self, OptionsError> {
        let root = declared.as_object().ok_or(OptionsError::Shape)?;
        if root.get("type").is_some_and(|kind| kind != "object") {
            return Err(OptionsError::Shape);
        }
        let empty = Map::new();
        let properties = match root.get("properties") {
            None => &empty,
            Some(value) => value.as_object().ok_or(OptionsError::Shape)?,
        };
        let required: Option<Vec<&str>> = match root.get("required") {
            None => Some(Vec::new()),
            Some(value) => {
                value.as_array().and_then(|names| names.iter().map(Value::as_str).collect())
            }
        };
        let required = required.ok_or(OptionsError::Shape)?;
        if properties.len() > PROPERTIES {
            return Err(OptionsError::Shape);
        }
        if let Some(unknown) = required.iter().find(|name| !properties.contains_key(**name)) {
            return Err(OptionsError::Required((*unknown).to_owned()));
        }
        let mut shown = properties.clone();
        let mut fields = Vec::new();
        for (name, property) in properties {
            let broken = || OptionsError::Field(name.clone());
            let field = Field::of(name, property, &required).ok_or_else(broken)?;
            if let Some(Value::Object(property)) = shown.get_mut(name) {
                property.insert("type".to_owned(), field.kind.name().into());
            }
            fields.push(field);
        }
        let shown = json!({"type": "object", "properties": shown, "required": required});
        Ok(Self { shown, fields })
    }

    /// What a plugin without settings shows.
    pub fn none() -> Self {
        Self {
            shown: json!({"type": "object", "properties": {}, "required": []}),
            fields: Vec::new(),
        }
    }

    /// Checks values and fills in the defaults.
    ///
    /// # Errors
    /// The first [`ValueError`].
    pub fn check(&self, values: &Map<String, Value>) -> Result<Map<String, Value>, ValueError> {
        let is_unknown = |name: &&String| !self.fields.iter().any(|field| field.name == **name);
        let unknown: Vec<&str> = values.keys().filter(is_unknown).map(String::as_str).collect();
        if !unknown.is_empty() {
            return Err(ValueError::Unknown(unknown.join(", ")));
        }
        let mut checked = Map::new();
        for field in &self.fields {
            match values.get(&field.name).or(field.default.as_ref()) {
                Some(value) => {
                    field.check(value)?;
                    checked.insert(field.name.clone(), value.clone());
                }
                None if field.is_required => return Err(field.refuse("is required.")),
                None => {}
            }
        }
        Ok(checked)
    }

    /// The values in force: what is stored, when all of it is still valid, over the defaults; else the
    /// defaults alone.
    pub fn in_force(&self, stored: Option<&Map<String, Value>>) -> Map<String, Value> {
        let kept = stored.and_then(|stored| self.check(stored).ok());
        kept.unwrap_or_else(|| self.defaults())
    }

    /// The defaults that are valid. What is required and has none is missing until it is set.
    fn defaults(&self) -> Map<String, Value> {
        let value = |field: &Field| {
            let default = field.default.as_ref().filter(|value| field.check(value).is_ok())?;
            Some((field.name.clone(), default.clone()))
        };
        self.fields.iter().filter_map(value).collect()
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Flag => "boolean",
        }
    }
}

impl Field {
    fn of(name: &str, property: &Value, required: &[&str]) -> Option<Self> {
        let property = property.as_object()?;
        let kind = match property.get("type") {
            None => Kind::Text,
            Some(kind) => {
                let kinds = [Kind::Text, Kind::Number, Kind::Integer, Kind::Flag];
                kinds.into_iter().find(|each| kind == each.name())?
            }
        };
        let choices = match property.get("enum") {
            None => None,
            Some(choices) => Some(choices.as_array().filter(|list| !list.is_empty())?.clone()),
        };
        let keys = match kind {
            Kind::Text => ["minLength", "maxLength"],
            _ => ["minimum", "maximum"],
        };
        let bound = |key: &str| match property.get(key) {
            None => Some(None),
            Some(value) => value.as_f64().map(Some),
        };
        Some(Self {
            name: name.to_owned(),
            kind,
            choices,
            default: property.get("default").cloned(),
            least: bound(keys[0])?,
            most: bound(keys[1])?,
            is_required: required.contains(&name),
        })
    }

    fn refuse(&self, problem: impl Into<String>) -> ValueError {
        ValueError::Value { name: self.name.clone(), problem: problem.into() }
    }

    fn check(&self, value: &Value) -> Result<(), ValueError> {
        if let Some(choices) = &self.choices
            && !choices.contains(value)
        {
            let plain = |choice: &Value| match choice {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let choices: Vec<String> = choices.iter().map(plain).collect();
            return Err(self.refuse(format!("must be one of: {}.", choices.join(", "))));
        }
        #[expect(clippy::cast_precision_loss, reason = "no text is that long")]
        let size = match (self.kind, value) {
            (Kind::Text, Value::String(text)) => Ok(text.chars().count() as f64),
            (Kind::Text, _) => Err("must be a string."),
            (Kind::Flag, Value::Bool(_)) => return Ok(()),
            (Kind::Flag, _) => Err("must be true or false."),
            (Kind::Integer, value) if value.is_i64() || value.is_u64() => {
                Ok(value.as_f64().unwrap_or_default())
            }
            (Kind::Integer, _) => Err("must be a whole number."),
            (Kind::Number, value) => value.as_f64().ok_or("must be a number."),
        };
        let size = size.map_err(|problem| self.refuse(problem))?;
        let (small, large) = match self.kind {
            Kind::Text => ("is too short.", "is too long."),
            _ => ("is below the minimum.", "is above the maximum."),
        };
        if self.least.is_some_and(|least| size < least) {
            return Err(self.refuse(small));
        }
        if self.most.is_some_and(|most| size > most) {
            return Err(self.refuse(large));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        let declared = json!({"properties": {
            "mode": {"enum": ["a", "b"], "default": "a"},
            "name": {"minLength": 2, "maxLength": 3, "title": "Name", "format": "password"},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "share": {"type": "number", "maximum": 0.5, "default": 0.25},
            "on": {"type": "boolean", "default": false},
        }, "required": ["name"]});
        Options::of(&declared).expect("valid")
    }

    fn checked(values: Value) -> Result<Value, String> {
        let values = values.as_object().expect("an object");
        options().check(values).map(Value::Object).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_merged_over_the_defaults() {
        let all = json!({"mode": "a", "name": "éé", "share": 0.25, "on": false});
        assert_eq!(checked(json!({"name": "éé"})), Ok(all));
        let all = json!({"mode": "b", "name": "abc", "count": 9, "share": 0, "on": true});
        assert_eq!(checked(all.clone()), Ok(all));
        assert_eq!(options().shown["properties"]["name"]["type"], "string");
        assert_eq!(options().shown["properties"]["name"]["format"], "password");
    }

    #[test]
    fn each_bad_value_has_its_sentence() {
        for (values, expected) in [
            (json!({"z": 1, "y": 2, "name": "ab"}), "Unknown plugin settings: y, z."),
            (json!({}), "Setting 'name' is required."),
            (json!({"mode": "c"}), "Setting 'mode' must be one of: a, b."),
            (json!({"name": 1}), "Setting 'name' must be a string."),
            (json!({"name": "a"}), "Setting 'name' is too short."),
            (json!({"name": "abcd"}), "Setting 'name' is too long."),
            (json!({"name": "ab", "on": 1}), "Setting 'on' must be true or false."),
            (json!({"name": "ab", "count": 1.5}), "Setting 'count' must be a whole number."),
            (json!({"name": "ab", "count": true}), "Setting 'count' must be a whole number."),
            (json!({"name": "ab", "count": 0}), "Setting 'count' is below the minimum."),
            (json!({"name": "ab", "count": 10}), "Setting 'count' is above the maximum."),
            (json!({"name": "ab", "share": "x"}), "Setting 'share' must be a number."),
            (json!({"name": "ab", "share": 0.6}), "Setting 'share' is above the maximum."),
        ] {
            assert_eq!(checked(values.clone()), Err(expected.to_owned()), "{values}");
        }
    }

    #[test]
    fn what_is_stored_and_not_valid_any_more_gives_way_to_the_defaults() {
        let declared = json!({"properties": {"a": {"default": "x"}, "b": {"type": "integer"}}});
        let options = Options::of(&declared).expect("valid");
        let stored = |value: Value| value.as_object().cloned().expect("an object");
        assert_eq!(
            options.in_force(Some(&stored(json!({"b": 1})))),
            stored(json!({"a": "x", "b": 1}))
        );
        for old in [json!({"b": "1"}), json!({"gone": 1})] {
            assert_eq!(options.in_force(Some(&stored(old))), stored(json!({"a": "x"})));
        }
        let never = Options::of(&json!({"properties": {"a": {"default": 1}}})).expect("valid");
        assert_eq!(never.in_force(None), Map::new());
        let shown = json!({"mode": "a", "share": 0.25, "on": false});
        assert_eq!(Value::Object(self::options().in_force(None)), shown, "a name is required");
    }

    #[test]
    fn a_declaration_that_makes_no_sense_is_refused() {
        let of = |declared: Value| Options::of(&declared).map(drop).map_err(|it| it.to_string());
        let shape = Err("Plugin settings must be an object schema.".to_owned());
        assert_eq!(of(json!([])), shape);
        assert_eq!(of(json!({"type": "array"})), shape);
        assert_eq!(of(json!({"properties": []})), shape);
        assert_eq!(of(json!({"required": "a"})), shape);
        let unknown = Err("Plugin settings require an unknown property: a.".to_owned());
        assert_eq!(of(json!({"required": ["a"]})), unknown);
        for field in
            [json!(1), json!({"type": "list"}), json!({"enum": []}), json!({"minLength": "1"})]
        {
            let bad = Err("Plugin setting 'a' is not valid.".to_owned());
            assert_eq!(of(json!({"properties": {"a": field}})), bad);
        }
        assert_eq!(of(json!({})), Ok(()));
    }
}
