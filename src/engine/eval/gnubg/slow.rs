//! The inputs of the contact and crashed nets written down as obviously as possible: the reference
//! that the fast ones in `features` and `shots` must equal. Tests only.

use super::weights::Version;
use gammond_game::{BAR, POINTS};

type Counts = [u8; POINTS];

/// Returns the 25 inputs that describe `b`, whose adversary is `o` (rules in `protocol-specs/gnubg-evaluation.md`).
/// `crashed` chooses the kind of the first three.
pub(super) fn features(b: &Counts, o: &Counts, crashed: bool, version: Version) -> [f32; 25] {
    let mut f = [0.0; 25];
    f[..3].copy_from_slice(&men_off(b, o, crashed));
    let rear = rearmost(o);
    let z = 23 - rear;
    let count = |i: i32| i32::from(b[i as usize]);
    let broken: i32 = (z + 1..25).map(|i| (i + 1 - z) * count(i)).sum();
    f[3] = broken as f32 / 167.0;
    f[4] = rearmost(b) as f32 / 24.0;
    let made = |i: i32| count(i) >= 2;
    let anchor = (0..24).rev().find(|&i| made(i)).unwrap_or(-1);
    f[5] = anchor as f32 / 24.0;
    let forward = (18..=anchor)
        .find(|&i| made(i))
        .or_else(|| (12..18).rev().find(|&i| made(i)));
    f[6] = forward.map_or(2.0, |j| (24 - j) as f32 / 6.0);
    f[7..10].copy_from_slice(&shots(b, o, version));
    let ahead = mask(b, rear);
    f[10] = escapes(ahead) as f32 / 36.0;
    let least = |i: std::ops::RangeInclusive<i32>| {
        i.map(|i| escapes(mask(b, i)))
            .fold(36, |least, e| least.min(e))
    };
    f[11] = (36 - least(15..=rear)) as f32 / 36.0;
    f[12] = f[11] * f[11];
    f[13] = (36 - least(15..=23)) as f32 / 36.0;
    f[14] = f[13] * f[13];
    let mobility: i32 = (6..25)
        .map(|i| (i - 5) * count(i) * escapes(mask(o, i)))
        .sum();
    f[15] = mobility as f32 / 3600.0;
    f[16] = moment(b) as f32 / 400.0;
    let (entry_loss, closed) = entry(b, o);
    f[17] = entry_loss as f32 / 294.0;
    f[18] = (36 - (closed - 6) * (closed - 6)) as f32 / 36.0;
    f[19] = timing(b, z) as f32 / 100.0;
    f[20] = backbone(b);
    let anchors = (18..24).filter(|&i| made(i)).count();
    let back: i32 = (18..25).map(count).sum();
    match anchors {
        0 => {}
        1 => f[22] = back as f32 / 8.0,
        _ => f[21] = (back - 3) as f32 / 4.0,
    }
    let free: i32 = (0..z.max(0)).map(|i| (i + 1) * count(i)).sum();
    f[23] = free as f32 / 100.0;
    f[24] = strict_escapes(ahead) as f32 / 36.0;
    f
}

fn rearmost(side: &Counts) -> i32 {
    (0..25).rev().find(|&i| side[i as usize] > 0).unwrap_or(-1)
}

fn men_off(b: &Counts, o: &Counts, crashed: bool) -> [f32; 3] {
    let off = |side: &Counts| 15 - side.iter().map(|&n| i32::from(n)).sum::<i32>();
    if crashed {
        let m = off(b);
        match m {
            ..=5 => [m as f32 / 5.0, 0.0, 0.0],
            6..=10 => [1.0, (m - 5) as f32 / 5.0, 0.0],
            _ => [1.0, 1.0, (m - 10) as f32 / 5.0],
        }
    } else {
        let m = off(o);
        match m {
            ..=2 => [m as f32 / 3.0, 0.0, 0.0],
            3..=5 => [1.0, (m - 3) as f32 / 3.0, 0.0],
            _ => [1.0, 1.0, (m - 6) as f32 / 3.0],
        }
    }
}

/// Returns the points of `x` that lie 1, 2, … 12 pips ahead of an adversary's checker at its index `i`.
fn mask(x: &Counts, i: i32) -> u32 {
    (0..i.min(12))
        .filter(|&k| x[(24 + k - i) as usize] >= 2)
        .map(|k| 1 << k)
        .sum()
}

