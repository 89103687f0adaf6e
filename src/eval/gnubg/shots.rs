//! Chances of being hit: three of the contact inputs, counted over the 21 rolls.
//!
//! A *shot* belongs to a roll; it has a distance and stepping stones. For every shot this keeps the
//! set of places from which one of the adversary's blots can be hit by it, then counts hits roll by
//! roll. The rules have their oddities (see `protocol-specs/gnubg-evaluation.md`); the nets were
//! trained with them.

use super::features::Unpacked;
use crate::game::BAR;
use crate::nn::format::gnubg::Version;

/// Six shots of one die, fifteen of two, eighteen of doubles with two to four dice; one lane of
/// padding that never hits.
const SHOTS: usize = 40;
const PAIRS: usize = 6;
const DOUBLES: usize = 21;

/// The lanes of a shot of one die, of a roll's two dice, and of a double with two dice.
const fn pair_lane(low: usize, high: usize) -> usize {
    PAIRS + (high - 1) * (high - 2) / 2 + (low - 1)
}
const fn double_lane(die: usize) -> usize {
    DOUBLES + 3 * (die - 1)
}

/// What the shots are, by lane.
struct Shots {
    distance: [u32; SHOTS],
    /// All stepping stones: bit q is q pips from the hitter.
    stones: [u32; SHOTS],
    /// Stones of which a blocked one kills the shot.
    needed: [u32; SHOTS],
    /// Stones that kill the shot when all are blocked; an impossible one where that rule is not in
    /// force.
    either: [u32; SHOTS],
}

static ALL_SHOTS: Shots = {
    let mut shots = Shots {
        distance: [31; SHOTS],
        stones: [0; SHOTS],
        needed: [0; SHOTS],
        either: [1 << 31; SHOTS],
    };
    let mut high = 1;
    while high <= 6 {
        shots.distance[high - 1] = high as u32;
        let mut low = 1;
        while low < high {
            let lane = pair_lane(low, high);
            shots.distance[lane] = (low + high) as u32;
            shots.stones[lane] = 1 << low | 1 << high;
            shots.either[lane] = shots.stones[lane];
            low += 1;
        }
        let mut stones = 0;
        let mut dice = 2;
        while dice <= 4 {
            stones |= 1 << (high * (dice - 1));
            let lane = double_lane(high) + dice - 2;
            shots.distance[lane] = (high * dice) as u32;
            shots.stones[lane] = stones;
            shots.needed[lane] = stones;
            dice += 1;
        }
        high += 1;
    }
    shots
};

/// For each shot the places it can come from.
struct Hitters {
    set: [u32; SHOTS],
    /// The highest of the set, 0 when it is empty.
    highest: [u32; SHOTS],
}

/// Sums over the 36 rolls: pips lost at most, rolls that hit, rolls that hit twice.
#[inline(always)]
pub(super) fn count(b: &Unpacked, o: &Unpacked, version: Version) -> [i32; 3] {
    let hitters = match find(b, o, version) {
        Some(hitters) => hitters,
        None => return [0; 3],
    };
    match b.side.count(BAR) {
        0 => free(&hitters, b, o),
        1 => one_on_bar(&hitters, o),
        _ => more_on_bar(&hitters),
    }
}

/// All hitters; `None` when nothing can be hit.
#[inline(always)]
fn find(b: &Unpacked, o: &Unpacked, version: Version) -> Option<Hitters> {
    let at_home = match version {
        Version::V1_00 => b.occupied,
        Version::V1_01 => b.made,
    };
    let strong = (at_home & 0x3f).count_ones() > 2;
    let reach = if strong { 0xff_ffff } else { 0x3f_ffff };
    // On this side's scale: bit p for the adversary's index 23 - p.
    let mut blots = mirrored(o.occupied & !o.made & reach);
    let walls = mirrored(o.made);
    let hitting = b.occupied & !exactly_two_at_home(b.side.packed() as u32);
    // Only blots with a hitter behind them.
    let rear = 31 - (hitting | 1).leading_zeros();
    blots &= (1 << rear) - 1;
    if blots == 0 {
        return None;
    }
    let mut hitters = Hitters {
        set: [0; SHOTS],
        highest: [0; SHOTS],
    };
    while blots != 0 {
        let blot = blots.trailing_zeros();
        blots &= blots - 1;
        add_blot(blot, hitting, walls, &mut hitters);
    }
    Some(hitters)
}

/// Adds the hitters of one blot at point `blot` of this side.
#[inline(always)]
fn add_blot(blot: u32, hitting: u32, walls: u32, hitters: &mut Hitters) {
    let behind = hitting >> blot;
    let walls = walls >> blot;
    let shots = &ALL_SHOTS;
    for lane in 0..SHOTS {
        let distance = shots.distance[lane];
        let open =
            (walls & shots.needed[lane] == 0) & (walls & shots.either[lane] != shots.either[lane]);
        let there = behind >> distance & u32::from(open);
        let place = (blot + distance) & 31;
        hitters.set[lane] |= there << place;
        let place = place & there.wrapping_neg();
        hitters.highest[lane] = hitters.highest[lane].max(place);
    }
}

