//! The 25 inputs of each side that describe contact: the inputs of the contact and crashed nets besides the checkers.
//!
//! Rules in `protocol-specs/gnubg-evaluation.md`; `slow` holds the same rules written plainly, and
//! a test holds the two equal. Here the sums over points are dot products of the 25 counts with
//! weights from a table, and everything about made points is looked up by bit mask.

use super::weights::Version;
use crate::nn::{Integers, SparseInput, TAIL};
use gammond_game::{BAR, POINTS, Position, Side};

/// Inputs for each side.
pub(super) const FEATURES: usize = 25;
/// Places of a side, padded for the vector units.
const LANES: usize = 32;
const POINTS_MASK: u32 = 0xff_ffff;
/// The bits of a packed side that are places on the board.
const BOARD: u128 = (1 << (4 * POINTS)) - 1;
const HOME: u32 = 0x3f;

type Lanes = [i16; LANES];

/// One side, unpacked.
pub(super) struct Unpacked {
    pub(super) side: Side,
    /// Checkers at each index 0..=24, then zeros.
    counts: Lanes,
    /// Occupied indices.
    pub(super) occupied: u32,
    /// Made points 0..=23.
    pub(super) made: u32,
    /// The highest occupied index, 0 when there is none.
    rear: usize,
    /// Number of the 36 rolls, by index `i`, with which a checker of the adversary at its index `i` escapes past
    /// these points; from index 6 on.
    escapes: Lanes,
    /// [`moment`] and [`backbone`], which depend on this side alone.
    moment: i32,
    backbone: f32,
}

impl Unpacked {
    #[inline(always)]
    pub(super) fn new<I: Integers>(side: Side) -> Unpacked {
        let counts = I::nibbles(side.packed() & BOARD);
        let occupied = side.occupied();
        let made = side.made() & POINTS_MASK;
        let mut escapes = [0; LANES];
        for index in 6..=BAR {
            escapes[index] = i16::from(ESCAPES[ahead(made, index)]);
        }
        Unpacked {
            side,
            counts,
            occupied,
            made,
            rear: (31 - (occupied | 1).leading_zeros()) as usize,
            escapes,
            moment: moment::<I>(side, &counts),
            backbone: backbone(made),
        }
    }
}

/// Returns a mask of the 12 points ahead of the adversary's checker at its index `index` that are in `made`.
#[inline(always)]
fn ahead(made: u32, index: usize) -> usize {
    (made >> (24 - index) & 0xfff) as usize
}

/// Differences between the two nets with these inputs, and between versions of the weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputVariant {
    pub(super) crashed: bool,
    pub(super) version: Version,
}

/// Appends the inputs of both halves (GE-21), mine first, beginning at row `start`; `shots` are what
/// [`super::shots::both`] counts.
#[inline(always)]
pub(super) fn push<I: Integers>(
    [me, opponent]: &[Unpacked; 2],
    shots: [[i32; 3]; 2],
    kind: InputVariant,
    start: usize,
    out: &mut SparseInput,
) {
    let mut tail = [0.0; TAIL];
    tail[..LANES].copy_from_slice(&half::<I>(me, opponent, shots[0], kind));
    tail[FEATURES..FEATURES + LANES].copy_from_slice(&half::<I>(opponent, me, shots[1], kind));
    out.set_tail(start, &tail);
}

/// Unpacks the sides of a position that differ from those in `known`: the plays of a roll have mostly one in common.
#[inline(always)]
pub(super) fn unpack<I: Integers>(position: &Position, known: &mut [Unpacked; 2]) {
    for (known, side) in known.iter_mut().zip([position.me(), position.opponent()]) {
        if known.side != side {
            *known = Unpacked::new::<I>(side);
        }
    }
}

