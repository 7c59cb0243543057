//! A smaller copy of a picture: PNG, JPEG or WebP in, JPEG out, or WebP where something shows through.
//!
//! Owns the bounds of what is decoded: bytes, pixels, scans. A picture beyond them, an animated or a
//! damaged one and one that is not larger than the copy would be are refused with the reason; the caller shows the
//! picture itself. Keeps the colour profile and applies the orientation of a JPEG.

use std::io::Cursor;

use super::shrink::{Shrinker, upright};
use image_webp::{WebPDecoder, WebPEncoder};
use jpeg_decoder::PixelFormat;
use png::{Decoder, Transformations};

/// Bytes of a picture that is decoded, at most.
pub const MOST_BYTES: u64 = 32 << 20;
/// Pixels of a picture that is decoded, at most: five thousand by three thousand and a little more.
pub const MOST_PIXELS: u64 = 16_000_000;
/// Scans of a JPEG that comes in several; usual ones have ten, and some more in an embedded preview.
const MOST_SCANS: usize = 32;
/// Bytes of a colour profile that is kept; the usual ones have some hundreds to some thousands.
const MOST_PROFILE: usize = 16 << 10;
/// Quality of the JPEG copies, of 100.
const QUALITY: u8 = 82;

/// Why there is no smaller copy of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It is no PNG, JPEG or WebP.
    #[error("the file is not a picture of a known kind")]
    Unknown,
    /// It is not wider than the copy would be, or the copy would take more bytes.
    #[error("the picture is small enough")]
    Small,
    /// It has more bytes or pixels than are decoded.
    #[error("the picture is too large to be decoded")]
    TooLarge,
    #[error("the picture is animated")]
    Animated,
    #[error("the picture is damaged")]
    Damaged,
}

/// The kinds of pictures, recognised by their first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP, still or moving.
    WebP,
}

impl Kind {
    /// The kind of a file by its first twelve bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// The extension of its file names.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
        }
    }

    /// Its content type.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
        }
    }
}

/// What was decoded: a smaller picture, four bytes a pixel.
struct Small {
    pixels: Vec<u8>,
    width: u32,
    height: u32,
    is_opaque: bool,
    profile: Option<Vec<u8>>,
}

/// A copy of the picture in `bytes` that is `width` pixels wide.
///
/// # Errors
/// [`Unfit`], among it every picture that is not wider than `width` already.
pub fn make(bytes: &[u8], width: u32) -> Result<Vec<u8>, Unfit> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Unfit::TooLarge);
    }
    let small = match Kind::of(bytes).ok_or(Unfit::Unknown)? {
        Kind::Png => from_png(bytes, width)?,
        Kind::Jpeg => from_jpeg(bytes, width)?,
        Kind::WebP => from_webp(bytes, width)?,
    };
    let copy = small.encode().ok_or(Unfit::Damaged)?;
    if copy.len() < bytes.len() { Ok(copy) } else { Err(Unfit::Small) }
}

/// The height of a copy of this width, or that there is no point in one.
fn height_for((columns, rows): (u32, u32), width: u32) -> Result<u32, Unfit> {
    if columns == 0 || rows == 0 {
        return Err(Unfit::Damaged);
    }
    if columns <= width {
        return Err(Unfit::Small);
    }
    if u64::from(columns) * u64::from(rows) > MOST_PIXELS {
        return Err(Unfit::TooLarge);
    }
    let height = (u64::from(rows) * u64::from(width) + u64::from(columns) / 2) / u64::from(columns);
    Ok(u32::try_from(height.max(1)).unwrap_or(rows))
}

