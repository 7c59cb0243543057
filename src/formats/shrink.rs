//! Making a picture smaller, row by row.
//!
//! Owns the arithmetic: every pixel of the result is the mean of the area it covers, of light and
//! not of the stored numbers, and weighted by opacity. Takes one row at a time, so a picture need
//! not be in memory whole. Does not enlarge.

use std::sync::OnceLock;

/// Steps of the table from light back to stored numbers; fine enough for the darkest tones.
const LIGHT_STEPS: usize = 1 << 14;

/// A picture while it becomes smaller.
pub struct Shrinker {
    channels: usize,
    rows: u32,
    width: usize,
    height: usize,
    /// For each pixel of a result row: the first source pixel and the share of it and its followers.
    spans: Vec<(usize, Vec<f32>)>,
    taken: u32,
    /// The source row, made narrow.
    narrow: Vec<f32>,
    /// The result row that is being filled; its share of the current source row can be a part.
    sum: Vec<f32>,
    done: Vec<u8>,
}

impl Shrinker {
    /// For rows of `columns` pixels of one to four `channels` (grey, grey and opacity, three colours,
    /// three colours and opacity), `rows` of them, to `width` by `height`. `None` when that is not
    /// smaller or is nothing.
    pub fn new(
        (columns, rows): (u32, u32),
        channels: usize,
        (width, height): (u32, u32),
    ) -> Option<Self> {
        let is_smaller = width < columns && height <= rows;
        if !is_smaller || width == 0 || height == 0 || !(1..=4).contains(&channels) {
            return None;
        }
        let (width, height) = (width as usize, height as usize);
        Some(Self {
            channels,
            rows,
            width,
            height,
            spans: spans(columns as usize, width),
            taken: 0,
            narrow: vec![0.0; width * 4],
            sum: vec![0.0; width * 4],
            done: Vec::with_capacity(width * height * 4),
        })
    }

    /// Takes the next row; what is too short or one too many changes nothing.
    pub fn take(&mut self, row: &[u8]) {
        let enough = self.spans.last().map_or(0, |(from, shares)| from + shares.len());
        if self.taken == self.rows || row.len() < enough * self.channels {
            return;
        }
        self.make_narrow(row);
        let (rows, height) = (u64::from(self.rows), self.height as u64);
        // Positions in the unit "a `rows`-th of a result row", which both ends of a row hit exactly.
        let (top, bottom) = (u64::from(self.taken) * height, (u64::from(self.taken) + 1) * height);
        let border = (top / rows + 1) * rows;
        self.add(share(bottom.min(border) - top, rows));
        if bottom >= border {
            self.finish_row();
            self.add(share(bottom - border, rows));
        }
        self.taken += 1;
    }

    /// The result, four bytes a pixel, and whether every pixel is opaque; `None` while rows are missing.
    pub fn finish(self) -> Option<(Vec<u8>, bool)> {
        let is_whole = self.taken == self.rows && self.done.len() == self.width * self.height * 4;
        let is_opaque = self.done.chunks_exact(4).all(|pixel| pixel[3] == u8::MAX);
        is_whole.then_some((self.done, is_opaque))
    }

    fn make_narrow(&mut self, row: &[u8]) {
        let light = light_of();
        let channels = self.channels;
        for ((from, shares), out) in self.spans.iter().zip(self.narrow.chunks_exact_mut(4)) {
            let mut sum = [0.0_f32; 4];
            let pixels = row[from * channels..].chunks_exact(channels);
            for (pixel, share) in pixels.zip(shares) {
                let opacity = match channels {
                    2 | 4 => share * f32::from(pixel[channels - 1]) / 255.0,
                    _ => *share,
                };
                let last = if channels < 3 { 0 } else { 2 };
                for (at, part) in sum[..3].iter_mut().enumerate() {
                    *part += light[usize::from(pixel[at.min(last)])] * opacity;
                }
                sum[3] += opacity;
            }
            out.copy_from_slice(&sum);
        }
    }

    fn add(&mut self, share: f32) {
        for (sum, part) in self.sum.iter_mut().zip(&self.narrow) {
            *sum += part * share;
        }
    }