pub(super) fn escapes(mask: u32) -> i32 {
    rolls_past(mask, 0)
}

pub(super) fn strict_escapes(mask: u32) -> i32 {
    if mask == 0 {
        0
    } else {
        rolls_past(mask, mask.trailing_zeros() + 1)
    }
}

fn rolls_past(mask: u32, beyond: u32) -> i32 {
    let blocked = |pips: u32| mask >> (pips - 1) & 1 == 1;
    let mut rolls = 0;
    for d1 in 1..=6 {
        for d2 in 1..=6 {
            let stuck = blocked(d1) && blocked(d2);
            let open = !(blocked(d1 + d2) || stuck);
            rolls += i32::from(open && d1 + d2 > beyond);
        }
    }
    rolls
}

fn moment(b: &Counts) -> i32 {
    let all = || (0..25).map(|i| (i, i32::from(b[i as usize])));
    let checkers: i32 = all().map(|(_, n)| n).sum();
    let sum: i32 = all().map(|(i, n)| i * n).sum();
    let mean = (sum + checkers - 1) / checkers.max(1);
    let beyond = || all().filter(|&(i, _)| i > mean);
    let j: i32 = beyond().map(|(_, n)| n).sum();
    let k: i32 = beyond().map(|(i, n)| n * (i - mean) * (i - mean)).sum();
    if j > 0 { (k + j - 1) / j } else { k }
}

fn entry(b: &Counts, o: &Counts) -> (i32, i32) {
    let closed = |i: i32| o[i as usize] >= 2;
    let number = (0..6).filter(|&i| closed(i)).count() as i32;
    if b[BAR] == 0 {
        return (0, number);
    }
    let two = b[BAR] > 1;
    let mut loss = 0;
    for i in 0..6 {
        if closed(i) {
            loss += 4 * (i + 1);
            for j in i + 1..6 {
                if closed(j) {
                    loss += 2 * (i + j + 2);
                } else if two {
                    loss += 2 * (i + 1);
                }
            }
        } else if two {
            loss += (i + 1..6)
                .filter(|&j| closed(j))
                .map(|j| 2 * (j + 1))
                .sum::<i32>();
        }
    }
    (loss, number)
}

fn timing(b: &Counts, z: i32) -> i32 {
    let count = |i: i32| i32::from(b[i as usize]);
    let m = z.max(11);
    let mut t = 24 * count(24);
    let mut spare = count(24);
    for i in (m + 1..24).rev() {
        let n = match count(i) {
            0 | 2 => 0,
            1 => 1,
            more => more - 2,
        };
        spare += n;
        t += i * n;
    }
    for i in (6..=m).rev() {
        spare += count(i);
        t += i * count(i);
    }
    for i in (0..6).rev() {
        let n = count(i);
        if n > 2 {
            t += i * (n - 2);
            spare += n - 2;
        } else if n < 2 && spare >= 2 - n {
            t -= i * (2 - n);
            spare -= 2 - n;
        }
    }
    t
}

fn backbone(b: &Counts) -> f32 {
    let made = |i: i32| b[i as usize] >= 2;
    let Some(rear) = (1..24).rev().find(|&i| made(i)) else {
        return 0.0;
    };
    let checkers = i32::from(b[rear as usize]);
    let (mut weights, mut total) = (0, 0);
    for p in (1..rear).filter(|&p| made(p)) {
        let weight = match rear - p {
            ..=6 => 11,
            d @ 7..=11 => 13 - d,
            _ => 0,
        };
        weights += weight * checkers;
        total += checkers;
    }
    if total == 0 {
        0.0
    } else {
        1.0 - weights as f32 / (11 * total) as f32
    }
}

struct Shot {
    distance: i32,
    stones: Vec<i32>,
    needs_all: bool,
}

/// Returns the shots of a roll in their order.
fn shots_of(low: i32, high: i32) -> Vec<Shot> {
    let shot = |distance, stones, needs_all| Shot {
        distance,
        stones,
        needs_all,
    };
    if low == high {
        (1..=4)
            .map(|k| shot(k * low, (1..k).map(|n| n * low).collect(), true))
            .collect()
    } else {
        vec![
            shot(low, vec![], true),
            shot(high, vec![], true),
            shot(low + high, vec![low, high], false),
        ]
    }
}

