//! Memory of answers that their peers have not read: one account for each connection, one ledger for all.
//!
//! Every byte of an answer is charged when it exists and released when it has been written to the socket, or dropped. Nothing
//! more is computed for a connection whose account is full (SRV-09). Above the ledger's limit no connection gets a second
//! answer before it has read the first, and large answers become `busy`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Size in bytes above which an answer needs room in the ledger.
const LARGE_BYTES: usize = 16 << 10;

/// The memory of all answers of a server.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    used: AtomicUsize,
    limit: usize,
}

impl MemoryBudget {
    pub(crate) fn new(limit: usize) -> Arc<MemoryBudget> {
        Arc::new(MemoryBudget {
            used: AtomicUsize::new(0),
            limit,
        })
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns true if an answer of this size may be held until its peer reads it.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.fits(self.used(), bytes)
    }
}

impl MemoryBudget {
    /// Reserves memory that no connection's own limit counts; `None` if there is no room.
    pub(crate) fn reserve(self: &Arc<MemoryBudget>, bytes: usize) -> Option<Reserved> {
        let room = |used: usize| Some(used + bytes).filter(|_| self.fits(used, bytes));
        let reserved = (self.used).fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
        reserved.ok().map(|_| Reserved {
            memory_budget: Arc::clone(self),
            bytes,
        })
    }

    fn fits(&self, used: usize, bytes: usize) -> bool {
        bytes <= LARGE_BYTES || used + bytes <= self.limit
    }
}

/// Reserved memory, released when dropped.
#[derive(Debug)]
pub(crate) struct Reserved {
    memory_budget: Arc<MemoryBudget>,
    bytes: usize,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.memory_budget
            .used
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The memory of the answers of one connection.
#[derive(Debug)]
pub struct ConnectionBudget {
    held: AtomicUsize,
    limit: usize,
    memory_budget: Arc<MemoryBudget>,
    /// Part of `held` that cannot be sent yet because an earlier answer is still being computed.
    behind: AtomicUsize,
    /// Number of the job whose answers are sent next.
    front: AtomicU64,
    /// True if queued work waits for room in this account; the smallest number of such jobs follows.
    parked: AtomicBool,
    parked_job: AtomicU64,
}

impl ConnectionBudget {
    pub(crate) fn new(memory_budget: Arc<MemoryBudget>, limit: usize) -> Arc<ConnectionBudget> {
        Arc::new(ConnectionBudget {
            held: AtomicUsize::new(0),
            limit,
            memory_budget,
            behind: AtomicUsize::new(0),
            front: AtomicU64::new(0),
            parked: AtomicBool::new(false),
            parked_job: AtomicU64::new(u64::MAX),
        })
    }

    /// Returns true if one more answer may be held.
    pub(crate) fn has_room(&self) -> bool {
        self.fits(self.held.load(Ordering::SeqCst))
    }

    /// Returns true if one more answer of this job may be computed. Answers that are sent next do not wait for later ones.
    pub(crate) fn has_room_for(&self, job: u64) -> bool {
        let held = self.held.load(Ordering::SeqCst);
        let behind = if job <= self.front.load(Ordering::SeqCst) {
            self.behind.load(Ordering::SeqCst)
        } else {
            0
        };
        self.fits(held.saturating_sub(behind))
    }

    fn fits(&self, held: usize) -> bool {
        held == 0 || (held < self.limit && self.memory_budget.used() < self.memory_budget.limit)
    }

    /// Marks the job `front` as the one whose answers are sent next; `bytes` of them were held behind another.
    pub(crate) fn go_on(&self, front: u64, bytes: usize) {
        self.behind.fetch_sub(bytes, Ordering::SeqCst);
        self.front.store(front, Ordering::SeqCst);
    }

