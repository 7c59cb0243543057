//! Enums whose variants have a name in requests, replies and stored files.

/// Declares such an enum, with `ALL`, `name`, its inverse `named`, JSON in both directions and the
/// schema of replies.
macro_rules! named {
    ($(#[$outer:meta])* $vis:vis enum $type:ident {
        $($(#[$inner:meta])* $variant:ident = $name:literal),+ $(,)?
    }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $type {
            $($(#[$inner])* $variant),+
        }

        impl $type {
            /// All of them, in their order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// The one with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|each| each.name() == name)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::named(&name)
                    .ok_or_else(|| serde::de::Error::unknown_variant(&name, &[$($name),+]))
            }
        }

        impl $crate::base::schema::Schema for $type {
            const SCHEMA: &'static $crate::base::schema::Type =
                &$crate::base::schema::Type::Choice(&[$($name),+]);
        }
    };
}

pub(crate) use named;