/// Divisor of each integer input; the other inputs are filled in afterwards.
const DIVISORS: [f32; LANES] = {
    let mut divisors = [1.0; LANES];
    let known = [
        (3, 167.0),
        (4, 24.0),
        (5, 24.0),
        (6, 6.0),
        (7, 432.0),
        (8, 36.0),
        (9, 36.0),
        (10, 36.0),
        (11, 36.0),
        (13, 36.0),
        (15, 3600.0),
        (16, 400.0),
        (17, 294.0),
        (18, 36.0),
        (19, 100.0),
        (21, 4.0),
        (22, 8.0),
        (23, 100.0),
        (24, 36.0),
    ];
    let mut next = 0;
    while next < known.len() {
        divisors[known[next].0] = known[next].1;
        next += 1;
    }
    divisors
};

/// Returns the 25 inputs that describe `b`, whose adversary is `o`, then zeros.
#[inline(always)]
fn half<I: Integers>(
    b: &Unpacked,
    o: &Unpacked,
    [pips, once, twice]: [i32; 3],
    kind: InputVariant,
) -> [f32; LANES] {
    let mut whole = [0i32; LANES];
    let exposed = I::dot(&b.counts, &EXPOSED[o.rear]);
    whole[3] = exposed / EXPOSED_SCALE;
    whole[23] = exposed % EXPOSED_SCALE;
    whole[4] = b.rear as i32;
    whole[5] = 31 - b.made.leading_zeros() as i32;
    whole[6] = 24 - forward_anchor(b.made);
    whole[7] = pips;
    whole[8] = once;
    whole[9] = twice;
    let behind = ahead(b.made, o.rear);
    whole[10] = i32::from(ESCAPES[behind]);
    whole[24] = i32::from(STRICT_ESCAPES[behind]);
    let (contained, all) = containment(b, o.rear);
    whole[11] = contained;
    whole[13] = all;
    whole[15] = mobility::<I>(b, o);
    whole[16] = b.moment;
    let closed = o.made & HOME;
    if b.occupied >> BAR & 1 == 1 {
        let two = usize::from(b.counts[BAR] > 1);
        whole[17] = i32::from(ENTRY_LOSS[two][closed as usize]);
    }
    let open = 6 - closed.count_ones() as i32;
    whole[18] = 36 - open * open;
    whole[19] = timing::<I>(b, o.rear);
    // GE-32
    let back = (b.side.packed() >> 72) as u32 & 0xfff_ffff;
    let back = nibble_sum(back);
    match (b.made >> 18).count_ones() {
        0 => {}
        1 => whole[22] = back,
        _ => whole[21] = back - 3,
    }

    let mut inputs = [0.0; LANES];
    for k in 0..LANES {
        inputs[k] = whole[k] as f32 / DIVISORS[k];
    }
    inputs[12] = inputs[11] * inputs[11];
    inputs[14] = inputs[13] * inputs[13];
    inputs[20] = b.backbone;
    let off = if kind.crashed {
        b.side.off()
    } else {
        o.side.off()
    };
    inputs[..3].copy_from_slice(&MEN_OFF[usize::from(kind.crashed)][usize::from(off)]);
    inputs
}

/// Returns the sum of eight counts of four bits, at most 15 in all.
#[inline(always)]
fn nibble_sum(nibbles: u32) -> i32 {
    let pairs = (nibbles & 0x0f0f_0f0f) + (nibbles >> 4 & 0x0f0f_0f0f);
    (pairs.wrapping_mul(0x0101_0101) >> 24) as i32
}

/// Returns (GE-24) the lowest anchor in the adversary's home, else the highest made point below it down to the
/// mid-point, else the mid-point (whose value stands for none).
#[inline(always)]
fn forward_anchor(made: u32) -> i32 {
    let far = made & 0xfc_0000;
    if far != 0 {
        far.trailing_zeros() as i32
    } else {
        31 - (made & 0x3_f000 | 1 << 12).leading_zeros() as i32
    }
}

/// Returns (GE-26) 36 minus the rolls with which a checker at 15 up to the adversary's rearmost escapes, and at 15 up
/// to 23, where that is hardest.
#[inline(always)]
fn containment(b: &Unpacked, their_rear: usize) -> (i32, i32) {
    let (mut all, mut contained) = (36, 36);
    for index in 15..=24 {
        let rolls = b.escapes[index];
        if index < BAR {
            all = rolls.min(all);
        }
        if index <= their_rear {
            contained = rolls.min(contained);
        }
    }
    (i32::from(36 - contained), i32::from(36 - all))
}

