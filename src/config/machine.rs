//! The machine that the program runs on, and its name.

/// The operating system, its release and the processor, for example `Linux 6.1.0 x86_64`.
pub fn platform() -> String {
    let name = rustix::system::uname();
    let parts = [name.sysname(), name.release(), name.machine()];
    parts.map(|part| part.to_string_lossy().into_owned()).join(" ")
}

/// The name of this machine in its network, for the user to recognise it.
pub fn name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_system_release_and_processor() {
        assert_eq!(platform().split(' ').filter(|part| !part.is_empty()).count(), 3);
    }
}
