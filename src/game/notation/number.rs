//! Numbers as C and C++ print them by default: six significant digits, no trailing zeros.

use std::fmt;

const DIGITS: usize = 6;

/// Prints like `%g`: `0.114795`, `-2`, `0`, `6.07967e-06`.
pub(super) struct General(pub(super) f64);

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0.0 || !self.0.is_finite() {
            return write!(f, "{}", self.0.abs());
        }
        // The exponent after rounding to six digits decides the shape.
        let scientific = format!("{:.*e}", DIGITS - 1, self.0);
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        match usize::try_from(exponent + 4) {
            Ok(shifted) if shifted < DIGITS + 4 => {
                let decimals = (DIGITS + 3).saturating_sub(shifted);
                f.write_str(trimmed(&format!("{:.*}", decimals, self.0)))
            }
            _ => {
                let sign = if exponent < 0 { '-' } else { '+' };
                let exponent = exponent.unsigned_abs();
                write!(f, "{}e{sign}{exponent:02}", trimmed(mantissa))
            }
        }
    }
}

/// Removes zeros at the end of the decimals, and a point that ends the number.
fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_printf_does() {
        let check = |value: f64, text: &str| assert_eq!(General(value).to_string(), text);
        check(0.114795, "0.114795");
        check(-2.0, "-2");
        check(0.0, "0");
        check(-0.0, "0");
        check(6.07967e-6, "6.07967e-06");
        check(0.0001, "0.0001");
        check(0.000099999999, "0.0001");
        check(0.00001, "1e-05");
        check(-1.9303400, "-1.93034");
        check(999_999.4, "999999");
        check(999_999.5, "1e+06");
        check(123_456.0, "123456");
        check(1.5e300, "1.5e+300");
        check(0.1, "0.1");
        check(50.125_001, "50.125");
    }
}