/// Points 0..=23 seen by the other side.
#[inline(always)]
fn mirrored(points: u32) -> u32 {
    points.reverse_bits() >> 8
}

/// Home points 0..=5 with exactly two checkers; `packed` holds four bits a point.
#[inline(always)]
fn exactly_two_at_home(packed: u32) -> u32 {
    let other = packed ^ 0x22_2222;
    let two = !(other | other >> 1 | other >> 2 | other >> 3) & 0x11_1111;
    let two = (two | two >> 3) & 0x03_0303;
    (two | two >> 6 | two >> 12) & 0x3f
}

/// Nobody on the bar.
#[inline(always)]
fn free(hitters: &Hitters, b: &Unpacked, o: &Unpacked) -> [i32; 3] {
    let shots = &ALL_SHOTS;
    let blots = o.occupied & !o.made;
    let highest = &hitters.highest;
    // By shot: pips lost by the hit, 0 when there is none; whether a stone hits another blot.
    let mut pips = [0; SHOTS];
    let mut twice = [0; SHOTS];
    for lane in 0..SHOTS {
        let from = highest[lane];
        let hit = u32::from(from != 0);
        pips[lane] = (from + 1).wrapping_sub(shots.distance[lane]) & hit.wrapping_neg();
        let on_the_way = blots >> (23_u32.wrapping_sub(from) & 31) & shots.stones[lane];
        twice[lane] = hit & u32::from(on_the_way != 0);
    }
    let mut sums = [0; 3];
    let mut add = |weight: u32, pips: u32, twice: u32| {
        sums[0] += weight * pips;
        sums[1] += weight * u32::from(pips != 0);
        sums[2] += weight * twice;
    };
    for high in 0..6 {
        let several = hitters.set[high] & hitters.set[high].wrapping_sub(1) != 0;
        let double = double_lane(high + 1);
        let most = pips[double].max(pips[double + 1]).max(pips[double + 2]);
        let on_the_way = twice[double] | twice[double + 1] | twice[double + 2];
        add(1, pips[high].max(most), u32::from(several) | on_the_way);
        for low in 0..high {
            let pair = pair_lane(low + 1, high + 1);
            let most = pips[low].max(pips[high]).max(pips[pair]);
            let both = (pips[low] != 0) & (pips[high] != 0);
            // With one die each: two hitters, or two checkers on the same point.
            let stacked = b.made >> highest[high] & 1 == 1;
            let apart = both & ((highest[low] != highest[high]) | stacked);
            add(2, most, u32::from(apart) | twice[pair]);
        }
    }
    sums.map(|sum| sum as i32)
}

/// The 21 rolls as weight, lower die, higher die and the lanes of their shots in order.
#[inline(always)]
fn each_roll(mut visit: impl FnMut(i32, [usize; 2], &[usize])) {
    for high in 1..=6 {
        for low in 1..high {
            let shots = [low - 1, high - 1, pair_lane(low, high)];
            visit(2, [low, high], &shots);
        }
        let double = double_lane(high);
        visit(1, [high; 2], &[high - 1, double, double + 1, double + 2]);
    }
}

fn one_on_bar(hitters: &Hitters, o: &Unpacked) -> [i32; 3] {
    let distance = &ALL_SHOTS.distance;
    let from_bar = |lane: usize| hitters.set[lane] >> BAR & 1 == 1;
    let blots = o.occupied & !o.made;
    let mut sums = [0; 3];
    each_roll(|weight, _, shots| {
        let (mut hits, mut pips, mut used) = (0, 0, false);
        for (place, &lane) in shots.iter().enumerate() {
            let reached = distance[lane] as i32;
            if lane < PAIRS {
                // The other die enters the checker; a double's is the second step of two.
                let enters = distance[shots[1 - place]];
                let mut left = hitters.set[lane];
                while left != 0 {
                    let from = 31 - left.leading_zeros();
                    left ^= 1 << from;
                    if from != BAR as u32 {
                        if used || o.made >> (enters - 1) & 1 == 1 {
                            break;
                        }
                        used = true;
                    }
                    hits += 1;
                    pips = pips.max(from as i32 + 1 - reached);
                }
            } else if from_bar(lane) {
                hits = hits.max(1);
                pips = pips.max(25 - reached);
                hits += i32::from(blots & ALL_SHOTS.stones[lane] << 1 & 0x1ff_ffff != 0);
            }
        }
        sums[0] += weight * pips;
        sums[1] += weight * i32::from(hits > 0);
        sums[2] += weight * i32::from(hits > 1);
    });
    sums
}

fn more_on_bar(hitters: &Hitters) -> [i32; 3] {
    let mut sums = [0; 3];
    each_roll(|weight, dice, _| {
        let dice = if dice[0] == dice[1] {
            &dice[..1]
        } else {
            &dice
        };
        let (mut hits, mut pips) = (0, 0);
        for &die in dice {
            if hitters.set[die - 1] >> BAR & 1 == 1 {
                hits += 1;
                pips = pips.max(25 - die as i32);
            }
        }
        sums[0] += weight * pips;
        sums[1] += weight * i32::from(hits > 0);
        sums[2] += weight * i32::from(hits > 1);
    });
    sums
}
