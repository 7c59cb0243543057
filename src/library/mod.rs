//! The answer of `GET /api/library`: the projection of records, rendered blocks and their compressed form.

pub mod answers;
mod disk;
pub mod blocks;
pub mod deflate;
pub mod overlay;
pub mod projection;
pub mod survey;
pub mod text;

#[cfg(test)]
mod answers_tests;
#[cfg(test)]
mod projection_tests;