/// Returns the mobility (GE-27).
#[inline(always)]
fn mobility<I: Integers>(b: &Unpacked, o: &Unpacked) -> i32 {
    let mut distances = BEYOND_HOME;
    for (distance, count) in distances.iter_mut().zip(b.counts) {
        *distance *= count;
    }
    I::dot(&distances, &o.escapes)
}

/// Returns the moment (GE-28).
#[inline(always)]
fn moment<I: Integers>(side: Side, counts: &Lanes) -> i32 {
    let checkers = i32::from(side.on_board()).max(1);
    let mean = (I::dot(counts, &INDEX) + checkers - 1) / checkers;
    let spread = I::dot(counts, &BEYOND_MEAN[mean as usize & 31]);
    let (squares, beyond) = (spread >> 4, spread & 15);
    if beyond > 0 {
        (squares + beyond - 1) / beyond
    } else {
        squares
    }
}

/// Returns the timing (GE-30).
#[inline(always)]
fn timing<I: Integers>(b: &Unpacked, their_rear: usize) -> i32 {
    // The adversary's rearmost checker on this side's scale, not below 11: 23 - rear, 11..=23.
    let beyond = 12 - their_rear.min(12);
    let spares = b
        .counts
        .map(|count| if count > 2 { count - 2 } else { count & 1 });
    let sum = I::dot(&b.counts, &TIMING_ALL[beyond]) + I::dot(&spares, &TIMING_SPARE[beyond]);
    let (mut time, mut spare) = (sum >> 4, sum & 15);
    for index in (0..6).rev() {
        let surplus = i32::from(b.counts[index]) - 2;
        if spare + surplus >= 0 {
            time += index as i32 * surplus;
            spare += surplus;
        }
    }
    time
}

/// Returns the backbone (GE-31).
#[inline(always)]
fn backbone(made: u32) -> f32 {
    let made = made & !1;
    if made & made.wrapping_sub(1) == 0 {
        return 0.0;
    }
    let rear = 31 - made.leading_zeros();
    // Bit 31 - d is the made point at distance d from the rearmost.
    let points = made << (31 - rear) & 0x7fff_ffff;
    let near = 11 * (points >> 25).count_ones() + u32::from(FADING[(points >> 20 & 31) as usize]);
    1.0 - near as f32 / (11 * points.count_ones()) as f32
}

// ---- tables ----

/// GE-25: rolls of 36 that get past a mask of made points, of which bit k is k + 1 pips ahead.
static ESCAPES: [u8; 4096] = escape_table(false);
/// The same for rolls that get beyond the nearest of the points.
static STRICT_ESCAPES: [u8; 4096] = escape_table(true);

const fn escape_table(strict: bool) -> [u8; 4096] {
    let mut table = [0; 4096];
    let mut mask = 0;
    while mask < 4096_u32 {
        let beyond = match (strict, mask) {
            (false, _) => 0,
            (true, 0) => 12,
            (true, _) => mask.trailing_zeros() + 1,
        };
        let mut rolls = 0;
        let mut throw = 0;
        while throw < 36 {
            let (d1, d2) = (throw / 6, throw % 6);
            let blocked = mask >> (d1 + d2 + 1) | (mask >> d1) & (mask >> d2);
            rolls += (blocked & 1 == 0 && d1 + d2 + 2 > beyond) as u8;
            throw += 1;
        }
        table[mask as usize] = rolls;
        mask += 1;
    }
    table
}

const EXPOSED_SCALE: i32 = 512;

/// GE-23, by the adversary's rearmost index: the pips by which a checker is behind that one, times
/// [`EXPOSED_SCALE`], or the pips of a checker that has passed it.
static EXPOSED: [Lanes; BAR + 1] = {
    let mut table = [[0; LANES]; BAR + 1];
    let mut rear = 0;
    while rear <= BAR {
        let z = 23 - rear as i16;
        let mut i = 0;
        while i <= BAR {
            let index = i as i16;
            if index > z {
                table[rear][i] = (index + 1 - z) * EXPOSED_SCALE as i16;
            } else if index < z {
                table[rear][i] = index + 1;
            }
            i += 1;
        }
        rear += 1;
    }
    table
};

