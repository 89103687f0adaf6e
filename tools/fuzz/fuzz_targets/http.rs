#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gammond_server::http::fuzz_http(data));
