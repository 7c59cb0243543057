//! Joins the dispatcher to the transport: what `http` asks for every request.

use std::{
    io::ErrorKind::{BrokenPipe, ConnectionReset},
    sync::Arc,
};

use super::{code::Code, dispatch, error::ApiError, services::Services};
use crate::http::{
    reply::Reply,
    request::{BodyRead, Head, Request, RequestId},
    service::{Lane, Service},
    sse::Sink,
};

/// The service as the transport sees it.
pub struct Launcher(pub Arc<Services>);

impl Service for Launcher {
    fn lane(&self, head: &Head) -> Lane {
        dispatch::lane(&self.0, head)
    }

    fn answer(&self, request: Request, read: BodyRead) -> Reply {
        dispatch::answer(&self.0, &request, read)
    }

    fn stream(&self, request: Request, sink: Sink) {
        if let Err(error) = dispatch::stream(&self.0, &request, sink) {
            // Every page that is closed ends its stream like this; a stream that was given up is news.
            let is_ordinary = matches!(error.kind(), BrokenPipe | ConnectionReset);
            let level = if is_ordinary { log::Level::Debug } else { log::Level::Info };
            log::log!(level, "{} went away: {error}", request.peer);
        }
    }

    fn panicked(&self, id: RequestId) -> Reply {
        ApiError::of(Code::InternalError).reply(id)
    }

    fn incomplete(&self, id: RequestId) -> Reply {
        ApiError::bad("Request body was truncated.").reply(id)
    }
}
