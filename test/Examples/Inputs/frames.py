# Writes the frames that edges.test reads: numbered PGM files of a disc that
# moves, the same as raw video in both formats, a coloured picture, and files
# that are no frames.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import sys

COLUMNS, ROWS, COUNT = 33, 17, 5


def disc(number):
    """A grey disc on a slope; the same in every picture of a number."""
    pixels = bytearray()
    for y in range(ROWS):
        for x in range(COLUMNS):
            inside = (x - 6 - 4 * number) ** 2 + (y - 8) ** 2 < 30
            pixels.append(200 - 3 * number if inside else 2 * x + y)
    return bytes(pixels)


def colours():
    pixels = bytearray()
    for y in range(30):
        for x in range(40):
            ring = ((x - 20) ** 2 + (y - 15) ** 2) // 60 % 2
            pixels += bytes([(37 * x) % 256, 255 * ring, (5 * x * y) % 256])
    return bytes(pixels)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    frames = [disc(number) for number in range(COUNT)]
    header = f"P5 # a disc\n{COLUMNS}\n{ROWS} 255\n".encode()
    for number, frame in enumerate(frames, 1):
        (out / f"in{number:02d}.pgm").write_bytes(header + frame)
    (out / "video.gray").write_bytes(b"".join(frames))
    grey = b"".join(bytes([value] * 3) for frame in frames for value in frame)
    (out / "video.rgb").write_bytes(grey)
    (out / "colour.ppm").write_bytes(b"P6 40 30 255\n" + colours())
    (out / "dot.pgm").write_bytes(b"P5 1 1 255\n\x80")
    (out / "deep.pgm").write_bytes(b"P5 1 1 65535\n\x80\x80")
    (out / "huge.pgm").write_bytes(b"P5 99999 99999 255\n\x80")


main()
