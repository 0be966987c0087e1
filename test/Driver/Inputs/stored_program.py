"""Writes the program that an object stores for variants, which is compressed."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import struct
import sys
import zlib

MARK = b"SluiceZ\n"

with open(sys.argv[1], "rb") as file:
    content = file.read()
start = content.index(MARK) + len(MARK)
(size,) = struct.unpack_from("<Q", content, start)
program = zlib.decompressobj().decompress(content[start + 8 :])
assert len(program) == size, (len(program), size)
sys.stdout.buffer.write(program)
