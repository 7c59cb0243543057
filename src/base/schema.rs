//! What a JSON value holds, as constants: the shape of replies, for the OpenAPI document and for
//! the types of the page that are generated from it.
//!
//! [`schema!`] declares a struct and its schema in one place, so that the two cannot
//! differ. Names of structs are names of components: unique in the whole program.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value, value::RawValue};

/// What a JSON value holds.
#[derive(Debug)]
pub enum Type {
    /// Anything.
    Any,
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A boolean.
    Flag,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// This or `null`.
    Nullable(&'static Type),
    /// One of these.
    OneOf(&'static [&'static Type]),
    /// A list of these.
    List(&'static Type),
    /// A list of exactly these, in this order.
    Tuple(&'static [&'static Type]),
    /// An object with any keys and these values.
    Map(&'static Type),
    /// An object with these keys: a component of the document.
    Object {
        /// Name of the component.
        name: &'static str,
        /// Its keys.
        fields: &'static [Field],
    },
    /// A component whose schema a table of the program writes.
    Table {
        /// Name of the component.
        name: &'static str,
        /// Writes the JSON schema.
        schema: fn() -> Value,
    },
}

/// One key of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: &'static Type,
    /// Whether it may be absent.
    pub optional: bool,
    /// Whether the keys of its value stand in the object itself.
    pub flat: bool,
    /// Whether it is never there.
    pub hidden: bool,
}

/// A type whose JSON has a known shape.
pub trait Schema {
    /// The shape.
    const SCHEMA: &'static Type;
}

/// Whether the attributes of a field hold a text.
pub const fn contains(attributes: &str, part: &str) -> bool {
    find(attributes, part).is_some()
}

/// The key of a field in JSON: the name that serde is given, else its own.
pub const fn name_of(attributes: &'static str, field: &'static str) -> &'static str {
    const RENAME: &str = "serde(rename = \"";
    let Some(at) = find(attributes, RENAME) else { return field };
    let (_, name) = attributes.split_at(at + RENAME.len());
    match find(name, "\"") {
        Some(end) => name.split_at(end).0,
        None => field,
    }
}

const fn find(text: &str, part: &str) -> Option<usize> {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let mut start = 0;
    while start + part.len() <= text.len() {
        let mut at = 0;
        while at < part.len() && text[start + at] == part[at] {
            at += 1;
        }
        if at == part.len() {
            return Some(start);
        }
        start += 1;
    }
    None
}