    fn finish_row(&mut self) {
        for pixel in self.sum.chunks_exact_mut(4) {
            let opacity = pixel[3];
            let whole = if opacity > 0.0 { opacity } else { 1.0 };
            self.done.extend(pixel[..3].iter().map(|part| stored(part / whole)));
            self.done.push(rounded(opacity * 255.0));
            pixel.fill(0.0);
        }
    }
}

/// Turns and mirrors four-byte pixels as the EXIF orientation (2 to 8) says, and the new width and
/// height.
pub fn upright(
    pixels: Vec<u8>,
    (width, height): (u32, u32),
    orientation: u8,
) -> (Vec<u8>, u32, u32) {
    if !(2..=8).contains(&orientation) {
        return (pixels, width, height);
    }
    let is_turned = orientation >= 5;
    let (columns, rows) = if is_turned { (height, width) } else { (width, height) };
    let mut turned = Vec::with_capacity(pixels.len());
    for y in 0..rows {
        for x in 0..columns {
            let (from_x, from_y) = match orientation {
                2 => (width - 1 - x, y),
                3 => (width - 1 - x, height - 1 - y),
                4 => (x, height - 1 - y),
                5 => (y, x),
                6 => (y, height - 1 - x),
                7 => (width - 1 - y, height - 1 - x),
                _ => (width - 1 - y, x),
            };
            let at = (from_y as usize * width as usize + from_x as usize) * 4;
            turned.extend_from_slice(&pixels[at..at + 4]);
        }
    }
    (turned, columns, rows)
}

