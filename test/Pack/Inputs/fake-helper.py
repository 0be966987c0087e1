#!/usr/bin/python3
# A helper of ddtplayer without an MPI, whose mistakes the player must find.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# It knows the layout 'vec(2 3 5)[int]' only: 12 bytes at 0, 12 bytes at 20.
# FAKE says what it does wrong: greeting, build, shape, pack, unpack, fail (an
# error message when asked to pack), end, signal; nothing if it is unset.

import os
import signal
import socket
import struct
import sys

FAKE = os.environ.get("FAKE", "")
BLOCKS = [(0, 12), (20, 12)]
SIZE, SPAN = 24, 32
GAP = 0xA5


def pattern(size, seed):
    return bytearray(
        (((i + seed) * 0x9E3779B97F4A7C15) % 2**64) >> 56 for i in range(size)
    )


def packed():
    memory = pattern(SPAN, 1)
    out = b"".join(memory[at : at + size] for at, size in BLOCKS)
    if FAKE == "pack":
        out = out[:5] + bytes([out[5] ^ 1]) + out[6:]
    return bytes(out)


def unpacked():
    stream, memory, place = pattern(SIZE, 2), bytearray([GAP] * SPAN), 0
    for at, size in BLOCKS:
        memory[at : at + size] = stream[place : place + size]
        place += size
    if FAKE == "unpack":
        memory[13] = 0
    return bytes(memory)


def answer(request):
    kind = chr(request[0])
    if kind == "b":
        if FAKE == "build":
            return b"-it has no such type"
        extent = 40 if FAKE == "shape" else 32
        return b"+" + struct.pack("<5q", SIZE, 0, extent, 0, SPAN)
    if kind == "m":
        if FAKE == "end":
            sys.exit(7)
        if FAKE == "signal":
            os.kill(os.getpid(), signal.SIGKILL)
        return b"+" + struct.pack("<d", 1e-6)
    if kind == "p":
        return b"-MPI_Pack: no" if FAKE == "fail" else b"+" + packed()
    if kind == "u":
        return b"+" + unpacked()
    return b"+"


def main():
    channel = socket.socket(fileno=int(sys.argv[1]))
    stream = channel.makefile("rwb")

    def send(message):
        stream.write(struct.pack("<Q", len(message)) + message)
        stream.flush()

    if FAKE == "greeting":
        sys.exit(9)
    print("chatter of a library")
    send(b"+Fake 1.0")
    while head := stream.read(8):
        send(answer(stream.read(struct.unpack("<Q", head)[0])))


main()