fn from_png(bytes: &[u8], width: u32) -> Result<Small, Unfit> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let header = decoder.read_header_info().map_err(|_| Unfit::Damaged)?;
    let size = (header.width, header.height);
    let height = height_for(size, width)?;
    let mut reader = decoder.read_info().map_err(|_| Unfit::Damaged)?;
    let info = reader.info();
    if info.animation_control.is_some() {
        return Err(Unfit::Animated);
    }
    let profile = info.icc_profile.as_ref().map(|profile| profile.to_vec());
    let is_interlaced = info.interlaced;
    let channels = reader.output_color_type().0.samples();
    let mut shrinker = Shrinker::new(size, channels, (width, height)).ok_or(Unfit::Damaged)?;
    if is_interlaced {
        let len = reader.output_buffer_size().ok_or(Unfit::TooLarge)?;
        let mut whole = vec![0; len];
        reader.next_frame(&mut whole).map_err(|_| Unfit::Damaged)?;
        feed(&mut shrinker, &whole, size.0 as usize * channels);
    } else {
        while let Some(row) = reader.next_row().map_err(|_| Unfit::Damaged)? {
            shrinker.take(row.data());
        }
    }
    Small::of(shrinker, (width, height), profile)
}

fn from_jpeg(bytes: &[u8], width: u32) -> Result<Small, Unfit> {
    // Every scan goes over the whole picture, and one can be some bytes long.
    let scans = bytes.windows(2).filter(|pair| *pair == [0xff, 0xda]).take(MOST_SCANS + 1).count();
    if scans > MOST_SCANS {
        return Err(Unfit::TooLarge);
    }
    let mut decoder = jpeg_decoder::Decoder::new(bytes);
    decoder.read_info().map_err(|_| Unfit::Damaged)?;
    let stored = decoder.info().ok_or(Unfit::Damaged)?;
    let stored = (u32::from(stored.width), u32::from(stored.height));
    let orientation = decoder.exif_data().map_or(1, orientation);
    let is_turned = orientation >= 5;
    let shown = if is_turned { (stored.1, stored.0) } else { stored };
    let height = height_for(shown, width)?;
    let small = if is_turned { (height, width) } else { (width, height) };
    // A large picture is decoded at a half, a quarter or an eighth, with something left to shrink.
    let wanted = |side: u32| u16::try_from(side * 2).unwrap_or(u16::MAX);
    let scaled = decoder.scale(wanted(small.0), wanted(small.1)).map_err(|_| Unfit::Damaged)?;
    let scaled = (u32::from(scaled.0), u32::from(scaled.1));
    let channels = match decoder.info().ok_or(Unfit::Damaged)?.pixel_format {
        PixelFormat::L8 => 1,
        PixelFormat::RGB24 => 3,
        // Colours of printers: a browser shows them with a profile of its own.
        PixelFormat::L16 | PixelFormat::CMYK32 => return Err(Unfit::Unknown),
    };
    let mut shrinker = Shrinker::new(scaled, channels, small).ok_or(Unfit::Small)?;
    let pixels = decoder.decode().map_err(|_| Unfit::Damaged)?;
    feed(&mut shrinker, &pixels, scaled.0 as usize * channels);
    drop(pixels);
    let small = Small::of(shrinker, small, decoder.icc_profile())?;
    let (pixels, width, height) = upright(small.pixels, (small.width, small.height), orientation);
    Ok(Small { pixels, width, height, ..small })
}

fn from_webp(bytes: &[u8], width: u32) -> Result<Small, Unfit> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|_| Unfit::Damaged)?;
    let size = decoder.dimensions();
    let height = height_for(size, width)?;
    if decoder.is_animated() {
        return Err(Unfit::Animated);
    }
    // The size of the picture inside counts while it is decoded, and is compared only afterwards.
    if lossy_size(bytes).is_some_and(|inside| inside != size) {
        return Err(Unfit::Damaged);
    }
    decoder.set_memory_limit(4 * usize::try_from(MOST_PIXELS).unwrap_or(usize::MAX));
    let profile = decoder.icc_profile().ok().flatten();
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let mut shrinker = Shrinker::new(size, channels, (width, height)).ok_or(Unfit::Damaged)?;
    let mut whole = vec![0; decoder.output_buffer_size().ok_or(Unfit::TooLarge)?];
    decoder.read_image(&mut whole).map_err(|_| Unfit::Damaged)?;
    feed(&mut shrinker, &whole, size.0 as usize * channels);
    Small::of(shrinker, (width, height), profile)
}