static INDEX: Lanes = {
    let mut table = [0; LANES];
    let mut i = 0;
    while i <= BAR {
        table[i] = i as i16;
        i += 1;
    }
    table
};

const BEYOND_HOME: Lanes = {
    let mut table = [0; LANES];
    let mut i = 6;
    while i <= BAR {
        table[i] = i as i16 - 5;
        i += 1;
    }
    table
};

/// By mean index: 16 times the square of the distance, and 1, for indices beyond the mean.
static BEYOND_MEAN: [Lanes; 32] = {
    let mut table = [[0; LANES]; 32];
    let mut mean = 0;
    while mean < 32 {
        let mut i = mean + 1;
        while i <= BAR {
            let distance = (i - mean) as i16;
            table[mean][i] = 16 * distance * distance + 1;
            i += 1;
        }
        mean += 1;
    }
    table
};

/// By the limit less 11: 16 times the index, and 1, where all checkers are spare.
static TIMING_ALL: [Lanes; 13] = timing_table(true);
/// The same where only checkers beyond two are spare.
static TIMING_SPARE: [Lanes; 13] = timing_table(false);

const fn timing_table(all: bool) -> [Lanes; 13] {
    let mut table = [[0; LANES]; 13];
    let mut beyond = 0;
    while beyond < 13 {
        let mut i = 6;
        while i <= BAR {
            if (i <= beyond + 11 || i == BAR) == all {
                table[beyond][i] = 16 * i as i16 + 1;
            }
            i += 1;
        }
        beyond += 1;
    }
    table
}

