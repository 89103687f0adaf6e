#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gammond_server::fuzz_http_form(data));
