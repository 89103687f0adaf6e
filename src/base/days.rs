//! Days of the calendar.

/// Converts days since 1970-01-01 to year, month and day, by the calendar's cycle of 400 years.
#[must_use]
pub const fn civil(days: i64) -> [i64; 3] {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day = shifted.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let next = if month <= 2 { 1 } else { 0 };
    [year + era * 400 + next, month, of_month]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_knows_leap_years() {
        for (days, date) in [
            (0, [1970, 1, 1]),
            (-1, [1969, 12, 31]),
            (11_016, [2000, 2, 29]),
            (19_782, [2024, 2, 29]),
            (19_783, [2024, 3, 1]),
            (-25_568, [1899, 12, 31]),
        ] {
            assert_eq!(civil(days), date, "{days}");
        }
    }
}
