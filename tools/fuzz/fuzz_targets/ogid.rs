#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gammond::notation::fuzz_ogid(data));
