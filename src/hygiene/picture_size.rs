//! How large a picture is, from its first bytes. Nothing is decoded.

/// Bytes at the beginning of a file that hold the size of nearly every picture.
pub const HEAD: usize = 64 << 10;
/// Bytes that hold it in a JPEG with a large preview or profile in front.
pub const LONG_HEAD: usize = 1 << 20;

/// Width and height in pixels of a PNG, JPEG, WebP or GIF by the beginning of its file; `None` for
/// anything else, and when the beginning does not hold them.
pub fn of(bytes: &[u8]) -> Option<(u32, u32)> {
    let size = match bytes {
        [
            0x89,
            b'P',
            b'N',
            b'G',
            0x0d,
            0x0a,
            0x1a,
            0x0a,
            _,
            _,
            _,
            _,
            b'I',
            b'H',
            b'D',
            b'R',
            ..,
        ] => (big(bytes, 16)?, big(bytes, 20)?),
        [0xff, 0xd8, 0xff, ..] => jpeg(bytes)?,
        [b'G', b'I', b'F', b'8', ..] => (little(bytes, 6, 2)?, little(bytes, 8, 2)?),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(bytes)?,
        _ => return None,
    };
    (size.0 > 0 && size.1 > 0).then_some(size)
}

/// Four bytes, the highest first.
fn big(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Up to four bytes, the lowest first.
fn little(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let part = bytes.get(at..at + count)?;
    Some(part.iter().rev().fold(0, |sum, byte| (sum << 8) | u32::from(*byte)))
}

/// Goes from segment to segment to the one that begins the picture.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // Fill bytes stand before a marker.
            0xff => at += 1,
            // Markers without a length.
            0x01 | 0xd0..=0xd8 => at += 2,
            // Coefficients without a beginning, or the end.
            0xd9 | 0xda => return None,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let height = bytes.get(at + 5..at + 7)?;
                let width = bytes.get(at + 7..at + 9)?;
                let number = |part: &[u8]| (u32::from(part[0]) << 8) | u32::from(part[1]);
                return Some((number(width), number(height)));
            }
            _ => {
                let length = bytes.get(at + 2..at + 4)?;
                let length = (usize::from(length[0]) << 8) | usize::from(length[1]);
                at += 2 + length.max(2);
            }
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        b"VP8L" => {
            let packed = little(bytes, 21, 4)?;
            Some(((packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1))
        }
        b"VP8 " => Some((little(bytes, 26, 2)? & 0x3fff, little(bytes, 28, 2)? & 0x3fff)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drawn(width: u16, height: u16) -> Vec<u8> {
        let pixels = vec![9; usize::from(width) * usize::from(height) * 3];
        let mut bytes = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut bytes, 80);
        encoder.encode(&pixels, width, height, jpeg_encoder::ColorType::Rgb).expect("a picture");
        bytes
    }

    #[test]
    fn each_format_says_how_large_it_is() {
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, 600, 900);
        encoder.set_color(png::ColorType::Grayscale);
        drop(encoder.write_header().expect("a header"));
        assert_eq!(of(&png), Some((600, 900)));
        assert_eq!(of(&drawn(40, 7)), Some((40, 7)));
        let mut webp = Vec::new();
        image_webp::WebPEncoder::new(&mut webp)
            .encode(&[7; 5 * 3 * 3], 5, 3, image_webp::ColorType::Rgb8)
            .expect("a picture");
        assert_eq!(of(&webp), Some((5, 3)));
        let extended = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x57\x02\0\x83\x03\0";
        assert_eq!(of(extended), Some((600, 900)));
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x58\x02\x84\x03";
        assert_eq!(of(lossy), Some((600, 900)));
        assert_eq!(of(b"GIF89a\x05\0\x03\x01more"), Some((5, 259)));
    }

    #[test]
    fn a_large_profile_in_front_is_passed_over() {
        let picture = drawn(40, 7);
        let mut bytes = picture[..2].to_vec();
        for _ in 0..3 {
            bytes.extend([0xff, 0xe2, 0xff, 0xff]);
            bytes.extend(vec![0; 0xfffd]);
        }
        bytes.extend([0xff]);
        bytes.extend(&picture[2..]);
        assert_eq!(of(&bytes), Some((40, 7)));
        assert_eq!(of(&bytes[..HEAD]), None);
    }

    #[test]
    fn other_bytes_have_no_size() {
        for bytes in
            [&b""[..], b"<html>", b"\x89PNG\r\n\x1a\n", b"GIF89a\0\0\x01\0", b"\xff\xd8\xff\xd9"]
        {
            assert_eq!(of(bytes), None);
        }
    }

    proptest! {
        #[test]
        fn damaged_pictures_do_no_harm(
            start in prop::sample::select(vec![&b"\xff\xd8\xff"[..], b"RIFF\0\0\0\0WEBPVP8X", b"GIF8"]),
            rest in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = of(&[start, &rest].concat());
        }
    }
}
