//! The shortcut file of a game store: binary key-values, read and written without losing a byte.
//!
//! A file is one root record, named `shortcuts`, of one record for each shortcut. Texts are bytes:
//! they may not be UTF-8. What is not understood keeps its bytes and its place, so a
//! file that is read and written again is the same file.

/// Bytes of a file.
pub const FILE_BYTES: usize = 16 << 20;
/// Bytes of one text.
const TEXT_BYTES: usize = 1 << 20;
/// Records in a file, of any depth.
const RECORDS: usize = 100_000;
/// Records in each other.
const DEPTH: usize = 32;

const RECORD: u8 = 0x00;
const TEXT: u8 = 0x01;
const NUMBER: u8 = 0x02;
const END: u8 = 0x08;

/// The name of the root, in any case.
const ROOT: &[u8] = b"shortcuts";

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A record of further values.
    Record(Vec<Field>),
    /// A text without its end mark.
    Text(Vec<u8>),
    /// A number of 32 bits.
    Number(u32),
    /// A value of another type of a fixed length: its tag and its bytes.
    Other(u8, Vec<u8>),
}

/// A value with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key as bytes.
    pub key: Vec<u8>,
    /// The value.
    pub value: Value,
}

/// A shortcut file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    root: Vec<u8>,
    /// The shortcuts, and whatever else stands in the root.
    pub fields: Vec<Field>,
    /// What closes the file behind the root.
    ends: Vec<u8>,
    is_empty: bool,
}

