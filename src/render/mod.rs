//! Boards as text, tables and reports: values to strings only.