/// Returns the indices of `b` from which some blot of `o` can be hit by this shot.
fn hitters(b: &Counts, o: &Counts, version: Version, shot: &Shot) -> u32 {
    let at_home = match version {
        Version::V1_00 => 1,
        Version::V1_01 => 2,
    };
    let strength = b[..6].iter().filter(|&&n| n >= at_home).count();
    let last = if strength > 2 { 23 } else { 21 };
    let mut set = 0;
    for i in (0..=last).filter(|&i| o[i as usize] == 1) {
        for j in 24 - i..=24 {
            let n = b[j as usize];
            if n == 0 || (j <= 5 && n == 2) || j - 23 + i != shot.distance {
                continue;
            }
            let blocked = |q: &i32| o[(i - q) as usize] >= 2;
            let killed = if shot.needs_all {
                shot.stones.iter().any(blocked)
            } else {
                shot.stones.iter().all(blocked)
            };
            if !killed {
                set |= 1 << j;
            }
        }
    }
    set
}

/// Returns the pip loss, chance of a hit, chance of a double hit.
fn shots(b: &Counts, o: &Counts, version: Version) -> [f32; 3] {
    let mut sums = [0; 3];
    for high in 1..=6 {
        for low in 1..=high {
            let shots: Vec<(Shot, u32)> = shots_of(low, high)
                .into_iter()
                .map(|shot| {
                    let set = hitters(b, o, version, &shot);
                    (shot, set)
                })
                .collect();
            let (hits, pips) = match b[BAR] {
                0 => free_hits(b, o, &shots, low == high),
                1 => hits_with_one_on_bar(o, &shots),
                _ => hits_with_more_on_bar(&shots),
            };
            let weight = if low == high { 1 } else { 2 };
            sums[0] += weight * pips;
            sums[1] += weight * i32::from(hits > 0);
            sums[2] += weight * i32::from(hits > 1);
        }
    }
    [
        sums[0] as f32 / 432.0,
        sums[1] as f32 / 36.0,
        sums[2] as f32 / 36.0,
    ]
}

fn highest(set: u32) -> i32 {
    31 - set.leading_zeros() as i32
}

fn blot(o: &Counts, index: i32) -> bool {
    usize::try_from(index).is_ok_and(|index| o.get(index) == Some(&1))
}

fn free_hits(b: &Counts, o: &Counts, shots: &[(Shot, u32)], double: bool) -> (i32, i32) {
    let (mut hits, mut pips, mut last) = (0, 0, None);
    for (shot, set) in shots.iter().filter(|(_, set)| *set != 0) {
        let k = highest(*set);
        pips = pips.max(k - shot.distance + 1);
        if shot.stones.is_empty() {
            if last != Some(k) || b[k as usize] > 1 {
                hits += 1;
            }
            last = Some(k);
            if double && *set != 1 << k {
                hits += 1;
            }
        } else {
            hits = hits.max(1);
            if shot.stones.iter().any(|q| blot(o, 23 - k + q)) {
                hits += 1;
            }
        }
    }
    (hits, pips)
}

fn hits_with_one_on_bar(o: &Counts, shots: &[(Shot, u32)]) -> (i32, i32) {
    let (mut hits, mut pips, mut used) = (0, 0, false);
    for (place, (shot, set)) in shots.iter().enumerate() {
        if shot.stones.is_empty() {
            for k in (0..25).rev().filter(|k| set >> k & 1 == 1) {
                if k != 24 {
                    let other = shots[1 - place].0.distance;
                    if used || o[other as usize - 1] >= 2 {
                        break;
                    }
                    used = true;
                }
                hits += 1;
                pips = pips.max(k - shot.distance + 1);
            }
        } else if set >> BAR & 1 == 1 {
            hits = hits.max(1);
            pips = pips.max(25 - shot.distance);
            if shot.stones.iter().any(|q| blot(o, q + 1)) {
                hits += 1;
            }
        }
    }
    (hits, pips)
}

fn hits_with_more_on_bar(shots: &[(Shot, u32)]) -> (i32, i32) {
    let (mut hits, mut pips) = (0, 0);
    for (shot, set) in shots.iter().take(2) {
        if shot.stones.is_empty() && set >> BAR & 1 == 1 {
            hits += 1;
            pips = pips.max(25 - shot.distance);
        }
    }
    (hits, pips)
}
