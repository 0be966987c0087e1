"""HPVM graphs launched with arrays, and pictures of programs."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import unittest

import numpy as np
import sluice

HERE = os.path.dirname(os.path.abspath(__file__))
SAXPY = os.path.join(HERE, "saxpy.c")
SCALE = os.path.join(HERE, "scale.mlir")
LEAVES = os.path.join(HERE, "scale.ll")


class Programs(unittest.TestCase):
    def setUp(self):
        self.saxpy = sluice.load(SAXPY, "root", workers=2)

    def test_launches(self):
        for n in (1, 1000):
            for a in (np.float32(2), np.float32(0.5)):
                x = np.arange(n, dtype="f4")
                y = np.ones(n, "f4")
                for round_ in range(2):
                    self.saxpy(a, x, y, n)
                    np.testing.assert_array_equal(
                        y, 1 + a * x * (round_ + 1))
                np.testing.assert_array_equal(x, np.arange(n))

    def test_arrays_that_are_aligned_to_elements_only(self):
        x = np.arange(1003, dtype="f4")[3:]
        y = np.ones(1001, "f4")[1:]
        for _ in range(2):
            self.saxpy(np.float32(2), x, y, 1000)
        np.testing.assert_array_equal(y, 1 + 4 * x)

    def test_read_only_arrays(self):
        x, y = np.arange(4, dtype="f4"), np.ones(4, "f4")
        x.flags.writeable = False
        self.saxpy(np.float32(1), x, y, 4)
        np.testing.assert_array_equal(y, [1, 2, 3, 4])
        y.flags.writeable = False
        with self.assertRaisesRegex(sluice.CompileError, "writes"):
            self.saxpy(np.float32(1), x, y, 4)

    def test_wrong_arguments(self):
        x = np.ones(4, "f4")
        for arguments, words in (
                ((np.float32(1), x, x.copy()), "has 6 inputs"),
                ((np.float32(1), x.astype("f8"), x, 4), "double"),
                ((np.float32(1), 3, x, 4), "6 inputs"),
                ((1, x, x.copy(), 4), "'a'")):
            with self.subTest(words), self.assertRaisesRegex(
                    sluice.CompileError, words):
                self.saxpy(*arguments)
        with self.assertRaises(sluice.RunError):  # memory that is shared
            self.saxpy(np.float32(1), x, x, 4)
        with self.assertRaisesRegex(ValueError, "gaps"):
            self.saxpy(np.float32(1), np.ones(8, "f4")[::2], x, 4)
        with self.assertRaisesRegex(TypeError, "list"):
            self.saxpy(np.float32(1), [1, 2], x, 4)
        with self.assertRaises(FileNotFoundError):
            sluice.load("no-such.c", "root")
        with self.assertRaisesRegex(sluice.CompileError, "no_root"):
            sluice.load(SAXPY, "no_root")(x)

    def test_graphs_in_dfg(self):
        scaled = sluice.load(SCALE, "scaled", tasks=LEAVES, workers=2)
        for n in (1, 999):
            for factor in (np.float32(3), np.float32(-0.5)):
                x, y = np.arange(n, dtype="f4"), np.ones(n, "f4")
                scaled(factor, x, y, n)
                np.testing.assert_array_equal(y, factor * x)
        x.flags.writeable = False
        scaled(np.float32(2), x, y, n)
        np.testing.assert_array_equal(y, 2 * x)
        with self.assertRaisesRegex(sluice.CompileError, "writes"):
            scaled(np.float32(2), y, x, n)
        with self.assertRaisesRegex(sluice.CompileError, "has 6 inputs"):
            scaled(np.float32(2), x, y)
        with self.assertRaisesRegex(sluice.CompileError, "value of"):
            scaled(2, x, y, n)
        with self.assertRaisesRegex(sluice.CompileError, "it has 'scaled'"):
            sluice.load(SCALE, "root", tasks=LEAVES)(x)
        with self.assertRaisesRegex(sluice.CompileError,
                                    "leaf code 'scale.leaf'") as caught:
            sluice.load(SCALE, "scaled")(np.float32(2), x, y, n)
        problem = caught.exception.problems[0]
        self.assertEqual((os.path.basename(problem.file), problem.line),
                         ("scale.mlir", 2))
        with self.assertRaisesRegex(TypeError, "tasks are for modules"):
            sluice.load(SAXPY, "root", tasks=LEAVES)
        self.assertIn("scale", scaled._repr_svg_())

    def test_pictures(self):
        picture = self.saxpy._repr_svg_()
        self.assertTrue(picture.startswith("<svg"))
        self.assertIn("saxpy", picture)
        self.assertIn("saxpy", sluice.show(SAXPY, explore=True).text)
        with self.assertRaises(sluice.CompileError):
            sluice.show("no-such.c")


if __name__ == "__main__":
    unittest.main()
