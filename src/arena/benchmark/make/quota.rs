//! Quotas: numbers of records by kind of position.

use gammond_game::{Group, Position};

/// A number of records of a group of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The group.
    pub group: Group,
    /// Number of records.
    pub records: usize,
}

/// A quota that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuotaError {
    /// The text has another shape.
    #[error("quota '{0}' is not GROUP=NUMBER, such as contact=1000")]
    Shape(String),
    /// The group is unknown.
    #[error("quota '{found}': there is no group of this name; groups are {}", names().join(", "))]
    Group {
        /// Name as given.
        found: String,
    },
    /// The text is no number of records.
    #[error("quota '{group}={found}': expected a whole number above 0")]
    Number {
        /// The group.
        group: String,
        /// Number as given.
        found: String,
    },
}

/// Returns the name of a group in quotas: `crashed: trapped` is `trapped`.
fn name(group: Group) -> String {
    let name = group.to_string();
    let short = name.strip_prefix("crashed: ").map(str::to_owned);
    short.unwrap_or(name).replace(' ', "-")
}

fn names() -> Vec<String> {
    Group::ALL.into_iter().map(name).collect()
}

impl std::str::FromStr for Quota {
    type Err = QuotaError;

    fn from_str(text: &str) -> Result<Quota, QuotaError> {
        let (group, records) = text
            .split_once('=')
            .ok_or_else(|| QuotaError::Shape(text.to_owned()))?;
        let found = Group::ALL.into_iter().find(|&one| name(one) == group);
        let found = found.ok_or_else(|| QuotaError::Group {
            found: group.to_owned(),
        })?;
        let number = records.parse().ok().filter(|&records| records > 0);
        Ok(Quota {
            group: found,
            records: number.ok_or_else(|| QuotaError::Number {
                group: group.to_owned(),
                found: records.to_owned(),
            })?,
        })
    }
}

impl std::fmt::Display for Quota {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", name(self.group), self.records)
    }
}

/// Returns true if the quotas include positions of this kind.
pub(super) fn may_take(quotas: &[Quota], position: &Position) -> bool {
    quotas.is_empty() || quotas.iter().any(|quota| quota.group.holds(position))
}

/// Numbers of records counted towards quotas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct QuotaCounts(Vec<usize>);

impl QuotaCounts {
    /// Counts a record if one of its groups has room.
    pub(super) fn takes(&mut self, quotas: &[Quota], position: &Position) -> bool {
        self.0.resize(quotas.len(), 0);
        let mut taken = quotas.is_empty();
        let counts: Vec<bool> = (quotas.iter().zip(&self.0))
            .map(|(quota, &count)| {
                let holds = quota.group.holds(position);
                taken |= holds && count < quota.records;
                holds
            })
            .collect();
        for (count, holds) in self.0.iter_mut().zip(counts) {
            *count += usize::from(holds && taken);
        }
        taken
    }

    /// Returns true if all quotas are full.
    pub(super) fn are_full(&self, quotas: &[Quota]) -> bool {
        let full = |(quota, count): (&Quota, &usize)| *count >= quota.records;
        !quotas.is_empty() && self.0.len() == quotas.len() && quotas.iter().zip(&self.0).all(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_read_and_printed() {
        for group in Group::ALL {
            let quota = Quota { group, records: 7 };
            assert_eq!(quota.to_string().parse(), Ok(quota));
        }
        let error = |text: &str| text.parse::<Quota>().unwrap_err().to_string();
        assert!(error("contact").contains("GROUP=NUMBER"));
        assert!(error("midgame=3").contains("groups are contact, crashed"));
        for text in ["contact=0", "contact=-1", "contact=", "contact=1e3"] {
            assert!(error(text).contains("a whole number above 0"), "{text}");
        }
    }

    #[test]
    fn a_position_counts_for_all_its_groups_while_one_has_room() {
        let quotas: Vec<Quota> = ["contact=1", "back-game=2"]
            .map(|q| q.parse().unwrap())
            .into();
        let start = Position::start();
        assert!(may_take(&quotas, &start) && may_take(&[], &start));
        assert!(!may_take(&quotas[1..], &start));
        let mut filled = QuotaCounts::default();
        assert!(!filled.are_full(&quotas));
        assert!(filled.takes(&quotas, &start));
        assert!(!filled.takes(&quotas, &start));
        assert!(!filled.are_full(&quotas));
        assert!(
            filled.takes(&[], &start),
            "without quotas everything is taken"
        );
    }
}