    /// Adds bytes that wait behind an unfinished answer.
    pub(crate) fn hold_behind(&self, bytes: usize) {
        self.behind.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Records that this job waits for room. Returns false if there is room by now.
    pub(crate) fn park(&self, job: u64) -> bool {
        self.parked_job.fetch_min(job, Ordering::SeqCst);
        self.parked.store(true, Ordering::SeqCst);
        !self.has_room_for(job)
    }

    /// Returns true if jobs waited for room and there is room for the first of them now.
    pub(crate) fn unpark(&self) -> bool {
        let parked = self.parked.load(Ordering::SeqCst)
            && self.has_room_for(self.parked_job.load(Ordering::SeqCst))
            && self.parked.swap(false, Ordering::SeqCst);
        if parked {
            self.parked_job.store(u64::MAX, Ordering::SeqCst);
        }
        parked
    }

    pub(crate) fn memory_budget(&self) -> &Arc<MemoryBudget> {
        &self.memory_budget
    }

    /// Charges bytes of answers until the charge is dropped.
    pub fn charge(self: &Arc<ConnectionBudget>, bytes: usize) -> Reservation {
        self.held.fetch_add(bytes, Ordering::SeqCst);
        self.memory_budget.used.fetch_add(bytes, Ordering::Relaxed);
        Reservation {
            connection_budget: Arc::clone(self),
            bytes,
        }
    }
}

/// Charged bytes, released when dropped.
#[derive(Debug)]
pub struct Reservation {
    connection_budget: Arc<ConnectionBudget>,
    bytes: usize,
}

impl Reservation {
    /// Takes over the bytes of another charge of the same account.
    pub(crate) fn absorb(&mut self, mut other: Reservation) {
        debug_assert!(
            Arc::ptr_eq(&self.connection_budget, &other.connection_budget),
            "one account"
        );
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Releases some of the bytes.
    pub(crate) fn release(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.connection_budget
            .held
            .fetch_sub(bytes, Ordering::SeqCst);
        self.connection_budget
            .memory_budget
            .used
            .fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_are_released() {
        let memory_budget = MemoryBudget::new(100_000);
        let connection_budget = ConnectionBudget::new(Arc::clone(&memory_budget), 1000);
        let mut reservation = connection_budget.charge(600);
        assert!(connection_budget.has_room());
        reservation.absorb(connection_budget.charge(600));
        assert!(!connection_budget.has_room() && memory_budget.used() == 1200);
        assert!(connection_budget.park(0) && !connection_budget.unpark());
        reservation.release(400);
        assert!(connection_budget.unpark() && !connection_budget.unpark());
        assert!(!connection_budget.park(0), "there is room");
        drop(reservation);
        assert_eq!(memory_budget.used(), 0);
    }

    /// An answer that must be sent first is computed even if later ones fill the account.
    #[test]
    fn first_answer_does_not_wait_for_later_ones() {
        let connection_budget = ConnectionBudget::new(MemoryBudget::new(100), 10);
        let _second = connection_budget.charge(1000);
        connection_budget.hold_behind(1000);
        assert!(
            connection_budget.has_room_for(0)
                && !connection_budget.has_room_for(1)
                && !connection_budget.has_room()
        );
        let first = connection_budget.charge(10);
        assert!(
            connection_budget.park(0) && !connection_budget.unpark(),
            "nobody takes it"
        );
        drop(first);
        assert!(connection_budget.unpark());
        connection_budget.go_on(1, 1000);
        assert!(!connection_budget.has_room_for(1));
    }

    /// above the ledger's limit, connections that have read all their answers are still served, with small answers.
    #[test]
    fn full_budget_serves_clients_that_read_their_answers() {
        let memory_budget = MemoryBudget::new(100_000);
        let deaf = ConnectionBudget::new(Arc::clone(&memory_budget), 1 << 20);
        let other = ConnectionBudget::new(Arc::clone(&memory_budget), 1 << 20);
        let held = deaf.charge(100_000);
        assert!(!deaf.has_room() && other.has_room());
        assert!(memory_budget.has_room(LARGE_BYTES) && !memory_budget.has_room(LARGE_BYTES + 1));
        drop(held);
        assert!(memory_budget.has_room(LARGE_BYTES + 1) && deaf.has_room());
        let reserved = memory_budget.reserve(80_000).unwrap();
        assert!(memory_budget.reserve(30_000).is_none() && memory_budget.reserve(20_000).is_some());
        drop(reserved);
        assert_eq!(memory_budget.used(), 0);
    }
}
