//! Cube verdicts, in GNU Backgammon's words.

/// GNU Backgammon's cube verdicts; the numeric codes are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say what the texts say")]
pub enum Verdict {
    DoubleTake = 0,
    DoublePass = 1,
    NoDoubleTake = 2,
    TooGoodTake = 3,
    TooGoodPass = 4,
    DoubleBeaver = 5,
    NoDoubleBeaver = 6,
    RedoubleTake = 7,
    RedoublePass = 8,
    NoRedoubleTake = 9,
    TooGoodRedoubleTake = 10,
    TooGoodRedoublePass = 11,
    NoRedoubleBeaver = 12,
    DeadCubeDouble = 13,
    DeadCubeRedouble = 14,
    NotAvailable = 15,
    OptionalDoubleTake = 16,
    OptionalRedoubleTake = 17,
    OptionalDoubleBeaver = 18,
    OptionalDoublePass = 19,
    OptionalRedoublePass = 20,
}

impl Verdict {
    /// Returns GNU Backgammon's words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Verdict::DoubleTake => "Double, take",
            Verdict::DoublePass => "Double, pass",
            Verdict::NoDoubleTake => "No double, take",
            Verdict::TooGoodTake => "Too good to double, take",
            Verdict::TooGoodPass => "Too good to double, pass",
            Verdict::DoubleBeaver => "Double, beaver",
            Verdict::NoDoubleBeaver => "No double, beaver",
            Verdict::RedoubleTake => "Redouble, take",
            Verdict::RedoublePass => "Redouble, pass",
            Verdict::NoRedoubleTake => "No redouble, take",
            Verdict::TooGoodRedoubleTake => "Too good to redouble, take",
            Verdict::TooGoodRedoublePass => "Too good to redouble, pass",
            Verdict::NoRedoubleBeaver => "No redouble, beaver",
            Verdict::DeadCubeDouble => "Never double, take (dead cube)",
            Verdict::DeadCubeRedouble => "Never redouble, take (dead cube)",
            Verdict::NotAvailable => "Unknown cube decision",
            Verdict::OptionalDoubleTake => "Optional double, take",
            Verdict::OptionalRedoubleTake => "Optional redouble, take",
            Verdict::OptionalDoubleBeaver => "Optional double, beaver",
            Verdict::OptionalDoublePass => "Optional double, pass",
            Verdict::OptionalRedoublePass => "Optional redouble, pass",
        }
    }

    /// Returns true if an engine should turn the cube: optional doubles are not made.
    #[must_use]
    pub const fn doubles(self) -> bool {
        matches!(
            self,
            Verdict::DoubleTake
                | Verdict::DoublePass
                | Verdict::DoubleBeaver
                | Verdict::RedoubleTake
                | Verdict::RedoublePass
        )
    }

    /// Returns true if the opponent should pass.
    #[must_use]
    pub const fn passes(self) -> bool {
        matches!(
            self,
            Verdict::DoublePass
                | Verdict::RedoublePass
                | Verdict::TooGoodPass
                | Verdict::TooGoodRedoublePass
                | Verdict::OptionalDoublePass
                | Verdict::OptionalRedoublePass
        )
    }

    /// Returns true if the opponent should beaver.
    #[must_use]
    pub const fn beavers(self) -> bool {
        matches!(
            self,
            Verdict::DoubleBeaver
                | Verdict::NoDoubleBeaver
                | Verdict::NoRedoubleBeaver
                | Verdict::OptionalDoubleBeaver
        )
    }
}

impl std::fmt::Display for Verdict {
    /// Writes [`Verdict::text`].
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}
