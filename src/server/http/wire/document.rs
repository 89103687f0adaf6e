//! Pages that load nothing.

/// Content security policy of what loads nothing and has its style in itself.
pub(in crate::http) const SELF_CONTAINED: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Returns a page with this body that loads nothing.
pub(in crate::http) fn document_of(body: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>gammond</title>\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <style>body{{font:16px system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}}\
         th{{text-align:left}}td,th{{padding:.2rem .8rem .2rem 0;vertical-align:top}}</style></head>\
         <body>{body}</body></html>\n"
    )
}
