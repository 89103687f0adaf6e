//! A body that keeps something until it is sent or dropped, such as the place of its request.

use axum::body::{Body, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body and the resources that it holds.
pub(in crate::http) struct Held<T> {
    body: Body,
    _kept: T,
}

impl<T: Send + Unpin + 'static> Held<T> {
    pub(in crate::http) fn body(body: Body, kept: T) -> Body {
        Body::new(Held { body, _kept: kept })
    }
}

impl<T: Unpin> HttpBody for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