/// Which pixels of `columns` each of `width` covers, and how much of its area each of them is.
fn spans(columns: usize, width: usize) -> Vec<(usize, Vec<f32>)> {
    // In the unit "a `width`-th of a source pixel" every border is a whole number.
    (0..width)
        .map(|x| {
            let (left, right) = (x * columns, (x + 1) * columns);
            let (first, last) = (left / width, (right - 1) / width);
            let covered = |at: usize| right.min((at + 1) * width) - left.max(at * width);
            let share_of = |at| share(covered(at) as u64, columns as u64);
            (first, (first..=last).map(share_of).collect())
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "a share of an area needs no 24 bits")]
fn share(part: u64, whole: u64) -> f32 {
    part as f32 / whole as f32
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn rounded(value: f32) -> u8 {
    (value + 0.5) as u8
}

/// The light behind each stored number, 0 to 1 (the curve of sRGB).
fn light_of() -> &'static [f32; 256] {
    static TABLE: OnceLock<[f32; 256]> = OnceLock::new();
    TABLE.get_or_init(|| {
        std::array::from_fn(|stored| {
            let value = share(stored as u64, 255);
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    })
}

/// The stored number for light from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
#[expect(clippy::cast_precision_loss, reason = "the steps are far below 24 bits")]
fn stored(light: f32) -> u8 {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let of = |step: usize| {
            let light = share(step as u64, LIGHT_STEPS as u64 - 1);
            let value = if light <= 0.003_130_8 {
                light * 12.92
            } else {
                1.055 * light.powf(1.0 / 2.4) - 0.055
            };
            rounded(value * 255.0)
        };
        (0..LIGHT_STEPS).map(of).collect()
    });
    let step = (light * (LIGHT_STEPS as f32 - 1.0) + 0.5) as usize;
    table[step.min(LIGHT_STEPS - 1)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shrink(
        size: (u32, u32),
        channels: usize,
        to: (u32, u32),
        pixel: impl Fn(u32, u32) -> Vec<u8>,
    ) -> (Vec<u8>, bool) {
        let mut shrinker = Shrinker::new(size, channels, to).expect("it becomes smaller");
        for y in 0..size.1 {
            let row: Vec<u8> = (0..size.0).flat_map(|x| pixel(x, y)).collect();
            shrinker.take(&row);
        }
        shrinker.finish().expect("every row was taken")
    }

    #[test]
    fn one_colour_stays_that_colour_in_every_number_of_channels() {
        for (pixel, expected) in [
            (vec![77], [77, 77, 77, 255]),
            (vec![77, 128], [77, 77, 77, 128]),
            (vec![1, 200, 90], [1, 200, 90, 255]),
            (vec![1, 200, 90, 3], [1, 200, 90, 3]),
        ] {
            let (pixels, is_opaque) = shrink((37, 23), pixel.len(), (7, 5), |_, _| pixel.clone());
            assert_eq!(is_opaque, expected[3] == 255);
            assert_eq!(pixels, expected.repeat(35), "{pixel:?}");
        }
    }

    #[test]
    fn light_is_mixed_and_not_numbers() {
        let (pixels, _) = shrink((2, 1), 1, (1, 1), |x, _| vec![if x == 0 { 0 } else { 255 }]);
        assert_eq!(pixels, [188, 188, 188, 255]);
    }

    #[test]
    fn what_is_not_seen_colours_nothing() {
        let (pixels, is_opaque) =
            shrink(
                (2, 2),
                4,
                (1, 1),
                |x, _| if x == 0 { vec![9, 8, 7, 255] } else { vec![255, 0, 0, 0] },
            );
        assert_eq!((pixels, is_opaque), (vec![9, 8, 7, 128], false));
        let (pixels, _) = shrink((2, 2), 4, (1, 1), |_, _| vec![255, 255, 255, 0]);
        assert_eq!(pixels, [0, 0, 0, 0]);
    }

    #[test]
    fn halves_lie_where_they_lay() {
        let (pixels, _) = shrink((9, 9), 3, (3, 3), |x, y| {
            if x < 3 && y >= 6 { vec![250, 0, 0] } else { vec![0, 0, 90] }
        });
        let red: Vec<usize> = pixels
            .chunks_exact(4)
            .enumerate()
            .filter(|(_, p)| p[0] == 250)
            .map(|(at, _)| at)
            .collect();
        assert_eq!(red, [6]);
    }

    #[test]
    fn nothing_becomes_larger_or_is_made_of_too_few_rows() {
        for (size, channels, to) in [
            ((4, 4), 3, (4, 4)),
            ((4, 4), 3, (5, 5)),
            ((4, 4), 3, (2, 5)),
            ((4, 4), 3, (0, 2)),
            ((4, 4), 3, (2, 0)),
            ((4, 4), 0, (2, 2)),
            ((4, 4), 5, (2, 2)),
        ] {
            assert!(Shrinker::new(size, channels, to).is_none(), "{size:?} {channels} {to:?}");
        }
        let mut shrinker = Shrinker::new((4, 2), 1, (2, 1)).expect("smaller");
        shrinker.take(&[1, 2, 3]);
        shrinker.take(&[1, 2, 3, 4]);
        assert!(shrinker.finish().is_none());
    }

    #[test]
    fn orientations_put_the_first_corner_where_it_belongs() {
        let pixels = |names: &str| names.bytes().flat_map(|name| [name; 4]).collect::<Vec<u8>>();
        for (orientation, expected, size) in [
            (0, "abcdef", (3, 2)),
            (1, "abcdef", (3, 2)),
            (2, "cbafed", (3, 2)),
            (3, "fedcba", (3, 2)),
            (4, "defabc", (3, 2)),
            (5, "adbecf", (2, 3)),
            (6, "daebfc", (2, 3)),
            (7, "fcebda", (2, 3)),
            (8, "cfbead", (2, 3)),
            (9, "abcdef", (3, 2)),
        ] {
            let (turned, width, height) = upright(pixels("abcdef"), (3, 2), orientation);
            assert_eq!((turned, (width, height)), (pixels(expected), size), "{orientation}");
        }
    }

    proptest! {
        #[test]
        fn any_sizes_are_whole_and_within_the_range_of_the_picture(
            columns in 2_u32..70, rows in 1_u32..70, width in 1_u32..70, height in 1_u32..70,
            dark in 0_u8..=255, spread in 0_u8..=60,
        ) {
            prop_assume!(width < columns && height <= rows);
            let bright = dark.saturating_add(spread);
            let pixel = |x: u32, y: u32| vec![if (x + y).is_multiple_of(2) { dark } else { bright }];
            let (pixels, is_opaque) = shrink((columns, rows), 1, (width, height), pixel);
            prop_assert!(is_opaque);
            prop_assert_eq!(pixels.len(), (width * height * 4) as usize);
            prop_assert!(pixels.chunks_exact(4).all(|p| p[0] >= dark && p[0] <= bright));
        }
    }
}