fn feed(shrinker: &mut Shrinker, pixels: &[u8], stride: usize) {
    for row in pixels.chunks_exact(stride) {
        shrinker.take(row);
    }
}

/// Width and height in the lossy part of a WebP file, when there is one.
fn lossy_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.get(12..)?;
    loop {
        let (name, after) = rest.split_at_checked(4)?;
        let (len, content) = after.split_at_checked(4)?;
        if name == b"VP8 " {
            let side = |at: usize| {
                let pair = content.get(at..at + 2)?;
                Some(u32::from(u16::from_le_bytes([pair[0], pair[1]]) & 0x3fff))
            };
            return Some((side(6)?, side(8)?));
        }
        let len = u32::from_le_bytes(len.try_into().ok()?) as usize;
        rest = content.get(len + len % 2..)?;
    }
}

/// The orientation (1 to 8) in the EXIF block of a picture; 1 when it says none.
fn orientation(exif: &[u8]) -> u8 {
    read_orientation(exif).filter(|found| (1..=8).contains(found)).unwrap_or(1)
}

fn read_orientation(exif: &[u8]) -> Option<u8> {
    const ORIENTATION: u32 = 0x0112;
    let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    let is_little = match exif.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let number = |at: usize, len: usize| {
        let bytes = exif.get(at..at.checked_add(len)?)?;
        let join = |sum: u32, byte: &u8| (sum << 8) | u32::from(*byte);
        Some(if is_little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) })
    };
    let table = number(4, 4)? as usize;
    let rows = number(table, 2)? as usize;
    let row = (0..rows)
        .map_while(|row| table.checked_add(2 + row * 12))
        .find(|at| number(*at, 2) == Some(ORIENTATION))?;
    u8::try_from(number(row + 8, 2)?).ok()
}

impl Small {
    fn of(
        shrinker: Shrinker,
        (width, height): (u32, u32),
        profile: Option<Vec<u8>>,
    ) -> Result<Self, Unfit> {
        let (pixels, is_opaque) = shrinker.finish().ok_or(Unfit::Damaged)?;
        // Bytes 16 to 20 of a profile name the colours it is about; others do not fit the copy.
        let is_kept = |profile: &Vec<u8>| {
            profile.len() <= MOST_PROFILE && profile.get(16..20) == Some(b"RGB ")
        };
        Ok(Self { pixels, width, height, is_opaque, profile: profile.filter(is_kept) })
    }

