//! gnubg's console.

use gammond_console::{Console, ConsoleOptions, NoHost};

/// Lines of a session without an engine: answers are whole lines but where a question or a fault of the original ends
/// them, and no line of any bytes ends the machine but `quit` and `exit`.
pub fn fuzz_console(data: &[u8]) {
    for plays_on in [true, false] {
        let mut console = Console::new(ConsoleOptions {
            plays_on,
            ..ConsoleOptions::default()
        });
        for line in data.split(|byte| *byte == b'\n') {
            let answer = console.line(line, &mut NoHost);
            let whole = answer.out.is_empty()
                || answer.out.ends_with('\n')
                || answer.out.ends_with("Enter dice: ");
            assert!(whole, "{:?}", answer.out);
            assert!(
                answer.err.is_empty() || answer.err.ends_with('\n'),
                "{:?}",
                answer.err
            );
            assert!(
                !answer.out.contains('\u{1b}') && !answer.err.contains('\u{1b}'),
                "an escape came through"
            );
            if answer.ends {
                break;
            }
        }
    }
}
