# Writes the sounds that audio.test reads: 2,000 samples as raw numbers and, on
# both channels, as WAV; a single one, silence, a loud square wave; and files
# that are no sounds.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import struct
import sys


def raw(samples):
    return struct.pack(f"<{len(samples)}h", *samples)


def wav(data, channels=1, kind=1, bits=16, extra=b""):
    frame = channels * bits // 8
    form = struct.pack("<HHIIHH", kind, channels, 48000, 48000 * frame, frame,
                       bits)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + extra
    chunks += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    mono = [(i * i * 7) % 4001 - 2000 for i in range(2000)]
    both = [sample for sample in mono for _ in range(2)]
    note = b"LIST\x03\x00\x00\x00abc\x00"  # an odd length and its padding
    files = {
        "mono.raw": raw(mono),
        "stereo.wav": wav(raw(both), channels=2, extra=note),
        "one.raw": raw([12345]),
        "silence.raw": raw([0] * 700),
        "loud.raw": raw([32767 if i // 50 % 2 else -32768 for i in range(2000)]),
        "odd.raw": b"abc",
        "cut.wav": wav(raw(both))[: 44 + 100],
        "float.wav": wav(bytes(64), kind=3, bits=32),
        "header.slq": b"SLQ1" + bytes(20),
    }
    for name, data in files.items():
        (out / name).write_bytes(data)


main()
