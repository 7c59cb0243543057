//! A crowd takes every descriptor and leaves at once: the program is deaf for as long as it stays and
//! no longer, even when no connection was left by the time there was room again.

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::support::{
    client::{Request, Wire},
    server::Server,
    wait::until,
};

/// Descriptors the program may have.
const FEW: u64 = 48;

#[test]
fn it_accepts_again_once_the_crowd_has_left() {
    for _ in 0..3 {
        let server = Server::start();
        let pid = Pid::from_raw(server.pid().cast_signed());
        let few = Rlimit { current: Some(FEW), maximum: Some(FEW) };
        prlimit(pid, Resource::Nofile, few).expect("a lower limit");
        let crowd: Vec<Wire> =
            (0..100).map_while(|_| Wire::connect(server.address()).ok()).collect();
        assert!(crowd.len() > 20, "{} connections", crowd.len());
        drop(crowd);
        until("the program accepts again", || {
            let reply = server.client().try_send(&Request::get("/api/queue"));
            reply.is_ok_and(|reply| reply.status == 200).then_some(())
        });
    }
}
