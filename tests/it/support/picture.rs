//! Pictures for tests: drawn here, deterministic, too busy to be packed small.

/// A JPEG of noise, different for each seed.
pub(crate) fn jpeg(width: u16, height: u16, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24).to_le_bytes()[0]
    };
    let pixels: Vec<u8> = (0..u32::from(width) * u32::from(height) * 3).map(|_| next()).collect();
    let mut bytes = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut bytes, 85);
    encoder.encode(&pixels, width, height, jpeg_encoder::ColorType::Rgb).expect("a picture");
    bytes
}
