# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layouts of bench/pack/layouts.h, and what the tables call them."""

KIB, MIB = 1 << 10, 1 << 20
SIZES = {"64K": 64 * KIB, "1M": MIB, "64M": 64 * MIB}
BLOCKS = [1, 2, 4, 8, 16]

OTHERS = {
    "struct-di": "struct {double[3], int}",
    "struct-cdsi": "struct {char, double, short, int}",
    "bytes": "bytes, stride 4",
    "floats": "vec(16384 3 4) of float",
    "indexed-short": "512 doubles, irregular, 16 times",
    "indexed-long": "8192 doubles, irregular",
    "transpose": "transpose of 512\u00b2 complex",
}
IRREGULAR = [name for name in OTHERS if name != "floats"]
HALOS = {
    "wrf-x-vec": "WRF x, vectors",
    "wrf-x-sa": "WRF x, subarrays",
    "wrf-y-vec": "WRF y, vectors",
    "wrf-y-sa": "WRF y, subarrays",
    "milc-su3-zdown": "MILC su3 zdown",
    "nas-lu-x": "NAS LU x",
    "nas-lu-y": "NAS LU y",
    "nas-mg-x": "NAS MG x",
    "nas-mg-y": "NAS MG y",
    "nas-mg-z": "NAS MG z",
    "lammps-full": "LAMMPS full",
    "lammps-atomic": "LAMMPS atomic",
    "specfem3d-oc": "SPECFEM3D oc",
    "specfem3d-cm": "SPECFEM3D cm",
    "specfem3d-mt": "SPECFEM3D mt",
    "fft2": "FFT2, sent",
    "fft2-received": "FFT2, received",
}


def size_title(size):
    return f"{size[:-1]} {size[-1]}iB"


def vectors(sizes, blocks):
    return {f"vector:{block}:{SIZES[size]}":
            f"vector, block {block:2}, {size_title(size)}"
            for size in sizes for block in blocks}


# What is received by another layout than it was sent by.
RECEIVED = ["lammps-full", "lammps-atomic", "specfem3d-mt", "fft2"]
EXCHANGED = {**vectors(["64K", "1M"], [1, 4, 16, 64, 512]),
             **{name: OTHERS[name] for name in ("struct-di", "struct-cdsi")},
             **{name: title for name, title in HALOS.items()
                if name != "fft2-received"},
             "fft2": "FFT2"}
# Where an exchange must gain.
GAINS = ["struct-di", "struct-cdsi", "lammps-full", "lammps-atomic",
         "specfem3d-oc", "specfem3d-cm", "specfem3d-mt", "fft2"]

DISTINCT = {"vectors": "vectors, each new", "structs": "structs, each new",
            "lists": "lists of 5, each new"}
COMMITTED = {**DISTINCT, **vectors(["64K"], [8]),
             "struct-cdsi": OTHERS["struct-cdsi"],
             **{name: HALOS[name] for name in
                ("wrf-y-vec", "wrf-y-sa", "milc-su3-zdown", "fft2",
                 "lammps-full", "specfem3d-cm")}}
CALLS = {"basic": "exchange a double with itself",
         "derived": "exchange a contiguous type",
         "request": "send without blocking, receive, wait"}


def exchange(layout):
    """The parameters of the program for two ranks."""
    return f"{layout} {layout}-received" if layout in RECEIVED else layout


def hand_name(layout):
    """What the loop for it is called: `vector:8` of `vector:8:65536`."""
    return layout.rsplit(":", 1)[0] if layout.count(":") == 2 else layout
