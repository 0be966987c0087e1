//===- ArrayTest.cpp - Datasets as memoryviews ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How Python functions see arrays: types, shapes, parts and read-only memory.
// No view may outlive its task.
//
//===----------------------------------------------------------------------===//

#include "PythonTest.h"

#include <array>
#include <numeric>

using namespace sluice::python::test;

namespace {
using Extents = std::vector<int64_t>;

/// An array of `T`, or a part of one.
template <typename T>
SluicePythonArgument array(std::vector<T> &values, const Extents &shape,
                           const Extents &strides, int64_t offset = 0,
                           bool isReadOnly = false) {
  SluiceElementKind kind = std::is_floating_point_v<T> ? SLUICE_ELEMENT_FLOAT
                           : std::is_signed_v<T>       ? SLUICE_ELEMENT_INT
                                                       : SLUICE_ELEMENT_UINT;
  return {SLUICE_PYTHON_ARRAY,
          uint32_t(kind),
          sizeof(T) * 8,
          isReadOnly,
          values.data(),
          {uint32_t(shape.size()), sizeof(T), offset, shape.data(),
           strides.data()}};
}

class ArrayTest : public PythonTest {};
} // namespace

template <typename T>
static void doubleElements(PythonTest &test, const char *dtype) {
  test.write("twice", R"(
import numpy
def twice(x, dtype):
    names = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
             "uint64", "float32", "float64"]
    y = numpy.asarray(x)
    assert y.dtype == names[dtype], (y.dtype, names[dtype])
    assert y.dtype.name == names[dtype]
    assert x.shape == (2, 3) and x.strides == (3 * x.itemsize, x.itemsize)
    assert x[1, 2] == 6 and not x.readonly and x.contiguous
    x[0, 1] = 9
    y *= 2
)");
  std::vector<std::string> names{"int8",    "int16",  "int32",  "int64",
                                 "uint8",   "uint16", "uint32", "uint64",
                                 "float32", "float64"};
  int64_t index = std::find(names.begin(), names.end(), dtype) - names.begin();
  std::vector<T> values{1, 2, 3, 4, 5, 6};
  Extents shape{2, 3}, strides{3, 1};
  EXPECT_EQ(test.call("twice", "twice",
                      {array(values, shape, strides),
                       scalar(SLUICE_ELEMENT_INT, 64, &index)}),
            "");
  EXPECT_EQ(values, (std::vector<T>{2, 18, 6, 8, 10, 12})) << dtype;
}

TEST_F(ArrayTest, AllElementTypes) {
  doubleElements<int8_t>(*this, "int8");
  doubleElements<int16_t>(*this, "int16");
  doubleElements<int32_t>(*this, "int32");
  doubleElements<int64_t>(*this, "int64");
  doubleElements<uint8_t>(*this, "uint8");
  doubleElements<uint16_t>(*this, "uint16");
  doubleElements<uint32_t>(*this, "uint32");
  doubleElements<uint64_t>(*this, "uint64");
  doubleElements<float>(*this, "float32");
  doubleElements<double>(*this, "float64");
}

TEST_F(ArrayTest, Part) {
  write("part", R"(
import numpy
def part(x):
    y = numpy.asarray(x)
    assert y.shape == (2, 2) and y.strides == (64, 16), (y.shape, y.strides)
    assert not x.c_contiguous
    y[:] = y * 10
)");
  std::vector<double> values(16);
  std::iota(values.begin(), values.end(), 0);
  // Rows 1 and 3, columns 0 and 2 of 4 x 4.
  Extents shape{2, 2}, strides{8, 2};
  EXPECT_EQ(call("part", "part", {array(values, shape, strides, 4)}), "");
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2, 3, 40, 5, 60, 7, 8, 9, 10, 11,
                                         120, 13, 140, 15}));
}

