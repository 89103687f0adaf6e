//! Gives the shared library the name under which programs find it when they start. It changes with the first number of
//! [`gammond_interface`], when old programs no longer fit.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let arguments: &[&str] = match target.as_str() {
        // A program that unloads it would pull the code from under its threads.
        "linux" | "android" | "freebsd" => &["-Wl,-soname,libgammond.so.0", "-Wl,-z,nodelete"],
        "macos" | "ios" => &["-Wl,-install_name,@rpath/libgammond.0.dylib"],
        _ => &[],
    };
    for argument in arguments {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
