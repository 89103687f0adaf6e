//! The caller's memory: every read and write of it.
//!
//! Addresses come from outside and cannot be proved. What is checked: NULL, sizes, lengths, UTF-8. What the header asks of
//! callers: an address that is not NULL points to as many bytes as its size or length says, which no other thread changes
//! during the call.

use crate::failure::{Failure, GammondCode};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::mem::size_of;
use std::sync::{Mutex, PoisonError};

/// Longest text of settings, of a path, or of a name, in bytes.
pub(crate) const TEXT_BYTES_MAX: usize = 64 << 10;
/// Largest `size` of a struct: one that is larger is no size.
const STRUCT_BYTES_MAX: usize = 64 << 10;

/// A struct of the header: numbers, arrays of numbers and addresses, of which every pattern of bits is a value.
///
/// # Safety
/// All of that holds. A struct that is read or written alone begins with its size, an `u32`.
pub(crate) unsafe trait Plain: Copy {}

/// Returns an error if an address is NULL.
pub(crate) fn present<T>(name: &str, address: *const T) -> Result<(), Failure> {
    match address.is_null() {
        false => Ok(()),
        true => Err(Failure::new(
            GammondCode::GAMMOND_ERROR_NULL,
            format!("{name} is NULL"),
        )),
    }
}

/// Returns an error if the size of a caller's struct is too small for version 1 of it, or no size.
fn checked_size<T>(name: &str, size: usize) -> Result<(), Failure> {
    let least = size_of::<T>();
    match (least..=STRUCT_BYTES_MAX).contains(&size) {
        true => Ok(()),
        false => Err(Failure::new(
            GammondCode::GAMMOND_ERROR_SIZE,
            format!("{name} has size {size}, expected sizeof, which is {least}"),
        )),
    }
}

/// Reads the first member of a struct, its size; also as a length.
fn size_at<T>(name: &str, address: *const T) -> Result<(u32, usize), Failure> {
    present(name, address)?;
    // SAFETY: not NULL; the caller's struct begins with its size, at any alignment.
    let member = unsafe { address.cast::<u32>().read_unaligned() };
    let size = usize::try_from(member).unwrap_or(usize::MAX);
    checked_size::<T>(name, size)?;
    Ok((member, size))
}

/// Reads a struct whose first member is its size. Members of a later version must be 0: what they ask for is not here.
pub(crate) fn read<T: Plain>(name: &str, address: *const T) -> Result<T, Failure> {
    let (_, size) = size_at(name, address)?;
    let bytes = address.cast::<u8>();
    // SAFETY: not NULL, and below the size that the caller gives.
    let is_zero = |at: usize| unsafe { bytes.add(at).read() } == 0;
    if !(size_of::<T>()..size).all(is_zero) {
        return Err(Failure::new(
            GammondCode::GAMMOND_ERROR_SIZE,
            format!("{name} has members of a later version that are not 0"),
        ));
    }
    // SAFETY: not NULL, at least as large as T by its size, and any bits are a value of a `Plain` type.
    Ok(unsafe { address.read_unaligned() })
}

/// Returns a function that writes a struct of results into the caller's, whose size is kept; members that this version does
/// not know become 0. Nothing is written before.
pub(crate) fn writer<T: Plain>(
    name: &str,
    address: *mut T,
) -> Result<impl FnOnce(T) + use<T>, Failure> {
    let (member, size) = size_at(name, address)?;
    Ok(move |value: T| {
        // SAFETY: `size_at` has read a size that is not below that of T, so all these bytes are the caller's struct.
        unsafe {
            address.cast::<u8>().write_bytes(0, size);
            address.write_unaligned(value);
            address.cast::<u32>().write_unaligned(member);
        }
    })
}

/// An array of results in the caller's memory.
pub(crate) struct RowsOut<T> {
    address: *mut T,
    row_bytes: usize,
    capacity: usize,
}

impl<T: Plain> RowsOut<T> {
    /// Returns the array of `capacity` rows with this size in bytes each. It may be NULL if the capacity is 0.
    ///
    /// # Errors
    /// It is NULL, or its rows are too small.
    pub(crate) fn new(
        name: &str,
        address: *mut T,
        row_bytes: usize,
        capacity: usize,
    ) -> Result<RowsOut<T>, Failure> {
        if capacity > 0 {
            present(name, address)?;
            checked_size::<T>(name, row_bytes)?;
        }
        Ok(RowsOut {
            address,
            row_bytes,
            capacity,
        })
    }