/// Why a file cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a shortcut file: {0}")]
pub struct Broken(&'static str);

impl Default for Document {
    fn default() -> Self {
        Self { root: ROOT.to_vec(), fields: Vec::new(), ends: vec![END], is_empty: false }
    }
}

impl Value {
    /// The tag before the key.
    pub fn tag(&self) -> u8 {
        match self {
            Self::Record(_) => RECORD,
            Self::Text(_) => TEXT,
            Self::Number(_) => NUMBER,
            Self::Other(tag, _) => *tag,
        }
    }

    /// The fields of a record.
    pub fn fields(&self) -> &[Field] {
        if let Self::Record(fields) = self { fields } else { &[] }
    }

    /// The first field with this key, in any case.
    pub fn find(&self, key: &str) -> Option<&Self> {
        let named = |field: &&Field| field.key.eq_ignore_ascii_case(key.as_bytes());
        self.fields().iter().find(named).map(|field| &field.value)
    }

    /// A text field; empty when it is missing or no text.
    pub fn text(&self, key: &str) -> String {
        match self.find(key) {
            Some(Self::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        }
    }

    /// A number field.
    pub fn number(&self, key: &str) -> Option<u32> {
        if let Some(Self::Number(number)) = self.find(key) { Some(*number) } else { None }
    }

    /// Sets a field, in place where it is there already, under the key it has there.
    pub fn set(&mut self, key: &str, value: Self) {
        let Self::Record(fields) = self else { return };
        let named = |field: &&mut Field| field.key.eq_ignore_ascii_case(key.as_bytes());
        match fields.iter_mut().find(named) {
            Some(field) => field.value = value,
            None => fields.push(Field { key: key.as_bytes().to_vec(), value }),
        }
    }
}

/// Reads a file; an empty one has no shortcuts.
///
/// # Errors
/// [`Broken`] when it is not a shortcut file, is cut off, or is beyond its bounds.
pub fn parse(bytes: &[u8]) -> Result<Document, Broken> {
    if bytes.is_empty() {
        return Ok(Document { is_empty: true, ..Document::default() });
    }
    if bytes.len() > FILE_BYTES {
        return Err(Broken("it is too large"));
    }
    let mut reader = Reader { rest: bytes, records: 0 };
    if reader.byte()? != RECORD {
        return Err(Broken("it does not begin with a record"));
    }
    let root = reader.text()?;
    if !root.eq_ignore_ascii_case(ROOT) {
        return Err(Broken("its root has another name"));
    }
    let fields = reader.record(1)?;
    // The store closes the file once more; other programs leave that out.
    let ends = reader.rest.to_vec();
    if !matches!(&ends[..], [] | [END]) {
        return Err(Broken("something follows its end"));
    }
    Ok(Document { root, fields, ends, is_empty: false })
}

/// The file as bytes.
pub fn write(document: &Document) -> Vec<u8> {
    if document.is_empty && document.fields.is_empty() {
        return Vec::new();
    }
    let mut bytes = vec![RECORD];
    push_text(&mut bytes, &document.root);
    push_fields(&mut bytes, &document.fields);
    bytes.extend(&document.ends);
    bytes
}

fn push_text(bytes: &mut Vec<u8>, text: &[u8]) {
    bytes.extend(text);
    bytes.push(0);
}

fn push_fields(bytes: &mut Vec<u8>, fields: &[Field]) {
    for field in fields {
        bytes.push(field.value.tag());
        push_text(bytes, &field.key);
        match &field.value {
            Value::Record(fields) => push_fields(bytes, fields),
            Value::Text(text) => push_text(bytes, text),
            Value::Number(number) => bytes.extend(number.to_le_bytes()),
            Value::Other(_, raw) => bytes.extend(raw),
        }
    }
    bytes.push(END);
}

struct Reader<'a> {
    rest: &'a [u8],
    records: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, Broken> {
        let (first, rest) = self.rest.split_first().ok_or(Broken("it is cut off"))?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, Broken> {
        let taken = self.rest.get(..count).ok_or(Broken("it is cut off"))?.to_vec();
        self.rest = &self.rest[count..];
        Ok(taken)
    }

    fn text(&mut self) -> Result<Vec<u8>, Broken> {
        let end = self.rest.iter().take(TEXT_BYTES + 1).position(|byte| *byte == 0);
        let Some(end) = end else {
            let long = self.rest.len() > TEXT_BYTES;
            return Err(Broken(if long { "a text is too long" } else { "it is cut off" }));
        };
        let text = self.take(end)?;
        self.byte()?;
        Ok(text)
    }

    fn record(&mut self, depth: usize) -> Result<Vec<Field>, Broken> {
        self.records += 1;
        if depth > DEPTH {
            return Err(Broken("its records are nested too deep"));
        }
        if self.records > RECORDS {
            return Err(Broken("it has too many records"));
        }
        let mut fields = Vec::new();
        loop {
            let tag = self.byte()?;
            if tag == END {
                return Ok(fields);
            }
            let key = self.text()?;
            let value = match tag {
                RECORD => Value::Record(self.record(depth + 1)?),
                TEXT => Value::Text(self.text()?),
                NUMBER => {
                    // OK because four bytes were taken.
                    let four = self.take(4)?.try_into().map_err(|_| Broken("it is cut off"))?;
                    Value::Number(u32::from_le_bytes(four))
                }
                0x03 | 0x04 | 0x06 => Value::Other(tag, self.take(4)?),
                0x07 | 0x0a => Value::Other(tag, self.take(8)?),
                _ => return Err(Broken("it holds a value of an unknown type")),
            };
            fields.push(Field { key, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let bytes = || prop::collection::vec(1_u8.., 0..8);
        let leaf = prop_oneof![
            bytes().prop_map(Value::Text),
            any::<u32>().prop_map(Value::Number),
            any::<[u8; 8]>().prop_map(|raw| Value::Other(0x07, raw.to_vec())),
            any::<[u8; 4]>().prop_map(|raw| Value::Other(0x03, raw.to_vec())),
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            let field = (prop::collection::vec(1_u8.., 0..8), inner)
                .prop_map(|(key, value)| Field { key, value });
            prop::collection::vec(field, 0..6).prop_map(Value::Record)
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_to_the_byte(
            fields in prop::collection::vec((prop::collection::vec(1_u8.., 0..8), value()), 0..6),
            closed: bool,
        ) {
            let fields = fields.into_iter().map(|(key, value)| Field { key, value }).collect();
            let ends = if closed { vec![END] } else { Vec::new() };
            let document = Document { fields, ends, ..Document::default() };
            let bytes = write(&document);
            let again = parse(&bytes).expect("its own");
            prop_assert_eq!(&again, &document);
            prop_assert_eq!(write(&again), bytes);
        }

        #[test]
        fn reading_never_panics_and_loses_nothing(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut file = b"\0shortcuts\0".to_vec();
            file.extend(&bytes);
            for input in [&bytes, &file] {
                if let Ok(document) = parse(input) {
                    prop_assert_eq!(&write(&document), input);
                }
            }
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], refusal: &str) {
        assert_eq!(parse(bytes).map_err(|Broken(why)| why), Err(refusal));
    }

    #[test]
    fn what_is_no_shortcut_file_is_refused() {
        assert_eq!(write(&parse(b"").expect("no shortcuts")), b"");
        check(b"\x01shortcuts\0x\0\x08\x08", "it does not begin with a record");
        check(b"\0others\0\x08\x08", "its root has another name");
        check(b"\0shortcuts\0\x08\x08\x08", "something follows its end");
        check(b"\0shortcuts\0\x02n\0\x01\x02", "it is cut off");
        check(b"\0shortcuts\0\x0bn\0", "it holds a value of an unknown type");
        check(&vec![0; FILE_BYTES + 1], "it is too large");
        let nested = |depth: usize| {
            let mut bytes = b"\0shortcuts\0".to_vec();
            bytes.extend([0, b'a', 0].repeat(depth - 1));
            bytes.extend(vec![END; depth]);
            bytes
        };
        assert!(parse(&nested(DEPTH)).is_ok());
        check(&nested(DEPTH + 1), "its records are nested too deep");
        let long = |bytes: usize| {
            [b"\0ShortCuts\0\x01k\0", &vec![b'x'; bytes][..], b"\0\x08\x08"].concat()
        };
        assert!(parse(&long(TEXT_BYTES)).is_ok());
        check(&long(TEXT_BYTES + 1), "a text is too long");
        let many = |records: usize| {
            [b"\0shortcuts\0", &[0, b'a', 0, END].repeat(records - 1)[..], b"\x08"].concat()
        };
        assert!(parse(&many(RECORDS)).is_ok());
        check(&many(RECORDS + 1), "it has too many records");
    }
}
