//! The first test of a run: it says how long the run takes and what it leaves out.

use std::path::Path;

/// Returns the number of tests in a folder that only `.ci/run` runs.
fn long_tests(folder: &Path) -> usize {
    let long = "#[ignore = \"long; .ci";
    let entries = std::fs::read_dir(folder).unwrap();
    let counts = entries.map(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => long_tests(&path),
            false => (std::fs::read_to_string(&path).unwrap().lines())
                .filter(|line| line.starts_with(long))
                .count(),
        }
    });
    counts.sum()
}

#[test]
fn long_tests_are_counted_at_the_start() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/it", "src"].map(|folder| base.join(folder));
    let count: usize = folders.iter().map(|folder| long_tests(folder)).sum();
    assert!(count > 10, "{count} long tests");
    crate::support::say(&format!(
        "integration tests: about 3 minutes of processor time; {count} long ones are ignored, \
         `.ci/run test` runs all"
    ));
}
