# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab query: a table that is broken, a question that is wrong."""

import pandas
import pytest

from cli import INPUT_ERROR
from lab_support import call_lab


@pytest.mark.parametrize("spoil", [
    lambda data: b"", lambda data: b"nothing of the kind", lambda data: data[: len(data) // 2],
    lambda data: data[:1000] + b"x" * 2000 + data[3000:],
])
def test_a_broken_table_is_named_in_one_line(tmp_path, spoil):
    file = tmp_path / "points.parquet"
    pandas.DataFrame({"a": range(50_000), "b": range(50_000)}).to_parquet(file)
    file.write_bytes(spoil(file.read_bytes()))
    for named in (tmp_path, file):
        done = call_lab("query", named, "select sum(a), sum(b) from points", program=tmp_path)
        assert done == (INPUT_ERROR, "", f"tlmssd-lab: {file}: no Parquet file, or a damaged one: the "
                        "command of its sweep writes it again\n")


@pytest.mark.parametrize("sql, words", [
    ("select a from points", 'Referenced column "a" not found'), ("selec", "syntax error"),
    ("", "asks nothing"), ("copy points to '/dev/full'", "No space left on device"),
    ("select * from tables", "Table with name tables does not exist"),
])
def test_wrong_sql_is_told_in_one_line(tmp_path, sql, words):
    pandas.DataFrame({"b": range(5)}).to_parquet(tmp_path / "points.parquet")
    status, out, err = call_lab("query", tmp_path, sql, program=tmp_path)
    assert (status, out, err.count("\n")) == (INPUT_ERROR, "", 1)
    assert err.startswith("tlmssd-lab: SQL: ") and words in err and "LINE" not in err
