//! Static evaluations by position, shared by all threads, of a fixed size.
//!
//! No thread ever waits: the version of an entry is odd while a thread writes it. A reader that sees an odd version,
//! or a change between two reads, continues without the cache. An entry holds the whole position, so a hit returns
//! the stored value: the cache can never change an answer.

use gammond_game::{Chances, Position, Side};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// A hash table with one entry per place; a new position replaces the old one.
pub struct Cache {
    entries: Box<[Entry]>,
    mask: u64,
    /// Stored with each position: entries of another generation are not found.
    generation: AtomicU64,
}

/// One cache line of most processors.
#[repr(align(64))]
#[derive(Default)]
struct Entry {
    version: AtomicU32,
    chances: [AtomicU32; 5],
    position: [AtomicU64; 4],
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cache {{ entries: {} }}", self.entries.len())
    }
}

impl Cache {
    /// Creates a cache of about `megabytes` MB (at least one entry, at most 64 GB).
    #[must_use]
    pub fn new(megabytes: usize) -> Cache {
        let wanted = (megabytes.min(1 << 16) << 20) / size_of::<Entry>();
        let entries = if wanted.is_power_of_two() || wanted == 0 {
            wanted.max(1)
        } else {
            wanted.next_power_of_two() / 2
        };
        Cache {
            entries: (0..entries).map(|_| Entry::default()).collect(),
            mask: entries as u64 - 1,
            generation: AtomicU64::new(0),
        }
    }

    /// Returns the number of positions it can hold.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.entries.len()
    }

    /// Clears the cache in constant time.
    pub fn clear(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the position's words, with the generation in bits that no position uses.
    #[inline]
    fn key(&self, position: &Position) -> [u64; 4] {
        let [a, b, c, d] = words(position);
        [a, b | self.generation.load(Ordering::Relaxed) << 40, c, d]
    }

    fn entry(&self, words: [u64; 4]) -> &Entry {
        &self.entries[(hash(words) & self.mask) as usize]
    }

    /// Fetches the places of some positions early. A place is mostly far away in memory, and reading one after the
    /// other would wait for each; here nothing depends on the contents, so the processor waits for many at once. The
    /// result means nothing.
    #[inline]
    pub fn touch(&self, positions: &[Position]) -> u32 {
        let versions = positions.iter().map(|position| {
            let entry = self.entry(self.key(position));
            entry.version.load(Ordering::Relaxed)
        });
        versions.fold(0, u32::wrapping_add)
    }

    /// Returns the chances stored for a position.
    #[inline]
    #[must_use]
    pub fn get(&self, position: &Position) -> Option<Chances> {
        let words = self.key(position);
        let entry = self.entry(words);
        let version = entry.version.load(Ordering::Acquire);
        if version % 2 == 1 {
            return None;
        }
        for (stored, word) in entry.position.iter().zip(words) {
            if stored.load(Ordering::Relaxed) != word {
                return None;
            }
        }
        let bits: [u32; 5] =
            std::array::from_fn(|index| entry.chances[index].load(Ordering::Relaxed));
        // The second read of the version must follow the numbers, otherwise a write between them would go unseen.
        fence(Ordering::Acquire);
        let unchanged = entry.version.load(Ordering::Relaxed) == version;
        unchanged.then(|| Chances::from_array(bits.map(f32::from_bits)))
    }

    /// Stores the chances of a position, unless another thread is writing the same entry.
    #[inline]
    pub fn put(&self, position: &Position, chances: Chances) {
        let words = self.key(position);
        let entry = self.entry(words);
        let version = entry.version.load(Ordering::Relaxed);
        let free = version.is_multiple_of(2)
            && entry
                .version
                .compare_exchange(
                    version,
                    version.wrapping_add(1),
                    Ordering::Acquire,
                    Ordering::Relaxed,
                )
                .is_ok();
        if !free {
            return;
        }
        // The odd version must be visible before the first number changes, otherwise a reader could mix two entries.
        fence(Ordering::Release);
        for (stored, word) in entry.position.iter().zip(words) {
            stored.store(word, Ordering::Relaxed);
        }
        for (stored, value) in entry.chances.iter().zip(chances.to_array()) {
            stored.store(value.to_bits(), Ordering::Relaxed);
        }
        entry
            .version
            .store(version.wrapping_add(2), Ordering::Release);
    }
}

/// Returns a position as four words; never all zero, as a side has fifteen checkers somewhere.
#[inline]
fn words(position: &Position) -> [u64; 4] {
    let halves = |side: Side| [side.packed() as u64, (side.packed() >> 64) as u64];
    let [a, b] = halves(position.me());
    let [c, d] = halves(position.opponent());
    [a, b, c, d]
}

/// Mixes all bits of the words.
#[inline]
pub(super) fn hash([a, b, c, d]: [u64; 4]) -> u64 {
    let fold = |x: u64, y: u64| {
        let product = u128::from(x) * u128::from(y);
        (product as u64) ^ (product >> 64) as u64
    };
    let left = fold(a ^ 0x9e37_79b9_7f4a_7c15, b ^ 0xe703_7ed1_a0b4_28db);
    let right = fold(c ^ 0x8ebc_6af0_9c88_c6e3, d ^ 0x5899_65cc_7537_4cc3);
    fold(left ^ 0x1d8e_4e27_c47d_124f, right ^ 0xeb44_acca_b455_d165)
}

/// Returns the hash of a position.
#[inline]
pub(super) fn hash_of(position: &Position) -> u64 {
    hash(words(position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::{Roll, legal_plays};

    #[test]
    fn cache_returns_stored_values() {
        let cache = Cache::new(1);
        assert_eq!(cache.capacity(), 16384);
        let plays: Vec<_> = Roll::ALL
            .iter()
            .flat_map(|&roll| legal_plays(&Position::start(), roll))
            .collect();
        for (index, play) in plays.iter().enumerate() {
            assert_eq!(Cache::new(0).get(&play.after), None);
            let chances = Chances {
                win: index as f32,
                ..Chances::default()
            };
            cache.put(&play.after, chances);
            assert_eq!(cache.get(&play.after), Some(chances));
        }
        cache.clear();
        assert_eq!(cache.get(&plays[0].after), None);
    }

    #[test]
    fn threads_see_whole_entries() {
        let cache = Cache::new(0);
        let plays = legal_plays(&Position::start(), Roll::of(6, 5));
        std::thread::scope(|scope| {
            for start in 0..4 {
                let (cache, plays) = (&cache, &plays);
                scope.spawn(move || {
                    for round in 0..20_000 {
                        let index = (start + round) % plays.len();
                        let chances = Chances::from_array([index as f32; 5]);
                        cache.put(&plays[index].after, chances);
                        for (index, play) in plays.iter().enumerate() {
                            if let Some(found) = cache.get(&play.after) {
                                assert_eq!(found.to_array(), [index as f32; 5]);
                            }
                        }
                    }
                });
            }
        });
    }
}
