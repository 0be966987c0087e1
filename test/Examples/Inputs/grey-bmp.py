#!/usr/bin/env python3
# Writes a BMP file of 8 bits a pixel, with its rows from top to bottom.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   grey-bmp.py FILE WIDTH HEIGHT

import struct
import sys

path, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
row = (width + 3) // 4 * 4
begin = 54 + 4 * 256
with open(path, "wb") as file:
    file.write(struct.pack("<2sIHHI", b"BM", begin + row * height, 0, 0, begin))
    file.write(struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 8, 0,
                           row * height, 0, 0, 256, 0))
    for grey in range(256):  # the palette runs backwards
        file.write(bytes([255 - grey] * 3 + [0]))
    for y in range(height):
        pixels = [(x * 5 + y * 3 + x * y) % 256 for x in range(width)]
        file.write(bytes(pixels + [0] * (row - width)))
