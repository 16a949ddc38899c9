# SPDX-License-Identifier: BSD-3-Clause
"""Bytes as plain characters of a page, which any encoding and server leave as they are: each two of them
are 13 bits, so 13 bytes are 16 characters, where base64 has 12. In front stand the number of bytes and a space.
assets/unpack.js is the other half."""
import numpy as np

# Printable ASCII without what HTML or JSON would take for something else.
ALPHABET = bytes(code for code in range(33, 127) if chr(code) not in "<&\\")
_BYTES, _CHARACTERS, _BITS = 13, 16, 13
_BLOCK = _BYTES << 17  # worked on at a time


def text_of(data: bytes) -> str:
    assert len(ALPHABET) ** 2 >= 1 << _BITS
    digits = np.frombuffer(ALPHABET, np.uint8)
    weights = 1 << np.arange(_BITS - 1, -1, -1)
    parts = [b"%d " % len(data)]
    for at in range(0, len(data), _BLOCK):
        block = data[at:at + _BLOCK]
        whole = np.frombuffer(block + bytes(-len(block) % _BYTES), np.uint8)
        values = np.unpackbits(whole).reshape(-1, _BITS) @ weights
        parts.append(digits[np.stack(divmod(values, len(ALPHABET)), axis=1)].tobytes())
    return b"".join(parts).decode("ascii")