/// Declares structs together with their [`Schema`]; each derives `Serialize`. Of the attributes of
/// serde, the schema follows `rename`, `skip_serializing_if` (the key may be absent), `flatten` and
/// `skip`. A text before a struct names its component when the name of the struct is taken. With
/// `shape` instead of `struct` there is only the schema, for JSON that is written by hand.
macro_rules! schema {
    () => {};
    ($component:literal $(#[$($outer:tt)*])* $vis:vis $kind:ident $name:ident $($rest:tt)*) => {
        $crate::base::schema::schema!(
            @$kind [$component] [$(#[$($outer)*])*] [$vis] $name $($rest)*
        );
    };
    ($(#[$($outer:tt)*])* $vis:vis shape $name:ident $($rest:tt)*) => {
        $crate::base::schema::schema!(
            @shape [stringify!($name)] [$(#[$($outer)*])*] [$vis] $name $($rest)*
        );
    };
    ($(#[$($outer:tt)*])* $vis:vis struct $name:ident $($rest:tt)*) => {
        $crate::base::schema::schema!(
            @struct [stringify!($name)] [$(#[$($outer)*])*] [$vis] $name $($rest)*
        );
    };
    (@shape [$component:expr] [$($outer:tt)*] [$vis:vis] $name:ident
        { $($fields:tt)* } $($rest:tt)*) => {
        $($outer)*
        #[derive(Debug)]
        $vis enum $name {}
        $crate::base::schema::schema!(@impl [$component] [$name] [] $($fields)*);
        $crate::base::schema::schema!($($rest)*);
    };
    (@struct [$component:expr] [$($outer:tt)*] [$vis:vis] $name:ident $(<$life:lifetime>)?
        { $($fields:tt)* } $($rest:tt)*) => {
        #[derive(serde::Serialize)]
        $($outer)*
        $vis struct $name $(<$life>)? { $($fields)* }
        $crate::base::schema::schema!(
            @impl [$component] [$name $(<$life>)?] [$(<$life>)?] $($fields)*
        );
        $crate::base::schema::schema!($($rest)*);
    };
    (@impl [$component:expr] [$name:ty] [$($generics:tt)*]
        $($(#[$($attribute:tt)*])* $vis:vis $field:ident: $holds:ty),* $(,)?) => {
        impl $($generics)* $crate::base::schema::Schema for $name {
            const SCHEMA: &'static $crate::base::schema::Type =
                &$crate::base::schema::Type::Object {
                    name: $component,
                    fields: &[$({
                        const ATTRIBUTES: &str = concat!($(stringify!($($attribute)*), "\n"),*);
                        $crate::base::schema::Field {
                            name: $crate::base::schema::name_of(ATTRIBUTES, stringify!($field)),
                            holds: <$holds as $crate::base::schema::Schema>::SCHEMA,
                            optional: $crate::base::schema::contains(
                                ATTRIBUTES,
                                "skip_serializing_if",
                            ),
                            flat: $crate::base::schema::contains(ATTRIBUTES, "serde(flatten"),
                            hidden: $crate::base::schema::contains(ATTRIBUTES, "serde(skip)"),
                        }
                    }),*],
                };
        }
    };
}

pub(crate) use schema;

macro_rules! plain {
    ($($variant:ident: $($type:ty),+;)+) => {
        $($(impl Schema for $type {
            const SCHEMA: &'static Type = &Type::$variant;
        })+)+
    };
}

plain! {
    Any: Value, RawValue;
    Text: str, String, Path, PathBuf;
    Integer: i32, i64, u8, u16, u32, u64, usize;
    Number: f64;
    Flag: bool;
}

macro_rules! wrapping {
    ($($type:ty, $inner:ident => $schema:expr;)+) => {
        $(impl<$inner: Schema> Schema for $type {
            const SCHEMA: &'static Type = $schema;
        })+
    };
}

wrapping! {
    Option<T>, T => &Type::Nullable(T::SCHEMA);
    Vec<T>, T => &Type::List(T::SCHEMA);
    [T], T => &Type::List(T::SCHEMA);
    Arc<T>, T => T::SCHEMA;
    BTreeMap<String, T>, T => &Type::Map(T::SCHEMA);
    HashMap<String, T>, T => &Type::Map(T::SCHEMA);
    BTreeMap<&str, T>, T => &Type::Map(T::SCHEMA);
}

impl<T: Schema + ?Sized> Schema for &T {
    const SCHEMA: &'static Type = T::SCHEMA;
}

impl<T: Schema, const COUNT: usize> Schema for [T; COUNT] {
    const SCHEMA: &'static Type = &Type::List(T::SCHEMA);
}

impl<T: Schema + ToOwned + ?Sized> Schema for Cow<'_, T> {
    const SCHEMA: &'static Type = T::SCHEMA;
}

impl Schema for Map<String, Value> {
    const SCHEMA: &'static Type = &Type::Map(&Type::Any);
}

impl<A: Schema, B: Schema> Schema for (A, B) {
    const SCHEMA: &'static Type = &Type::Tuple(&[A::SCHEMA, B::SCHEMA]);
}

impl<A: Schema, B: Schema, C: Schema> Schema for (A, B, C) {
    const SCHEMA: &'static Type = &Type::Tuple(&[A::SCHEMA, B::SCHEMA, C::SCHEMA]);
}

impl Type {
    /// The JSON schema. Objects become references to components, which are added here.
    ///
    /// # Panics
    /// In debug builds, when two objects have one name.
    pub fn to_json(&'static self, components: &mut Map<String, Value>) -> Value {
        match self {
            Self::Any => json(&[]),
            Self::Text => json(&[("type", "string".into())]),
            Self::Integer => json(&[("type", "integer".into())]),
            Self::Number => json(&[("type", "number".into())]),
            Self::Flag => json(&[("type", "boolean".into())]),
            Self::Choice(texts) => {
                json(&[("type", "string".into()), ("enum", Value::from(texts.to_vec()))])
            }
            Self::Nullable(inner) => {
                let inner = inner.to_json(components);
                let null = json(&[("type", "null".into())]);
                json(&[("anyOf", Value::from(vec![inner, null]))])
            }
            Self::OneOf(choices) => {
                let choices: Vec<Value> =
                    choices.iter().map(|choice| choice.to_json(components)).collect();
                json(&[("anyOf", choices.into())])
            }
            Self::List(items) => {
                json(&[("type", "array".into()), ("items", items.to_json(components))])
            }
            Self::Tuple(items) => {
                let items: Vec<Value> = items.iter().map(|item| item.to_json(components)).collect();
                json(&[
                    ("type", "array".into()),
                    ("minItems", items.len().into()),
                    ("maxItems", items.len().into()),
                    ("prefixItems", items.into()),
                ])
            }
            Self::Map(values) => {
                let values = values.to_json(components);
                json(&[("type", "object".into()), ("additionalProperties", values)])
            }
            Self::Object { name, fields } => {
                let schema = object(fields, components);
                component(name, schema, components)
            }
            Self::Table { name, schema } => component(name, schema(), components),
        }
    }
}

fn json(pairs: &[(&str, Value)]) -> Value {
    Value::Object(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

fn object(fields: &'static [Field], components: &mut Map<String, Value>) -> Value {
    let (mut properties, mut required, mut open) = (Map::new(), Vec::new(), None);
    add_fields(fields, components, &mut properties, &mut required, &mut open);
    let mut schema = json(&[("type", "object".into()), ("properties", properties.into())]);
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    if let Some(values) = open {
        schema["additionalProperties"] = values;
    }
    schema
}

fn add_fields(
    fields: &'static [Field],
    components: &mut Map<String, Value>,
    properties: &mut Map<String, Value>,
    required: &mut Vec<&'static str>,
    open: &mut Option<Value>,
) {
    for field in fields {
        let name = field.name.trim_start_matches("r#");
        match field.holds {
            _ if field.hidden => {}
            Type::Object { fields, .. } if field.flat => {
                add_fields(fields, components, properties, required, open);
            }
            Type::Nullable(Type::Object { fields, .. }) if field.flat => {
                add_fields(fields, components, properties, &mut Vec::new(), open);
            }
            Type::Map(values) if field.flat => *open = Some(values.to_json(components)),
            // An optional key is absent, not null.
            Type::Nullable(inner) if field.optional => {
                properties.insert(name.to_owned(), inner.to_json(components));
            }
            holds => {
                properties.insert(name.to_owned(), holds.to_json(components));
                if !field.optional {
                    required.push(name);
                }
            }
        }
    }
}

fn component(name: &str, schema: Value, components: &mut Map<String, Value>) -> Value {
    let known = components.insert(name.to_owned(), schema);
    debug_assert!(
        known.is_none_or(|known| known == components[name]),
        "two components are named {name}"
    );
    json(&[("$ref", format!("#/components/schemas/{name}").into())])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    schema! {
        struct Inner<'a> {
            r#type: &'a str,
            #[serde(rename = "note", skip_serializing_if = "Option::is_none")]
            remark: Option<u8>,
        }

        "Other"
        /// A struct with everything.
        struct Outer<'a> {
            /// A list.
            inner: Vec<Inner<'a>>,
            at: Option<(String, f64)>,
            #[serde(flatten)]
            first: Inner<'a>,
            #[serde(flatten)]
            rest: Map<String, Value>,
        }
    }

    #[test]
    fn a_struct_writes_what_its_schema_says() {
        let mut components = Map::new();
        let schema = Outer::SCHEMA.to_json(&mut components);
        assert_eq!(schema, json!({"$ref": "#/components/schemas/Other"}));
        let inner = json!({
            "type": "object",
            "properties": {"type": {"type": "string"}, "note": {"type": "integer"}},
            "required": ["type"],
        });
        assert_eq!(components["Inner"], inner);
        let pair = json!({"type": "array", "minItems": 2, "maxItems": 2,
            "prefixItems": [{"type": "string"}, {"type": "number"}]});
        assert_eq!(
            components["Other"],
            json!({
                "type": "object",
                "properties": {
                    "inner": {"type": "array", "items": {"$ref": "#/components/schemas/Inner"}},
                    "at": {"anyOf": [pair, {"type": "null"}]},
                    "type": {"type": "string"},
                    "note": {"type": "integer"},
                },
                "required": ["inner", "at", "type"],
                "additionalProperties": {},
            })
        );
        let row = || Inner { r#type: "a", remark: None };
        let value = Outer { inner: vec![row()], at: None, first: row(), rest: Map::new() };
        let written = serde_json::to_value(value).expect("JSON");
        assert_eq!(written, json!({"inner": [{"type": "a"}], "at": null, "type": "a"}));
    }
}
