#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gammond_game::notation::fuzz_match_id(data));
