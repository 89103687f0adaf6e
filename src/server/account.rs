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
pub(super) struct Ledger {
    used: AtomicUsize,
    limit: usize,
}

impl Ledger {
    pub(super) fn new(limit: usize) -> Arc<Ledger> {
        Arc::new(Ledger {
            used: AtomicUsize::new(0),
            limit,
        })
    }

    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns true if an answer of this size may be held until its peer reads it.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.fits(self.used(), bytes)
    }
}

impl Ledger {
    /// Reserves memory that no connection's own limit counts; `None` if there is no room.
    pub(super) fn reserve(self: &Arc<Ledger>, bytes: usize) -> Option<Reserved> {
        let room = |used: usize| Some(used + bytes).filter(|_| self.fits(used, bytes));
        let reserved = (self.used).fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
        reserved.ok().map(|_| Reserved {
            ledger: Arc::clone(self),
            bytes,
        })
    }

    fn fits(&self, used: usize, bytes: usize) -> bool {
        bytes <= LARGE_BYTES || used + bytes <= self.limit
    }
}

/// Reserved memory, released when dropped.
#[derive(Debug)]
pub(super) struct Reserved {
    ledger: Arc<Ledger>,
    bytes: usize,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.ledger.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The memory of the answers of one connection.
#[derive(Debug)]
pub struct Account {
    held: AtomicUsize,
    limit: usize,
    ledger: Arc<Ledger>,
    /// Part of `held` that cannot be sent yet because an earlier answer is still being computed.
    behind: AtomicUsize,
    /// Number of the job whose answers are sent next.
    front: AtomicU64,
    /// True if queued work waits for room in this account; the smallest number of such jobs follows.
    parked: AtomicBool,
    parked_job: AtomicU64,
}

impl Account {
    pub(super) fn new(ledger: Arc<Ledger>, limit: usize) -> Arc<Account> {
        Arc::new(Account {
            held: AtomicUsize::new(0),
            limit,
            ledger,
            behind: AtomicUsize::new(0),
            front: AtomicU64::new(0),
            parked: AtomicBool::new(false),
            parked_job: AtomicU64::new(u64::MAX),
        })
    }

    /// Returns true if one more answer may be held.
    pub(super) fn has_room(&self) -> bool {
        self.fits(self.held.load(Ordering::SeqCst))
    }

    /// Returns true if one more answer of this job may be computed. Answers that are sent next do not wait for later ones.
    pub(super) fn has_room_for(&self, job: u64) -> bool {
        let held = self.held.load(Ordering::SeqCst);
        let behind = if job <= self.front.load(Ordering::SeqCst) {
            self.behind.load(Ordering::SeqCst)
        } else {
            0
        };
        self.fits(held.saturating_sub(behind))
    }

    fn fits(&self, held: usize) -> bool {
        held == 0 || (held < self.limit && self.ledger.used() < self.ledger.limit)
    }

    /// Marks the job `front` as the one whose answers are sent next; `bytes` of them were held behind another.
    pub(super) fn go_on(&self, front: u64, bytes: usize) {
        self.behind.fetch_sub(bytes, Ordering::SeqCst);
        self.front.store(front, Ordering::SeqCst);
    }

    /// Adds bytes that wait behind an unfinished answer.
    pub(super) fn hold_behind(&self, bytes: usize) {
        self.behind.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Records that this job waits for room. Returns false if there is room by now.
    pub(super) fn park(&self, job: u64) -> bool {
        self.parked_job.fetch_min(job, Ordering::SeqCst);
        self.parked.store(true, Ordering::SeqCst);
        !self.has_room_for(job)
    }

    /// Returns true if jobs waited for room and there is room for the first of them now.
    pub(super) fn unpark(&self) -> bool {
        let parked = self.parked.load(Ordering::SeqCst)
            && self.has_room_for(self.parked_job.load(Ordering::SeqCst))
            && self.parked.swap(false, Ordering::SeqCst);
        if parked {
            self.parked_job.store(u64::MAX, Ordering::SeqCst);
        }
        parked
    }

    pub(super) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Charges bytes of answers until the charge is dropped.
    pub fn charge(self: &Arc<Account>, bytes: usize) -> Charge {
        self.held.fetch_add(bytes, Ordering::SeqCst);
        self.ledger.used.fetch_add(bytes, Ordering::Relaxed);
        Charge {
            account: Arc::clone(self),
            bytes,
        }
    }
}

/// Charged bytes, released when dropped.
#[derive(Debug)]
pub struct Charge {
    account: Arc<Account>,
    bytes: usize,
}

impl Charge {
    /// Takes over the bytes of another charge of the same account.
    pub(super) fn absorb(&mut self, mut other: Charge) {
        debug_assert!(Arc::ptr_eq(&self.account, &other.account), "one account");
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Releases some of the bytes.
    pub(super) fn release(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.account.held.fetch_sub(bytes, Ordering::SeqCst);
        self.account.ledger.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_charged_comes_back() {
        let ledger = Ledger::new(100_000);
        let account = Account::new(Arc::clone(&ledger), 1000);
        let mut charge = account.charge(600);
        assert!(account.has_room());
        charge.absorb(account.charge(600));
        assert!(!account.has_room() && ledger.used() == 1200);
        assert!(account.park(0) && !account.unpark());
        charge.release(400);
        assert!(account.unpark() && !account.unpark());
        assert!(!account.park(0), "there is room");
        drop(charge);
        assert_eq!(ledger.used(), 0);
    }

    /// An answer that must be sent first is computed even if later ones fill the account.
    #[test]
    fn what_goes_out_first_does_not_wait_for_what_is_behind() {
        let account = Account::new(Ledger::new(100), 10);
        let _second = account.charge(1000);
        account.hold_behind(1000);
        assert!(account.has_room_for(0) && !account.has_room_for(1) && !account.has_room());
        let first = account.charge(10);
        assert!(account.park(0) && !account.unpark(), "nobody takes it");
        drop(first);
        assert!(account.unpark());
        account.go_on(1, 1000);
        assert!(!account.has_room_for(1));
    }

    /// above the ledger's limit, connections that have read all their answers are still served, with small answers.
    #[test]
    fn a_full_ledger_serves_those_who_take_their_answers() {
        let ledger = Ledger::new(100_000);
        let deaf = Account::new(Arc::clone(&ledger), 1 << 20);
        let other = Account::new(Arc::clone(&ledger), 1 << 20);
        let held = deaf.charge(100_000);
        assert!(!deaf.has_room() && other.has_room());
        assert!(ledger.has_room(LARGE_BYTES) && !ledger.has_room(LARGE_BYTES + 1));
        drop(held);
        assert!(ledger.has_room(LARGE_BYTES + 1) && deaf.has_room());
        let reserved = ledger.reserve(80_000).unwrap();
        assert!(ledger.reserve(30_000).is_none() && ledger.reserve(20_000).is_some());
        drop(reserved);
        assert_eq!(ledger.used(), 0);
    }
}
