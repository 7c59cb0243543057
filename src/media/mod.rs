//! Pictures and documents of games: serving files, thumbnails, image groups, adopted pictures, media packs,
//! whether a game has media, and the games whose media wait to be fetched.

pub mod documents;
pub mod serve;
pub mod image_groups;
pub mod own_pictures;
pub mod own_videos;
pub mod media_writer;
pub mod named_files;
pub mod packs;
pub mod picture_identity;
pub mod presence;
pub mod queue;
pub mod thumbnails;
pub mod uploads;
