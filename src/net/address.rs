//! Which internet addresses a request may go to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The reach of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// This machine.
    Loopback,
    /// Somewhere on the public internet.
    Public,
    /// Private, link-local, multicast, unspecified, documentation or otherwise reserved.
    Reserved,
}

/// Says how far an address reaches. Addresses that carry another one inside are judged by that one.
pub fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

/// Whether an address may be that of a server of the user's own: everything but addresses that name
/// no single machine, and link-local ones, where clouds keep credentials of the machine.
pub fn is_host(address: IpAddr) -> bool {
    let is_host_v4 =
        |address: Ipv4Addr| !matches!(address.octets()[0], 0 | 224..) && !address.is_link_local();
    match address {
        IpAddr::V4(address) => is_host_v4(address),
        IpAddr::V6(address) => match address.segments() {
            [0, 0, 0, 0, 0, 0xffff, high, low]
            | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
            | [0x2002, high, low, ..] => is_host_v4(inner(high, low)),
            _ => {
                let names_none = address.is_unspecified() || address.is_multicast();
                !names_none && !address.is_unicast_link_local()
            }
        },
    }
}

/// Networks that are not part of the public internet: first address and length of the prefix.
const RESERVED_V4: [(Ipv4Addr, u32); 14] = [
    // This network.
    (Ipv4Addr::UNSPECIFIED, 8),
    // Private networks.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Carrier-grade NAT.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Link-local.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Protocol assignments.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Relays of 6to4.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // Benchmarks.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved for the future, and broadcast.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

fn reach_v4(address: Ipv4Addr) -> Reach {
    let within = |(network, prefix): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ network.to_bits()) >> (32 - prefix) == 0
    };
    if address.is_loopback() {
        Reach::Loopback
    } else if RESERVED_V4.iter().any(within) {
        Reach::Reserved
    } else {
        Reach::Public
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if address == Ipv6Addr::LOCALHOST {
        return Reach::Loopback;
    }
    let parts = address.segments();
    match parts {
        // IPv4-mapped, IPv4-translated and NAT64 addresses.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            match reach_v4(inner(high, low)) {
                // A mapped loopback address is not a way to write loopback.
                Reach::Loopback | Reach::Reserved => Reach::Reserved,
                Reach::Public => Reach::Public,
            }
        }
        // 6to4.
        [0x2002, high, low, ..] if reach_v4(inner(high, low)) != Reach::Public => Reach::Reserved,
        // Teredo, benchmarks and orchids, documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Reach::Reserved,
        // Only 2000::/3 is given out for the public internet.
        [0x2000..=0x3fff, ..] => Reach::Public,
        _ => Reach::Reserved,
    }
}

fn inner(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Reach) {
        assert_eq!(reach(text.parse().expect("an address")), expected, "{text}");
    }

    #[test]
    fn a_server_may_be_at_home_but_not_link_local() {
        for (text, expected) in [
            ("192.168.1.9", true),
            ("127.0.0.1", true),
            ("1.1.1.1", true),
            ("fd00::1", true),
            ("::1", true),
            ("::ffff:10.0.0.1", true),
            ("0.0.0.0", false),
            ("0.1.2.3", false),
            ("169.254.169.254", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("fe80::1", false),
            ("ff02::1", false),
            ("::ffff:169.254.169.254", false),
            ("64:ff9b::a9fe:a9fe", false),
            ("2002:a9fe:a9fe::1", false),
        ] {
            assert_eq!(is_host(text.parse().expect("an address")), expected, "{text}");
        }
    }

    #[test]
    fn knows_every_range() {
        for text in ["127.0.0.1", "127.255.255.254", "::1"] {
            check(text, Reach::Loopback);
        }
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "2002:0a00:0001::1",
            "::127.0.0.1",
            "fec0::1",
            "3fff::1",
        ] {
            check(text, Reach::Reserved);
        }
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:0808:0808::1",
        ] {
            check(text, Reach::Public);
        }
    }
}
