//! Bytes of a binary file, taken one by one from the front; the end of them is an error, never a panic.

use super::recorder::FieldError;
use crate::notation::error::Reason;

/// The remaining bytes of a part of a file, with their offset in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    data: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) const fn new(data: &'a [u8], at: usize) -> Bytes<'a> {
        Bytes { data, at }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    pub(super) const fn rest(&self) -> &'a [u8] {
        self.data
    }

    /// Takes so many bytes as a part of their own.
    pub(super) fn take(
        &mut self,
        count: usize,
        field: &'static str,
    ) -> Result<Bytes<'a>, FieldError> {
        let short = (field, Reason::Other("ends too early"));
        let (taken, rest) = self.data.split_at_checked(count).ok_or(short)?;
        let part = Bytes::new(taken, self.at);
        self.data = rest;
        self.at += count;
        Ok(part)
    }

    pub(super) fn byte(&mut self, field: &'static str) -> Result<u8, FieldError> {
        let taken = self.take(1, field)?;
        Ok(taken.data.first().copied().unwrap_or_default())
    }

    /// Reads four bytes, the smallest first.
    pub(super) fn word(&mut self, field: &'static str) -> Result<u32, FieldError> {
        let taken = self.take(4, field)?;
        let four = taken.data.first_chunk().copied().unwrap_or_default();
        Ok(u32::from_le_bytes(four))
    }

    /// Reads seven bits a byte, the smallest first; the last byte has no eighth bit.
    pub(super) fn varint(&mut self, field: &'static str) -> Result<u64, FieldError> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte(field)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err((field, Reason::Other("is too large a number")))
    }

    /// Returns a length and so many bytes.
    pub(super) fn counted(&mut self, field: &'static str) -> Result<Bytes<'a>, FieldError> {
        let count = self.varint(field)?;
        self.take(usize::try_from(count).unwrap_or(usize::MAX), field)
    }
}
