"""Layouts from NumPy, packed and unpacked, beside NumPy's own copies."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import unittest

import numpy as np
import sluice
from sluice import pack


class FromArrays(unittest.TestCase):
    def check(self, view):
        """Packing is what NumPy copies, and unpacking restores all of it, and
        nothing else."""
        layout = pack.of(view)
        packed = layout.pack(view)
        self.assertEqual(layout.size, view.size * view.dtype.itemsize)
        self.assertEqual(packed.tobytes(), view.tobytes())
        base = view
        while isinstance(base.base, np.ndarray):
            base = base.base
        before = base.copy()
        view[...] = np.zeros((), view.dtype)
        layout.unpack(packed, view)
        self.assertEqual(base.tobytes(), before.tobytes())

    def test_random_views(self):
        random = np.random.default_rng(1)
        types = ["i1", "u2", "i4", "f4", "f8", "c16", "S3", "?", "f2", ">i4"]
        for seed in range(300):
            shape = random.integers(1, 7, random.integers(1, 5))
            base = random.integers(0, 250, (*shape, 16), dtype=np.uint8)
            dtype = np.dtype(types[seed % len(types)])
            count = int(np.prod(shape))
            array = np.frombuffer(bytearray(
                base.tobytes()[:count * dtype.itemsize]), dtype).reshape(shape)
            if dtype.kind == "b":
                array = (base[..., 0] % 2 == 1).copy()
            view = array
            ranges = []
            for extent in shape:
                begin = int(random.integers(0, extent))
                end = int(random.integers(begin, extent + 1))
                step = int(random.integers(1, 4))
                entry = slice(begin, end, step)
                if random.integers(0, 3) == 0:
                    entry = slice(None, None, -step)
                ranges.append(entry)
            view = view[tuple(ranges)].transpose(
                random.permutation(len(shape)))
            with self.subTest(seed=seed):
                self.check(view)

    def test_broadcast(self):
        view = np.broadcast_to(np.arange(3.0), (4, 3))
        self.assertEqual(pack.of(view).pack(view).tobytes(), view.tobytes())

    def test_fields(self):
        dtype = np.dtype([("a", "i1"), ("b", "f8"), ("c", "u2", (2, 3))],
                         align=True)
        data = np.zeros(5, dtype)
        data["a"], data["b"] = np.arange(5), np.arange(5) / 3
        data["c"] = np.arange(30).reshape(5, 2, 3)
        layout = pack.of_dtype(dtype)
        self.assertEqual((layout.size, layout.extent), (21, dtype.itemsize))
        packed = layout.pack(data, 5)
        expected = b"".join(row["a"].tobytes() + row["b"].tobytes()
                            + row["c"].tobytes() for row in data)
        self.assertEqual(packed.tobytes(), expected)
        other = np.zeros(5, dtype)
        layout.unpack(packed, other, 5)
        np.testing.assert_array_equal(other, data)
        column = data["b"]
        self.assertEqual(pack.of(column).pack(column).tobytes(),
                         column.tobytes())
        with self.assertRaisesRegex(TypeError, "Python objects"):
            pack.of_dtype(object)

    def test_a_buffer_of_the_caller(self):
        view = np.arange(12).reshape(3, 4)[:, ::2]
        layout = pack.of(view).compile()
        for buffer in (np.zeros(6, int), bytearray(60)):
            self.assertIs(layout.pack(view, out=buffer), buffer)
            self.assertEqual(bytes(buffer)[:48], view.tobytes())
        target = np.zeros((3, 4), int)
        self.assertIs(layout.unpack(bytes(buffer), target), target)
        np.testing.assert_array_equal(target[:, ::2], view)


class Texts(unittest.TestCase):
    def test_constructors_and_their_text(self):
        ints = pack.Layout("int")
        cases = [
            (pack.contiguous(3, "i4"), "ctg(3)[int32]", 12, 12),
            (pack.vector(2, 3, 5, ints), "vec(2 3 5)[int]", 24, 32),
            (pack.hvector(2, 3, 17, "u1"), "hvec(2 3 17)[uint8]", 6, 20),
            (pack.indexed([1, 2], [4, 0], ints), "idx(4,1 0,2)[int]", 12, 20),
            (pack.hindexed([1, 2], [16, 0], ints), "hidx(16,1 0,2)[int]", 12,
             20),
            (pack.struct([3, 1], [0, 24], ["f8", ints]),
             "struct(0,3[double] 24,1[int])", 28, 32),
            (pack.subarray([4, 5], [2, 3], [1, 1], "f4"),
             "subarray(c: 4,2,1 5,3,1)[float]", 24, 80),
            (pack.resized(ints, -4, 16), "resized(-4 16)[int]", 4, 16)]
        for layout, text, size, extent in cases:
            with self.subTest(text):
                self.assertEqual(pack.Layout(text).text, layout.text)
                self.assertEqual((layout.size, layout.extent), (size, extent))
                self.assertEqual(repr(layout), f"Layout('{layout.text}')")
        self.assertEqual(cases[-1][0].lower_bound, -4)
        self.assertTrue(cases[1][0].kernel)

    def test_mistakes(self):
        for text, words in (("vec(2 3)[int]", "1:"), ("in", "1:1"),
                            ("", "1:1")):
            with self.assertRaisesRegex(ValueError, words):
                pack.Layout(text)
        with self.assertRaisesRegex(ValueError, "negative"):
            pack.contiguous(-1, "i4")
        with self.assertRaises(ValueError):
            pack.indexed([1], [1, 2], "i4")
        with self.assertRaises(ValueError):
            pack.subarray([4], [2], [1], "i4", "X")

    def test_only_what_is_there_is_touched(self):
        layout = pack.vector(2, 1, 3, "i4")  # 16 bytes, extent 16
        data = np.arange(10, dtype="i4")
        self.assertEqual(layout.pack(data[6:]).view("i4").tolist(), [6, 9])
        for count, array in ((1, data[7:]), (3, data), (2**62, data)):
            with self.assertRaisesRegex(ValueError, "reach from byte"):
                layout.pack(array, count)
            with self.assertRaisesRegex(ValueError, "reach from byte"):
                layout.unpack(bytes(64), array, count)
        below = pack.hindexed([1], [-4], "i4")
        with self.assertRaisesRegex(ValueError, "from byte -4"):
            below.pack(data)
        with self.assertRaisesRegex(ValueError, "count is -1"):
            layout.pack(data, -1)
        with self.assertRaisesRegex(ValueError, "8 are needed"):
            layout.pack(data, out=bytearray(7))
        with self.assertRaisesRegex(ValueError, "8 are needed"):
            layout.unpack(bytes(7), data)
        with self.assertRaisesRegex(ValueError, "read-only"):
            layout.pack(data, out=bytes(8))
        with self.assertRaisesRegex(ValueError, "read-only"):
            layout.unpack(bytes(8), bytes(16))
        with self.assertRaisesRegex(ValueError, "share memory"):
            layout.pack(data, out=data)
        self.assertEqual(layout.pack(data, 0).size, 0)
        np.testing.assert_array_equal(data, np.arange(10))

    def test_pictures(self):
        picture = pack.vector(2, 3, 5, "i4")._repr_svg_()
        self.assertTrue(picture.startswith("<svg"))
        self.assertIn("<svg", pack.of(np.zeros((5, 6))[:, ::2])._repr_svg_())


if __name__ == "__main__":
    unittest.main()
