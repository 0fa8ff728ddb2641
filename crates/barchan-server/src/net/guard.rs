//! Only pages of this server may talk to it: a foreign web page must not reach a program on the same machine.

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::routes::error;

/// The page talks to its own server and to nobody else; pictures may be made by itself.
const POLICY: &str = "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; \
                      worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Turns away what does not come from this server's own page.
pub async fn guard(State(port): State<u16>, request: Request, next: Next) -> Response {
    let mut response = match check(request.headers(), port, request.uri().path() == "/socket") {
        Ok(()) => next.run(request).await,
        Err(problem) => error(StatusCode::FORBIDDEN, problem),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn check(headers: &HeaderMap, port: u16, needs_origin: bool) -> Result<(), &'static str> {
    let one = |name| {
        let mut values = headers.get_all(name).iter();
        values.next().filter(|_| values.next().is_none()).and_then(|value| value.to_str().ok())
    };
    let host = one(HOST).ok_or("the request must have one Host")?;
    if !["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{port}")) {
        return Err("this server answers to its own address only");
    }
    if !headers.contains_key(ORIGIN) {
        return if needs_origin { Err("a socket is opened by a page, with its Origin") } else { Ok(()) };
    }
    match one(ORIGIN) {
        Some(origin) if origin.strip_prefix("http://") == Some(host) => Ok(()),
        _ => Err("only pages of this server may talk to it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_page_comes_through() {
        // Host, Origin, opens a socket, comes through.
        let rows: &[(&[&str], &[&str], bool, bool)] = &[
            (&["127.0.0.1:80"], &[], false, true),
            (&["localhost:80"], &["http://localhost:80"], false, true),
            (&["127.0.0.1:80"], &["http://127.0.0.1:80"], true, true),
            (&["127.0.0.1:80"], &[], true, false),
            (&["127.0.0.1:80"], &["http://localhost:80"], true, false),
            (&["127.0.0.1:80"], &["https://127.0.0.1:80"], true, false),
            (&["127.0.0.1:80"], &["http://127.0.0.1:81"], false, false),
            (&["127.0.0.1:80"], &["http://evil.example"], false, false),
            (&["127.0.0.1:80"], &["null"], false, false),
            (&["127.0.0.1:80"], &["http://127.0.0.1:80", "http://evil.example"], false, false),
            (&["evil.example"], &[], false, false),
            (&["evil.example:80"], &["http://evil.example:80"], true, false),
            (&["127.0.0.1"], &[], false, false),
            (&["127.0.0.1:80", "evil.example"], &[], false, false),
            (&[], &[], false, false),
        ];
        for (hosts, origins, socket, through) in rows {
            let mut headers = HeaderMap::new();
            for (name, values) in [(HOST, hosts), (ORIGIN, origins)] {
                for value in *values {
                    headers.append(name.clone(), HeaderValue::from_static(value));
                }
            }
            assert_eq!(check(&headers, 80, *socket).is_ok(), *through, "{hosts:?} {origins:?} {socket}");
        }
    }
}
