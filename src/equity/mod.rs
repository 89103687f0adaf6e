//! Chances to equity and match winning chance: match equity tables, gammon prices, the cubeful
//! formula, cube verdicts.