    /// Writes as many rows as fit.
    pub(crate) fn write(&self, rows: impl Iterator<Item = T>) {
        for (number, row) in rows.take(self.capacity).enumerate() {
            // SAFETY: the number is below the capacity, and rows have `row_bytes`, not less than the size of T.
            unsafe {
                let place = self.address.cast::<u8>().add(number * self.row_bytes);
                place.write_bytes(0, self.row_bytes);
                place.cast::<T>().write_unaligned(row);
            }
        }
    }
}

/// Writes one number or address.
pub(crate) fn put<T>(name: &str, address: *mut T, value: T) -> Result<(), Failure> {
    present(name, address)?;
    // SAFETY: not NULL, and the caller's variable of this type.
    unsafe { address.write_unaligned(value) };
    Ok(())
}

/// Copies the elements of an array.
pub(crate) fn copied<T: Plain>(
    name: &str,
    address: *const T,
    length: usize,
    most: usize,
) -> Result<Vec<T>, Failure> {
    checked_length(name, length, most)?;
    if length == 0 {
        return Ok(Vec::new());
    }
    present(name, address)?;
    let mut elements: Vec<T> = Vec::with_capacity(length);
    // SAFETY: not NULL, the caller's array of `length` elements, into as many of ours, at any alignment.
    unsafe {
        let (from, to): (*const u8, *mut u8) = (address.cast(), elements.as_mut_ptr().cast());
        std::ptr::copy_nonoverlapping(from, to, length * size_of::<T>());
        elements.set_len(length);
    }
    Ok(elements)
}

// SAFETY: any bits are a byte.
unsafe impl Plain for u8 {}

fn checked_length(name: &str, length: usize, most: usize) -> Result<(), Failure> {
    match length <= most {
        true => Ok(()),
        false => Err(Failure::new(
            GammondCode::GAMMOND_ERROR_TOO_LONG,
            format!("{name} has length {length}, at most {most}"),
        )),
    }
}

/// Reads a text that ends with a NUL; `None` for NULL.
pub(crate) fn text(name: &str, address: *const c_char) -> Result<Option<String>, Failure> {
    if address.is_null() {
        return Ok(None);
    }
    // Not `CStr::from_ptr`, which reads on and on where the NUL is missing.
    let mut bytes = Vec::new();
    loop {
        // SAFETY: not NULL, and no byte before this one is the NUL that ends the caller's text.
        let byte = unsafe { address.add(bytes.len()).read() }.to_ne_bytes();
        match byte {
            [0] => break,
            [byte] => bytes.push(byte),
        }
        checked_length(name, bytes.len(), TEXT_BYTES_MAX)?;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(Failure::new(
            GammondCode::GAMMOND_ERROR_TEXT,
            format!("{name} is not UTF-8"),
        )),
    }
}

/// Texts that callers have and will free, by their addresses.
static TEXTS: Mutex<BTreeMap<usize, CString>> = Mutex::new(BTreeMap::new());

/// Keeps a text for the caller and writes its address.
///
/// # Errors
/// The place of the address is NULL.
pub(crate) fn give(name: &str, place: *mut *mut c_char, text: Vec<u8>) -> Result<(), Failure> {
    present(name, place)?;
    // Answers have no NUL; a name in a file might.
    let text = CString::new(text).or_else(|error| {
        let mut bytes = error.into_vec();
        bytes.retain(|&byte| byte != 0);
        CString::new(bytes)
    });
    let text = text.map_err(|_| Failure::new(GammondCode::GAMMOND_ERROR_INTERNAL, "text"))?;
    let address = text.as_ptr();
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    texts.insert(address.addr(), text);
    put(name, place, address.cast_mut())
}

/// Frees a text. NULL is nothing to free.
///
/// # Errors
/// It is none that the library gave, or has been freed.
pub(crate) fn take_back(text: *const c_char) -> Result<(), Failure> {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    match texts.remove(&text.addr()) {
        Some(_) => Ok(()),
        None if text.is_null() => Ok(()),
        None => Err(Failure::new(
            GammondCode::GAMMOND_ERROR_HANDLE,
            "the text is not one of this library, or has been freed",
        )),
    }
}

/// Copies a text into an array of characters, as much as fits, with a NUL behind it.
pub(crate) fn fixed<const N: usize>(text: &str) -> [c_char; N] {
    let mut end = text.len().min(N - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut array = [0; N];
    for (place, byte) in array.iter_mut().zip(text.bytes().take(end)) {
        *place = c_char::from_ne_bytes([byte]);
    }
    array
}

/// Returns a text that lives as long as the program.
pub(crate) const fn lasting(text: &'static CStr) -> *const c_char {
    text.as_ptr()
}
