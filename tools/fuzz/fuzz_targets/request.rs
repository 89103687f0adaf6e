#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gammond_fuzz::protocol::fuzz_request(data));
