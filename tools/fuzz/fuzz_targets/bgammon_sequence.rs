#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gammond_fuzz::sequence::fuzz_bgammon_sequence(data));
