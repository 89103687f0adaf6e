#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gammond_fuzz::notation::fuzz_bgf(data));
