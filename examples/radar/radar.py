"""The radar of this folder as a Python program: the same fourteen Halide tasks,
and a Python function that saves the picture instead of a C kernel.

    python3 radar.py [PICTURE.bmp]
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import struct
import sys

import numpy as np
import sluice
from sluice import HalideKernel, in_, out

HERE = os.path.dirname(os.path.abspath(__file__))

# As radar.h has them.
PULSES, SAMPLES, OVERSAMPLING = 96, 256, 4
FINE_SAMPLES = SAMPLES * OVERSAMPLING
WIDTH, HEIGHT, PIXEL_SPACING = 128, 96, 0.4
DEPTH = 40.0

LETTER = (".###.", "#...#", "#....", ".###.", "....#", "#...#", ".###.")
POINTS = [(28 + 18 * column, 12 + 12 * row)
          for row, line in enumerate(LETTER)
          for column, mark in enumerate(line) if mark == "#"]


def save_bmp(path, grey):
    """Writes an 8-bit picture with a palette of greys, its last row first."""
    height, width = grey.shape
    rows = np.zeros((height, (width + 3) // 4 * 4), np.uint8)
    rows[:, :width] = grey[::-1]
    palette = np.zeros((256, 4), np.uint8)
    palette[:, :3] = np.arange(256)[:, None]
    begin = 54 + palette.size
    head = struct.pack("<2sIII", b"BM", begin + rows.size, 0, begin)
    head += struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, rows.size,
                        0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(head + palette.tobytes() + rows.tobytes())


class Radar:
    """The graph, and what is of interest afterwards."""

    def __init__(self):
        self.graph = sluice.TaskGraph("radar")
        self.decibels = np.zeros((HEIGHT, WIDTH))
        self.picture = np.zeros((HEIGHT, WIDTH), np.uint8)
        image = self.project(self.compress(self.receive()))
        self.develop(image)

    def signals(self, rows, samples, name):
        """Complex signals: pulses, samples, and two parts of each number."""
        return self.graph.dat((rows, samples, 2), float, name=name)

    def add(self, kernel, *uses, **parameters):
        self.graph.task(HalideKernel("radar_" + kernel, parameters), *uses)

    def receive(self):
        """What the radar gets back from the points along its flight."""
        scene = self.graph.dat(
            np.array([((column - WIDTH // 2) * PIXEL_SPACING,
                       (row - HEIGHT // 2) * PIXEL_SPACING, 1)
                      for column, row in POINTS]), name="scene")
        echoes = self.signals(PULSES, SAMPLES, "echoes")
        self.add("echoes", in_(scene), out(echoes))
        return echoes

    def fourier(self, signals, size, name, inverse=False):
        spectra = self.signals(signals.shape[0], size, name)
        self.add("fourier", in_(signals), out(spectra), size=size,
                 inverse=inverse)
        return spectra

    def compress(self, echoes):
        """Chirps become points, with samples between the samples."""
        pulse = self.signals(1, SAMPLES, "pulse")
        self.add("chirp", out(pulse))
        window = self.graph.dat((SAMPLES,), float, name="window")
        self.add("window", out(window))
        band = self.fourier(pulse, SAMPLES, "band")
        spectra = self.fourier(echoes, SAMPLES, "spectra")
        narrow = self.signals(PULSES, SAMPLES, "compressed")
        self.add("compress", in_(spectra), in_(band), in_(window), out(narrow))
        longer = self.signals(PULSES, FINE_SAMPLES, "refined")
        self.add("refine", in_(narrow), out(longer))
        return self.fourier(longer, FINE_SAMPLES, "profiles", inverse=True)

    def project(self, profiles):
        """All pulses together give each pixel a complex number."""
        tapered = self.signals(PULSES, FINE_SAMPLES, "tapered")
        self.add("taper", in_(profiles), out(tapered))
        image = self.signals(HEIGHT, WIDTH, "image")
        self.add("project", in_(tapered), out(image))
        return image

    def develop(self, image):
        power = self.graph.dat((HEIGHT, WIDTH), float, name="power")
        self.add("power", in_(image), out(power))
        peak = self.graph.dat((1,), float, name="peak")
        self.add("peak", in_(power), out(peak))
        depth = self.graph.scalar(DEPTH, name="depth")
        decibels = self.graph.dat(self.decibels, name="decibels")
        self.add("decibels", depth, in_(power), in_(peak), out(decibels))
        self.pixels = self.graph.dat(self.picture, name="picture")
        self.add("quantise", depth, in_(decibels), out(self.pixels))

    def save(self, path):
        def save(picture):
            save_bmp(path, picture)

        self.graph.task(save, in_(self.pixels)).writes_file(path)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "radar.bmp"
    sluice.load_generators(os.path.join(HERE, "generators.cpp"))
    radar = Radar()
    radar.save(path)
    radar.graph.run()
    for column, row in POINTS:
        around = radar.decibels[row - 4:row + 5, column - 4:column + 5]
        if around.max() > radar.decibels[row, column]:
            sys.exit(f"radar: the point in column {column} of row {row} is "
                     "elsewhere")
    print(f"{len(POINTS)} points in {WIDTH}x{HEIGHT} pixels")
    print("radar: ok")


if __name__ == "__main__":
    main()