    fn encode(self) -> Option<Vec<u8>> {
        let mut copy = Vec::new();
        if self.is_opaque {
            let mut encoder = jpeg_encoder::Encoder::new(&mut copy, QUALITY);
            encoder.set_optimized_huffman_tables(true);
            if let Some(profile) = &self.profile {
                encoder.add_icc_profile(profile).ok()?;
            }
            let (width, height) =
                (u16::try_from(self.width).ok()?, u16::try_from(self.height).ok()?);
            encoder.encode(&self.pixels, width, height, jpeg_encoder::ColorType::Rgba).ok()?;
        } else {
            let mut encoder = WebPEncoder::new(&mut copy);
            if let Some(profile) = self.profile {
                encoder.set_icc_profile(profile);
            }
            let kind = image_webp::ColorType::Rgba8;
            encoder.encode(&self.pixels, self.width, self.height, kind).ok()?;
        }
        Some(copy)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Four colours, one in each corner.
    fn corners(width: u32, height: u32) -> Vec<u8> {
        let pixel = |at: u32| {
            let (x, y) = (at % width, at / width);
            match (x < width / 2, y < height / 2) {
                (true, true) => [200, 30, 30, 255],
                (false, true) => [30, 200, 30, 255],
                (true, false) => [30, 30, 200, 255],
                (false, false) => [220, 220, 220, 255],
            }
        };
        (0..width * height).flat_map(pixel).collect()
    }

    fn png(
        pixels: &[u8],
        width: u32,
        height: u32,
        about: impl FnOnce(&mut png::Info<'_>),
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut info = png::Info::with_size(width, height);
        info.color_type = png::ColorType::Rgba;
        info.bit_depth = png::BitDepth::Eight;
        about(&mut info);
        let encoder = png::Encoder::with_info(&mut bytes, info).expect("an encoder");
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(pixels).expect("pixels");
        writer.finish().expect("an end");
        bytes
    }

    fn jpeg(pixels: &[u8], width: u16, height: u16, is_progressive: bool, exif: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 95);
        encoder.set_progressive(is_progressive);
        if !exif.is_empty() {
            encoder.add_exif_metadata(exif).expect("metadata");
        }
        encoder.encode(pixels, width, height, jpeg_encoder::ColorType::Rgba).expect("a picture");
        bytes
    }

    fn webp(pixels: &[u8], width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let encoder = WebPEncoder::new(&mut bytes);
        encoder.encode(pixels, width, height, image_webp::ColorType::Rgba8).expect("a picture");
        bytes
    }

    /// Noise, so that a copy always has fewer bytes.
    fn noise(width: u32, height: u32, opacity: u8) -> Vec<u8> {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..width * height).flat_map(|_| [next(), next(), next(), opacity]).collect()
    }

    /// Width, height and the colours near the four corners of a JPEG.
    fn look(bytes: &[u8]) -> (u32, u32, [[u8; 3]; 4]) {
        assert_eq!(Kind::of(bytes), Some(Kind::Jpeg));
        let mut decoder = jpeg_decoder::Decoder::new(bytes);
        let pixels = decoder.decode().expect("a picture");
        let info = decoder.info().expect("headers");
        let (width, height) = (usize::from(info.width), usize::from(info.height));
        let at = |x: usize, y: usize| {
            let at = (y * width + x) * 3;
            [pixels[at], pixels[at + 1], pixels[at + 2]]
        };
        let (right, low) = (width - 3, height - 3);
        let corners = [at(2, 2), at(right, 2), at(2, low), at(right, low)];
        (u32::from(info.width), u32::from(info.height), corners)
    }

