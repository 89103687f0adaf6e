#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gammond::service::fuzz_session(data));
