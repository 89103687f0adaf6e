//! Each protocol as a machine without I/O: text in, requests and text out.