/// Weights of made points 7 to 11 pips from the rearmost, by mask; bit 4 is 7 pips away.
static FADING: [u8; 32] = {
    let mut table = [0; 32];
    let mut mask = 0;
    while mask < 32 {
        let mut bit = 0;
        while bit < 5 {
            if mask >> bit & 1 == 1 {
                table[mask] += 13 - (11 - bit);
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

/// GE-29, by "more than one on the bar" and the mask of the adversary's closed home points.
static ENTRY_LOSS: [[u16; 64]; 2] = {
    let mut table = [[0; 64]; 2];
    let mut closed = 0;
    while closed < 64 {
        let mut i = 0;
        while i < 6 {
            if closed >> i & 1 == 1 {
                table[0][closed] += 4 * (i + 1);
                table[1][closed] += 4 * (i + 1);
            }
            let mut j = i + 1;
            while j < 6 {
                match (closed >> i & 1, closed >> j & 1) {
                    (1, 1) => {
                        table[0][closed] += 2 * (i + j + 2);
                        table[1][closed] += 2 * (i + j + 2);
                    }
                    (1, _) => table[1][closed] += 2 * (i + 1),
                    (_, 1) => table[1][closed] += 2 * (j + 1),
                    _ => {}
                }
                j += 1;
            }
            i += 1;
        }
        closed += 1;
    }
    table
};

/// GE-22: three inputs by net (contact, crashed) and number of checkers borne off.
static MEN_OFF: [[[f32; 3]; 16]; 2] = {
    let mut table = [[[0.0; 3]; 16]; 2];
    let mut off = 0;
    while off < 16 {
        let m = off as f32;
        table[0][off] = match off {
            0..=2 => [m / 3.0, 0.0, 0.0],
            3..=5 => [1.0, (m - 3.0) / 3.0, 0.0],
            _ => [1.0, 1.0, (m - 6.0) / 3.0],
        };
        table[1][off] = match off {
            0..=5 => [m / 5.0, 0.0, 0.0],
            6..=10 => [1.0, (m - 5.0) / 5.0, 0.0],
            _ => [1.0, 1.0, (m - 10.0) / 5.0],
        };
        off += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::super::{shots, slow};
    use super::*;
    use crate::nn::{CpuLevel, Kernel};

    const V1_00: InputVariant = InputVariant {
        crashed: false,
        version: Version::V1_00,
    };

    /// The inputs of the first side, then of the second.
    #[derive(Clone, Copy)]
    struct Halves(Side, Side, InputVariant);

    impl Kernel for Halves {
        type Output = [[f32; FEATURES]; 2];

        fn run<I: Integers>(self) -> Self::Output {
            let Halves(me, opponent, kind) = self;
            let (b, o) = (Unpacked::new::<I>(me), Unpacked::new::<I>(opponent));
            let sides = [b, o];
            let [mine, theirs] = shots::both(&sides, kind.version);
            let [b, o] = &sides;
            [half::<I>(b, o, mine, kind), half::<I>(o, b, theirs, kind)]
                .map(|half| *half.first_chunk::<FEATURES>().unwrap())
        }
    }

    struct Push(Position, InputVariant, usize);

    impl Kernel for Push {
        type Output = SparseInput;

        fn run<I: Integers>(self) -> Self::Output {
            let mut sparse = SparseInput::default();
            let other = || Unpacked::new::<I>(self.0.opponent());
            let mut sides = [other(), other()];
            unpack::<I>(&self.0, &mut sides);
            let hits = shots::both(&sides, self.1.version);
            push::<I>(&sides, hits, self.1, self.2, &mut sparse);
            sparse
        }
    }

    /// Sides (opponent, me) of a 20-letter key.
    fn sides(key: &str) -> [Side; 2] {
        let nibbles: Vec<u8> = key.bytes().map(|letter| letter - b'A').collect();
        let bytes = nibbles.chunks(2).map(|pair| pair[0] << 4 | pair[1]);
        let mut bits = bytes.flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        [(); 2].map(|()| {
            let counts: [u8; POINTS] =
                std::array::from_fn(|_| bits.by_ref().take_while(|bit| *bit).count() as u8);
            Side::from_counts(&counts).unwrap()
        })
    }

    fn check(key: &str, version: Version, want: [[f32; FEATURES]; 2]) {
        let [opponent, me] = sides(key);
        let kind = InputVariant {
            crashed: false,
            version,
        };
        let found = CpuLevel::detect().run(Halves(me, opponent, kind));
        for (found, want) in found.as_flattened().iter().zip(want.as_flattened()) {
            assert!((found - want).abs() < 5e-6, "{key}: {found} for {want}");
        }
    }

    #[test]
    fn start_position_has_the_published_inputs() {
        let half = [
            0.0, 0.0, 0.0, 1.0, 0.958333, 0.958333, 0.166667, 0.0, 0.0, 0.0, 0.666667, 0.388889,
            0.151235, 0.388889, 0.151235, 0.620556, 0.105, 0.0, 0.305556, 0.52, 0.939394, 0.0,
            0.25, 0.0, 0.5,
        ];
        check("OAHDPAABDAOAHDPAABDA", Version::V1_00, [half, half]);
        check("OAHDPAABDAOAHDPAABDA", Version::V1_01, [half, half]);
    }

    #[test]
    fn other_positions_have_the_published_inputs() {
        let mut me = [
            0.0, 0.0, 0.0, 0.94012, 0.958333, 0.958333, 0.166667, 0.222222, 0.916667, 0.166667,
            0.527778, 0.472222, 0.222994, 0.472222, 0.222994, 0.396111, 0.2425, 0.0, 0.972222,
            0.57, 0.954545, 0.0, 0.5, 0.0, 0.527778,
        ];
        let opponent = [
            0.0, 0.0, 0.0, 0.60479, 0.916667, 0.5, 2.0, 0.930556, 0.555556, 0.0277778, 0.277778,
            0.722222, 0.521605, 0.722222, 0.521605, 0.238611, 0.2075, 0.0, 0.555556, 0.32,
            0.636364, 0.0, 0.0, 0.0, 0.277778,
        ];
        check("LGNLAEADBAKMOFGAAADM", Version::V1_00, [me, opponent]);
        me[7..10].copy_from_slice(&[0.0787037, 0.0555556, 0.0]);
        check("LGNLAEADBAKMOFGAAADM", Version::V1_01, [me, opponent]);

        let mut me = [
            0.0, 0.0, 0.0, 0.934132, 0.958333, 0.5, 2.0, 0.152778, 0.916667, 0.166667, 0.611111,
            0.388889, 0.151235, 0.388889, 0.151235, 0.488056, 0.1975, 0.0, 0.305556, 0.72,
            0.227273, 0.0, 0.0, 0.0, 0.611111,
        ];
        let opponent = [
            0.0, 0.0, 0.0, 0.97006, 1.0, 0.5, 2.0, 0.787037, 0.472222, 0.111111, 0.666667,
            0.388889, 0.151235, 0.388889, 0.151235, 0.572222, 0.15, 0.142857, 0.555556, 0.93,
            0.227273, 0.0, 0.0, 0.0, 0.5,
        ];
        check("OAPDOAABEIEDMPMBABCI", Version::V1_00, [me, opponent]);
        me[7..10].fill(0.0);
        check("OAPDOAABEIEDMPMBABCI", Version::V1_01, [me, opponent]);
    }

    /// Random boards with contact: heaps, blots, many checkers on the bar or off.
    fn random_sides(seed: &mut u64) -> Option<[Side; 2]> {
        let mut below = |n: usize| {
            *seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (*seed >> 33) as usize % n
        };
        let mut counts = [[0_u8; POINTS]; 2];
        for side in 0..2 {
            let checkers = if below(4) == 0 { below(15) + 1 } else { 15 };
            let (heap, bar) = (below(4) + 1, below(12));
            let mut left = checkers;
            while left > 0 {
                let index = if bar == 0 {
                    BAR - below(2) * below(25)
                } else {
                    below(24)
                };
                let here = (below(heap) + 1).min(left);
                if index == BAR || counts[1 - side][23 - index] == 0 {
                    counts[side][index] += here as u8;
                    left -= here;
                }
            }
        }
        let [a, b] = counts.map(|counts| Side::from_counts(&counts));
        let (a, b) = (a?, b?);
        (a.rearmost()? + b.rearmost()? > 22).then_some([a, b])
    }

    #[test]
    fn fast_inputs_equal_the_slow_ones() {
        let levels = CpuLevel::available();
        let mut seed = 20261121;
        let mut seen = 0;
        while seen < 30_000 {
            let Some([me, opponent]) = random_sides(&mut seed) else {
                continue;
            };
            seen += 1;
            let counts = [me.counts(), opponent.counts()];
            for crashed in [false, true] {
                for version in [Version::V1_00, Version::V1_01] {
                    let kind = InputVariant { crashed, version };
                    let want = [
                        slow::features(&counts[0], &counts[1], crashed, version),
                        slow::features(&counts[1], &counts[0], crashed, version),
                    ];
                    for &level in &levels {
                        let found = level.run(Halves(me, opponent, kind));
                        assert_eq!(found, want, "{me:?} {opponent:?} {kind:?} {level:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn escape_tables_have_the_published_values() {
        let escapes = |mask: usize| ESCAPES[mask];
        assert_eq!(
            [0, 1, 0x3f, 0x20, 0x15, 0x222].map(escapes),
            [36, 35, 0, 30, 21, 23]
        );
        let strict = |mask: usize| STRICT_ESCAPES[mask];
        assert_eq!([0, 1, 0x20, 0x800].map(strict), [0, 35, 20, 0]);
        let sum = |table: &[u8; 4096]| table.iter().map(|&n| u32::from(n)).sum::<u32>();
        assert_eq!([sum(&ESCAPES), sum(&STRICT_ESCAPES)], [52224, 48255]);
        for mask in 0..4096 {
            assert_eq!(i32::from(ESCAPES[mask]), slow::escapes(mask as u32));
            assert_eq!(
                i32::from(STRICT_ESCAPES[mask]),
                slow::strict_escapes(mask as u32)
            );
        }
    }

    #[test]
    fn rows_follow_the_base_inputs() {
        let sparse = CpuLevel::SCALAR.run(Push(Position::start(), V1_00, 200));
        let dense = sparse.to_dense(250);
        assert_eq!(dense[203], 1.0);
        assert_eq!(dense[225..], dense[200..225]);
    }
}
