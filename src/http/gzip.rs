//! Gzip: whether the client takes it, and compressing a whole body.
//!
//! The level favours time: the wire is the loopback interface, and a body worth more compression is cached in
//! compressed form by its owner and sent with [`super::reply::Reply::gzipped`].

use std::{io::Write as _, sync::Arc};

use flate2::{Compression, write::GzEncoder};

/// Whether an `Accept-Encoding` value takes gzip: named or by `*`, and not with a weight of zero.
pub fn accepts_gzip(accept_encoding: Option<&str>) -> bool {
    let Some(value) = accept_encoding else { return false };
    let mut wildcard = false;
    for choice in value.split(',') {
        let mut parts = choice.split(';');
        let coding = parts.next().unwrap_or("").trim();
        let wanted = parts.all(|parameter| !is_zero_weight(parameter));
        if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
            return wanted;
        }
        if coding == "*" {
            wildcard = wanted;
        }
    }
    wildcard
}

/// Whether a parameter is `q=0`, `q=0.0` and so on; a weight that is not a number refuses too.
fn is_zero_weight(parameter: &str) -> bool {
    let Some((name, weight)) = parameter.split_once('=') else { return false };
    let weight: f32 = weight.trim().parse().unwrap_or(0.0);
    let positive = weight > 0.0;
    name.trim().eq_ignore_ascii_case("q") && !positive
}

/// Compresses `bytes` into one gzip stream.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    compress_pieces([bytes], bytes.len())
}

/// Compresses shared pieces, joined, into one gzip stream.
pub fn compress_slices(slices: &[Arc<[u8]>]) -> Vec<u8> {
    let total = slices.iter().map(|slice| slice.len()).sum();
    compress_pieces(slices, total)
}

fn compress_pieces(pieces: impl IntoIterator<Item = impl AsRef<[u8]>>, total: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(total / 4 + 64), Compression::fast());
    for piece in pieces {
        encoder.write_all(piece.as_ref()).expect("writing to a vector cannot fail");
    }
    encoder.finish().expect("writing to a vector cannot fail")
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[track_caller]
    fn check(value: &str, expected: bool) {
        assert_eq!(accepts_gzip(Some(value)), expected, "{value}");
    }

    #[test]
    fn honours_names_and_weights() {
        assert!(!accepts_gzip(None));
        check("", false);
        check("gzip", true);
        check("GZIP", true);
        check("x-gzip", true);
        check("deflate, gzip;q=0.5", true);
        check("gzip;q=0", false);
        check("gzip; q=0.000", false);
        check("gzip; Q = 0", false);
        check("gzip;q=0.001", true);
        check("gzip;q=nan", false);
        check("gzip;q=abc", false);
        check("*", true);
        check("*;q=0", false);
        check("gzip;q=0, *", false);
        check("*, gzip;q=0", false);
        check("identity, br", false);
        check("gzipped", false);
    }

    #[test]
    fn pieces_make_one_stream() {
        let slices: Vec<Arc<[u8]>> = vec![Arc::from(&b"hello "[..]), Arc::from(&b"world"[..])];
        for stream in [compress(b"hello world"), compress_slices(&slices)] {
            let mut text = String::new();
            GzDecoder::new(&stream[..]).read_to_string(&mut text).expect("a valid stream");
            assert_eq!(text, "hello world");
        }
    }
}
