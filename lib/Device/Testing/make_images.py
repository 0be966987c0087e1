#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the kernels of the tests of devices to SPIR-V, SPIR and PTX.

Writes them as a C++ source that defines the SluiceDeviceModule `NAME`. Images
whose tools are missing are left out.
"""

import argparse
import hashlib
import os
import struct
import subprocess
import sys

HEADER_WORDS = 5
OP_CONSTANT_NULL = 46
OP_CONSTANT_FALSE = 42
OP_CONSTANT = 43
OP_TYPE_BOOL = 20
OP_TYPE_INT = 21
OP_TYPE_FLOAT = 22


def instructions(words):
    """Yields (opcode, operand words) of a SPIR-V module."""
    at = HEADER_WORDS
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        yield opcode, words[at + 1:at + count]
        at += count


def without_scalar_nulls(code):
    """Rewrites scalar OpConstantNull, on which llvm-spirv of LLVM 15 aborts."""
    words = struct.unpack(f"<{len(code) // 4}I", code)
    kinds = {}
    out = list(words[:HEADER_WORDS])
    for opcode, operands in instructions(words):
        if opcode in (OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT):
            width = operands[1] if len(operands) > 1 else 0
            kinds[operands[0]] = (opcode, width)
        if opcode == OP_CONSTANT_NULL and operands[0] in kinds:
            kind, width = kinds[operands[0]]
            opcode = OP_CONSTANT_FALSE if kind == OP_TYPE_BOOL else OP_CONSTANT
            zeros = () if kind == OP_TYPE_BOOL else (0,) * max(1, width // 32)
            operands = (*operands, *zeros)
        out.append((len(operands) + 1) << 16 | opcode)
        out.extend(operands)
    return struct.pack(f"<{len(out)}I", *out)


def compile_bitcode(options, triple, flags):
    path = f"{options.output}.{triple}.bc"
    subprocess.run(
        [options.clang, f"--target={triple}", *flags, "-O2", "-Wall", "-Werror",
         "-ffp-contract=off", "-ffreestanding", "-nostdinc", "-emit-llvm", "-c",
         options.source, "-o", path], check=True)
    return path


def make_spirv(options):
    triple = "spirv64-unknown-unknown"
    path = f"{options.output}.spv"
    subprocess.run(
        [options.llc, f"-mtriple={triple}", "-filetype=obj",
         compile_bitcode(options, triple, []), "-o", path], check=True)
    with open(path, "rb") as file:
        code = without_scalar_nulls(file.read())
    with open(path, "wb") as file:
        file.write(code)
    return path, code


def make_spir(options, spirv):
    path = f"{options.output}.spir.bc"
    subprocess.run([options.translator, "-r", spirv, "-o", path], check=True)
    with open(path, "rb") as file:
        return file.read()


def make_ptx(options):
    triple = "nvptx64-nvidia-cuda"
    path = f"{options.output}.ptx"
    bitcode = compile_bitcode(
        options, triple, ["-nocudalib", "-Xclang", "-target-cpu", "-Xclang",
                          "sm_75"])
    subprocess.run([options.llc, "-mcpu=sm_75", bitcode, "-o", path],
                   check=True)
    with open(path, "rb") as file:
        return file.read() + b"\0"


def byte_array(name, code):
    lines = [", ".join(str(byte) for byte in code[at:at + 16])
             for at in range(0, len(code), 16)]
    body = ",\n".join(lines)
    return f"alignas(16) static const unsigned char {name}[] = {{\n{body}}};\n"


def write_source(options, images):
    digest = hashlib.sha256()
    text = f"// Made by {os.path.basename(__file__)}.\n"
    text += '#include "sluice/Base/TableHead.h"\n'
    rows = []
    for index, (format_name, target, code) in enumerate(images):
        digest.update(code)
        text += byte_array(f"image{index}", code)
        rows.append(f'{{{format_name}, 0, "{target}", image{index}, '
                    f"sizeof(image{index})}}")
    text += "static const SluiceDeviceImage images[] = {\n"
    text += ",\n".join(rows) + "};\n"
    text += (f"extern const SluiceDeviceModule {options.name};\n"
             f"const SluiceDeviceModule {options.name} = {{\n"
             "sluice::tableHead<SluiceDeviceModule>,\n"
             f'"{options.name}", "{digest.hexdigest()[:32]}", images, '
             f"{len(images)}, 0}};\n")
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--source", "--output", "--name", "--clang", "--llc"):
        parser.add_argument(option, required=True)
    parser.add_argument("--translator", default="")
    options = parser.parse_args()
    spirv_path, spirv = make_spirv(options)
    images = [("SLUICE_DEVICE_SPIRV", "", spirv)]
    if options.translator:
        images.append(
            ("SLUICE_DEVICE_SPIR", "", make_spir(options, spirv_path)))
    images.append(("SLUICE_DEVICE_PTX", "sm_75", make_ptx(options)))
    write_source(options, images)
    return 0


if __name__ == "__main__":
    sys.exit(main())