    #[track_caller]
    fn check_corners(found: [[u8; 3]; 4], expected: [[u8; 3]; 4]) {
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!(found.abs_diff(*expected) <= 14, "{found:?} is not {expected:?}");
        }
    }

    const RED: [u8; 3] = [200, 30, 30];
    const GREEN: [u8; 3] = [30, 200, 30];
    const BLUE: [u8; 3] = [30, 30, 200];
    const GREY: [u8; 3] = [220; 3];

    #[test]
    fn every_kind_becomes_a_jpeg_of_the_asked_width_with_the_same_picture() {
        let pixels = corners(900, 1201);
        for bytes in [
            png(&pixels, 900, 1201, |_| {}),
            jpeg(&pixels, 900, 1201, false, b""),
            jpeg(&pixels, 900, 1201, true, b""),
            webp(&pixels, 900, 1201),
        ] {
            // A large area of one colour packs so well that a copy has to be compared with the pixels.
            let small = match Kind::of(&bytes).expect("a kind") {
                Kind::Png => from_png(&bytes, 160),
                Kind::Jpeg => from_jpeg(&bytes, 160),
                Kind::WebP => from_webp(&bytes, 160),
            };
            let copy = small.expect("a copy").encode().expect("bytes");
            let (width, height, found) = look(&copy);
            assert_eq!((width, height), (160, 214));
            check_corners(found, [RED, GREEN, BLUE, GREY]);
        }
    }

    #[test]
    fn what_shows_through_stays_so() {
        let bytes = png(&noise(400, 300, 90), 400, 300, |_| {});
        let copy = make(&bytes, 160).expect("a copy");
        assert_eq!(Kind::of(&copy), Some(Kind::WebP));
        let mut decoder = WebPDecoder::new(Cursor::new(&copy)).expect("a picture");
        assert_eq!((decoder.dimensions(), decoder.has_alpha()), ((160, 120), true));
        let mut pixels = vec![0; decoder.output_buffer_size().expect("a size")];
        decoder.read_image(&mut pixels).expect("pixels");
        assert!(pixels.chunks_exact(4).all(|pixel| pixel[3] == 90));
        assert_eq!(
            make(&webp(&noise(400, 300, 90), 400, 300), 160).map(|copy| Kind::of(&copy)),
            Ok(Some(Kind::WebP))
        );
    }

    #[test]
    fn grey_and_sixteen_bit_pictures_are_read() {
        for (color, depth, bytes_each) in [
            (png::ColorType::Grayscale, png::BitDepth::Eight, 1),
            (png::ColorType::GrayscaleAlpha, png::BitDepth::Eight, 2),
            (png::ColorType::Rgb, png::BitDepth::Sixteen, 6),
        ] {
            let pixels = vec![255; 400 * 300 * bytes_each];
            let bytes = png(&pixels, 400, 300, |info| {
                info.color_type = color;
                info.bit_depth = depth;
            });
            let copy = from_png(&bytes, 160).expect("a copy").encode().expect("bytes");
            let (width, height, found) = look(&copy);
            assert_eq!((width, height), (160, 120), "{color:?}");
            check_corners(found, [[255; 3]; 4]);
        }
        let grey: Vec<u8> = (0..400 * 300_u32).map(|at| (at % 251) as u8).collect();
        let mut bytes = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut bytes, 95);
        encoder.encode(&grey, 400, 300, jpeg_encoder::ColorType::Luma).expect("a picture");
        assert_eq!(look(&make(&bytes, 160).expect("a copy")).0, 160);
    }

    #[test]
    fn a_photograph_lying_on_its_side_is_put_upright() {
        let exif = |value: u8| {
            let mut block = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
            block.extend([value, 0, 0, 0, 0, 0, 0, 0]);
            block
        };
        let pixels = corners(800, 400);
        for (value, size, expected) in [
            (1, (160, 80), [RED, GREEN, BLUE, GREY]),
            (3, (160, 80), [GREY, BLUE, GREEN, RED]),
            (6, (160, 320), [BLUE, RED, GREY, GREEN]),
            (8, (160, 320), [GREEN, GREY, RED, BLUE]),
            (77, (160, 80), [RED, GREEN, BLUE, GREY]),
        ] {
            let bytes = jpeg(&pixels, 800, 400, false, &exif(value));
            let copy = from_jpeg(&bytes, 160).expect("a copy").encode().expect("bytes");
            let (width, height, found) = look(&copy);
            assert_eq!((width, height), size, "{value}");
            check_corners(found, expected);
        }
        let big_endian = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x05\0\0";
        assert_eq!(orientation(big_endian), 5);
        for damaged in [&b""[..], b"II", b"II*\0\xff\xff\xff\xff", b"II*\0\x08\0\0\0\xff\xff"] {
            assert_eq!(orientation(damaged), 1, "{damaged:?}");
        }
    }

    #[test]
    fn a_profile_of_colours_is_kept_and_one_of_greys_is_not() {
        let profile = |colours: &[u8; 4]| {
            let mut profile = vec![1; 128];
            profile[16..20].copy_from_slice(colours);
            profile
        };
        for (colours, is_kept) in [(b"RGB ", true), (b"GRAY", false)] {
            let bytes = png(&noise(400, 300, 255), 400, 300, |info| {
                info.icc_profile = Some(profile(colours).into());
            });
            let copy = make(&bytes, 320).expect("a copy");
            let mut decoder = jpeg_decoder::Decoder::new(&copy[..]);
            decoder.read_info().expect("headers");
            assert_eq!(decoder.icc_profile().is_some(), is_kept, "{colours:?}");
        }
    }

    #[test]
    fn what_has_no_use_or_is_beyond_the_bounds_is_refused() {
        let flat = |width: u32, height: u32| vec![9; (width * height * 4) as usize];
        let small = png(&flat(160, 90), 160, 90, |_| {});
        let large = png(&flat(4000, 4001), 4000, 4001, |_| {});
        let moving = png(&noise(400, 300, 255), 400, 300, |info| {
            info.animation_control = Some(png::AnimationControl { num_frames: 1, num_plays: 0 });
            info.frame_control =
                Some(png::FrameControl { width: 400, height: 300, ..png::FrameControl::default() });
        });
        let mut cut = png(&noise(400, 300, 255), 400, 300, |_| {});
        cut.truncate(cut.len() / 2);
        let mut lying = webp(&noise(400, 300, 255), 400, 300);
        lying.truncate(64);
        for (bytes, expected) in [
            (small, Unfit::Small),
            (large, Unfit::TooLarge),
            (vec![0x89; 33 << 20], Unfit::TooLarge),
            (moving, Unfit::Animated),
            (cut, Unfit::Damaged),
            (lying, Unfit::Damaged),
            (b"GIF89a".to_vec(), Unfit::Unknown),
            (Vec::new(), Unfit::Unknown),
        ] {
            assert_eq!(make(&bytes, 160), Err(expected));
        }
        // Sixteen million pixels of one colour are within the bounds, and pack better than any copy.
        assert_eq!(make(&png(&flat(4000, 4000), 4000, 4000, |_| {}), 160).err(), None);
    }

    #[test]
    fn a_jpeg_of_very_many_scans_and_one_for_printers_are_refused() {
        let mut bytes = jpeg(&noise(400, 300, 255), 400, 300, false, b"");
        bytes.extend([0xff, 0xda].repeat(MOST_SCANS));
        assert_eq!(make(&bytes, 160), Err(Unfit::TooLarge));
        let mut bytes = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut bytes, 95);
        let inks = noise(400, 300, 255);
        encoder.encode(&inks, 400, 300, jpeg_encoder::ColorType::Cmyk).expect("a picture");
        assert_eq!(make(&bytes, 160), Err(Unfit::Unknown));
    }

    #[test]
    fn a_picture_that_is_larger_inside_than_it_says_is_refused() {
        let mut bytes = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x8f\x01\0\x2b\x01\0".to_vec();
        let lossy = b"\x10\0\0\x9d\x01\x2a\xff\x3f\xff\x3f\0\0";
        bytes.extend(b"VP8 \x0c\0\0\0");
        bytes.extend(lossy);
        let len = u32::try_from(bytes.len() - 8).expect("short").to_le_bytes();
        bytes[4..8].copy_from_slice(&len);
        assert_eq!(lossy_size(&bytes), Some((16383, 16383)));
        assert_eq!(make(&bytes, 160), Err(Unfit::Damaged));
        assert_eq!(lossy_size(&bytes[..30]), None);
    }

    proptest! {
        #[test]
        fn any_damage_is_refused_or_decoded(at in 0_usize..4_000, value: u8, kind in 0..3) {
            let pixels = noise(200, 40, 255);
            let mut bytes = match kind {
                0 => png(&pixels, 200, 40, |_| {}),
                1 => jpeg(&pixels, 200, 40, true, b""),
                _ => webp(&pixels, 200, 40),
            };
            let at = at % bytes.len();
            bytes[at] = value;
            // A decoder that panics is caught by the caller; here it must not happen at all.
            drop(make(&bytes, 160));
            bytes.truncate(at);
            prop_assert!(at > 100 || make(&bytes, 160).is_err());
        }
    }
}