TEST_F(ArrayTest, ReadOnly) {
  write("readonly", R"(
import numpy
def readonly(x):
    assert x.readonly and not numpy.asarray(x).flags.writeable
    try:
        x[0] = 1.0
    except TypeError as error:
        assert "read-only" in str(error)
    else:
        raise AssertionError("wrote a read-only array")
    try:
        numpy.asarray(x)[0] = 1.0
    except ValueError:
        return
    raise AssertionError("NumPy wrote a read-only array")
)");
  std::vector<float> values{4, 5};
  Extents shape{2}, strides{1};
  EXPECT_EQ(call("readonly", "readonly",
                 {array(values, shape, strides, 0, /*isReadOnly=*/true)}),
            "");
  EXPECT_EQ(values, (std::vector<float>{4, 5}));
}

TEST_F(ArrayTest, ScalarByReference) {
  write("reference", R"(
def reference(x):
    assert x.ndim == 0 and x[()] == 40
    x[()] = x[()] + 2
)");
  std::vector<int16_t> value{40};
  EXPECT_EQ(call("reference", "reference", {array(value, {}, {})}), "");
  EXPECT_EQ(value[0], 42);
}

TEST_F(ArrayTest, Empty) {
  write("empty", "def empty(x): assert x.shape == (0, 3) and x.nbytes == 0\n");
  std::vector<double> nothing;
  Extents shape{0, 3}, strides{3, 1};
  EXPECT_EQ(call("empty", "empty", {array(nothing, shape, strides)}), "");
}

TEST_F(ArrayTest, KeptMemoryviewIsReleased) {
  write("keep", R"(
kept = []
def keep(x):
    kept.append(x)
    kept.append(x.obj)
def use():
    try:
        kept[0][0]
    except ValueError as error:
        assert "released" in str(error)
    else:
        raise AssertionError("read memory of another task")
    try:
        memoryview(kept[1])
    except BufferError as error:
        assert "has ended" in str(error)
    else:
        raise AssertionError("saw memory of another task")
)");
  std::vector<double> values{1};
  Extents shape{1}, strides{1};
  EXPECT_EQ(call("keep", "keep", {array(values, shape, strides)}), "");
  EXPECT_EQ(call("keep", "use"), "");
}

TEST_F(ArrayTest, ArraysInCyclesAreCollected) {
  write("cycle", R"(
import numpy
class Node: pass
def cycle(x):
    node = Node()
    node.array, node.self = numpy.asarray(x), node
)");
  std::vector<double> values{1};
  Extents shape{1}, strides{1};
  EXPECT_EQ(call("cycle", "cycle", {array(values, shape, strides)}), "");
}

TEST_F(ArrayTest, ArraysOfAFailedTaskAreFreed) {
  write("failed", R"(
import numpy
def failed(x):
    y = numpy.asarray(x)
    try:
        y[3]
    except IndexError as error:
        raise RuntimeError("outer") from error
def fine(x): x[0] = 2
)");
  std::vector<double> values{1};
  Extents shape{1}, strides{1};
  EXPECT_NE(call("failed", "failed", {array(values, shape, strides)})
                .find("RuntimeError: outer"),
            std::string::npos);
  EXPECT_EQ(call("failed", "fine", {array(values, shape, strides)}), "");
  EXPECT_EQ(values[0], 2);
}

TEST_F(ArrayTest, KeptArrayFailsTheTask) {
  write("store", R"(
import numpy
def store(state, x): state["x"] = numpy.asarray(x)
def other(): pass
)");
  std::vector<double> values{1};
  Extents shape{1}, strides{1};
  {
    Object state;
    EXPECT_EQ(call("store", "store",
                   {state.argument(), array(values, shape, strides)}),
              "the function kept a view of argument 2 beyond its end, such as "
              "a NumPy array made from it; keep a copy instead: "
              "numpy.array(x)");
    EXPECT_NE(call("store", "other").find("cannot run any more"),
              std::string::npos);
  }
  drain(); // the array is gone with its dictionary
}
