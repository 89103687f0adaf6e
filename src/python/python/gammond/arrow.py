"""Arrow tables and Parquet files of boards with their values (needs `pyarrow`, the extra ``gammond[arrow]``).

A column with rows of numbers, such as boards [N, 26] or chances [N, 5], is a fixed size list. Columns are not copied
between numpy and Arrow where the array is contiguous.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pyarrow.parquet as parquet  # type: ignore[import-untyped,unused-ignore]
from numpy.typing import NDArray

from .datasets import checked_columns


def to_table(**columns: NDArray[Any]) -> Any:
    """Returns a table of arrays [N] or [N, width] of numbers or text: ``to_table(board=boards, chances=chances)``."""
    found: dict[str, Any] = {}
    for name, array in checked_columns(columns).items():
        values = pa.array(np.ascontiguousarray(array).reshape(-1))
        found[name] = values if array.ndim == 1 else pa.FixedSizeListArray.from_arrays(values, array.shape[1])
    return pa.table(found)


def from_table(table: Any) -> dict[str, NDArray[Any]]:
    """Returns the columns of a table as arrays [N], of lists of one length as [N, width]."""
    found: dict[str, NDArray[Any]] = {}
    for name in table.column_names:
        column = table.column(name)
        if column.null_count:
            raise ValueError(f"{name}: {column.null_count} nulls")
        width = column.type.list_size if pa.types.is_fixed_size_list(column.type) else None
        parts = [_numpy(chunk if width is None else chunk.flatten(), width) for chunk in column.chunks]
        found[name] = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0)
    return found


def _numpy(values: Any, width: int | None) -> NDArray[Any]:
    found: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    if pa.types.is_string(values.type):
        found = found.astype(str)
    return found if width is None else found.reshape(-1, width)


def save_parquet(path: str | os.PathLike[str], **columns: NDArray[Any]) -> None:
    """Writes arrays as the columns of a Parquet file."""
    parquet.write_table(to_table(**columns), path)


def load_parquet(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Reads the columns of a Parquet file."""
    return from_table(parquet.read_table(path))


__all__ = ["from_table", "load_parquet", "save_parquet", "to_table"]
