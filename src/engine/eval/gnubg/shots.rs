//! Chances of being hit (GE-35): three of the contact inputs, counted over the 21 rolls.
//!
//! A *shot* belongs to a roll; it has a distance and stepping stones. For every shot this keeps the
//! set of places from which one of the adversary's blots can be hit by it, then counts hits roll by
//! roll. The rules have their oddities (see `protocol-specs/gnubg-evaluation.md`); the nets were
//! trained with them.

use super::features::Unpacked;
use super::weights::Version;
use gammond_game::BAR;

/// Lanes of a row.
const ROW: usize = 8;
/// Shots: two rows of one die, by die and counting round from six to one; three rows of two dice, three of doubles
/// with two to four dice. Unused lanes never hit.
const SHOTS: usize = 8 * ROW;
const PAIRS: usize = 2 * ROW;
const DOUBLES: usize = 5 * ROW;

/// Returns the lane of the shot with both dice of a roll. Row `r` of the pairs (from 1) holds in lane `l` the die
/// `l + 1` and the one that comes `r` later, counting round.
const fn pair_lane(low: usize, high: usize) -> usize {
    let (apart, first) = match high - low {
        apart @ 1..=3 => (apart, low),
        apart => (6 - apart, high),
    };
    PAIRS + (apart - 1) * ROW + first - 1
}

/// Returns the lane of a double's shot with two dice; those with three and four are a row further each.
const fn double_lane(die: usize) -> usize {
    DOUBLES + die - 1
}

/// The shots, by lane.
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
    let mut lane = 0;
    while lane < PAIRS {
        shots.distance[lane] = lane as u32 % 6 + 1;
        lane += 1;
    }
    let mut high = 1;
    while high <= 6 {
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
            let lane = double_lane(high) + (dice - 2) * ROW;
            shots.distance[lane] = (high * dice) as u32;
            shots.stones[lane] = stones;
            shots.needed[lane] = stones;
            dice += 1;
        }
        high += 1;
    }
    shots
};

/// For each shot the points it can come from.
struct Hitters {
    set: [u32; SHOTS],
    /// The highest of the set, 0 when it is empty.
    highest: [u32; SHOTS],
}

/// Counts as [`count`] for each side, the player on roll first.
#[inline(always)]
pub(super) fn both([me, opponent]: &[Unpacked; 2], version: Version) -> [[i32; 3]; 2] {
    [count(me, opponent, version), count(opponent, me, version)]
}

/// Sums over the 36 rolls: pips lost at most, rolls that hit, rolls that hit twice.
#[inline(always)]
fn count(b: &Unpacked, o: &Unpacked, version: Version) -> [i32; 3] {
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

/// Finds all hitters; `None` when nothing can be hit.
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

/// Returns the points 0..=23 seen by the other side.
#[inline(always)]
fn mirrored(points: u32) -> u32 {
    points.reverse_bits() >> 8
}

/// Returns the home points 0..=5 with exactly two checkers; `packed` holds four bits a point.
#[inline(always)]
fn exactly_two_at_home(packed: u32) -> u32 {
    let other = packed ^ 0x22_2222;
    let two = !(other | other >> 1 | other >> 2 | other >> 3) & 0x11_1111;
    let two = (two | two >> 3) & 0x03_0303;
    (two | two >> 6 | two >> 12) & 0x3f
}

/// Rolls counted together: three rows of pairs, a row of doubles.
const ROLLS: usize = 4 * ROW;
/// Weight of each roll: six pairs in the rows one and two apart, three in the row three apart.
const WEIGHTS: [u32; ROLLS] = [
    2, 2, 2, 2, 2, 2, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0,
];
/// Sums of pips stay below 1024, sums of rolls below 64.
const HIT: u32 = 1 << 10;
const TWICE: u32 = 1 << 16;

/// Counts the shots with no checker on the bar.
#[inline(always)]
fn free(hitters: &Hitters, b: &Unpacked, o: &Unpacked) -> [i32; 3] {
    let shots = &ALL_SHOTS;
    let blots = o.occupied & !o.made;
    // By shot: pips lost by the hit, 0 when there is none; whether a stone hits another blot.
    let mut pips = [0; SHOTS];
    let mut twice = [0; SHOTS];
    for lane in 0..SHOTS {
        let from = hitters.highest[lane];
        let hit = u32::from(from != 0);
        pips[lane] = (from + 1).wrapping_sub(shots.distance[lane]) & hit.wrapping_neg();
        let on_the_way = blots >> (23_u32.wrapping_sub(from) & 31) & shots.stones[lane];
        twice[lane] = hit & u32::from(on_the_way != 0);
    }
    // By roll: pips by each die, places they hit from, pips by both dice, a hit on the way.
    let mut rolls = [[0; ROLLS]; 6];
    let [first, second, from, other, both, way] = &mut rolls;
    for row in 0..3 {
        let at = row * ROW..(row + 1) * ROW;
        let turned = row + 1..row + 1 + ROW;
        let pair = PAIRS + row * ROW..PAIRS + (row + 1) * ROW;
        first[at.clone()].copy_from_slice(&pips[..ROW]);
        second[at.clone()].copy_from_slice(&pips[turned.clone()]);
        from[at.clone()].copy_from_slice(&hitters.highest[..ROW]);
        other[at.clone()].copy_from_slice(&hitters.highest[turned]);
        both[at.clone()].copy_from_slice(&pips[pair.clone()]);
        way[at].copy_from_slice(&twice[pair]);
    }
    for lane in 0..ROW {
        let [two, three, four] = [0, 1, 2].map(|row| DOUBLES + row * ROW + lane);
        let set = hitters.set[lane];
        let several = (set & set.wrapping_sub(1)).min(1);
        // In place of the second die nothing, so that the dice never count as two hits.
        first[3 * ROW + lane] = pips[lane].max(pips[two]).max(pips[three]).max(pips[four]);
        way[3 * ROW + lane] = several | twice[two] | twice[three] | twice[four];
    }
    let mut sum = 0;
    for lane in 0..ROLLS {
        let most = first[lane].max(second[lane]).max(both[lane]);
        // With one die each: two hitters, or two checkers on the same point.
        let apart = (from[lane] ^ other[lane]).min(1) | b.made >> (from[lane] & 31) & 1;
        let each = first[lane].min(1) & second[lane].min(1) & apart;
        let roll = most + HIT * most.min(1) + TWICE * (each | way[lane]);
        sum += WEIGHTS[lane] * roll;
    }
    [sum % HIT, sum / HIT % 64, sum / TWICE].map(|sum| sum as i32)
}

/// Visits the 21 rolls as weight, lower die, higher die and the lanes of their shots in order.
#[inline(always)]
fn each_roll(mut visit: impl FnMut(i32, [usize; 2], &[usize])) {
    for high in 1..=6 {
        for low in 1..high {
            let shots = [low - 1, high - 1, pair_lane(low, high)];
            visit(2, [low, high], &shots);
        }
        let double = double_lane(high);
        visit(
            1,
            [high; 2],
            &[high - 1, double, double + ROW, double + 2 * ROW],
        );
    }
}

#[inline(always)]
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
