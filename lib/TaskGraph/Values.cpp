//===- Values.cpp - Creating datasets, scalars and dictionaries -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function checks its own arguments. An invalid dataset is still created,
// so that the program continues and more errors are found.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "sluice/Base/Text.h"

#include <cstring>

using namespace sluice;

static bool isWidth(int64_t width) {
  return width == 8 || width == 16 || width == 32 || width == 64;
}

/// Reports the value as invalid. Later problems with it are consequences and
/// are not reported.
static void refuse(ValueImpl &value, std::string text) {
  value.graph->error(value.place, std::move(text));
  value.isBad = true;
}

static void setWidth(ValueImpl &value, ElementKind kind, int64_t width) {
  if (!isWidth(width))
    refuse(value,
           concat("integers have 8, 16, 32 or 64 bits, not ", width,
                  width == 128
                      ? ": kernels in C, Halide and Python share no wider "
                        "ones; make it two of 64 bits"
                  : width == 1 || width == 2 || width == 4
                      ? ": kernels in C, Halide and Python share no narrower "
                        "ones, and memory has no addresses for them; 8 bits "
                        "hold the same values"
                      : ""));
  value.type = {kind, isWidth(width) ? static_cast<unsigned>(width) : 64};
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The reason why an array of these extents is impossible; empty if it is
/// possible.
static std::string shapeProblem(const std::vector<int64_t> &shape,
                                unsigned bytes) {
  int64_t size = bytes;
  for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
    if (shape[dimension] < 1)
      return concat("dimension ", dimension, " has the extent ",
                    shape[dimension], ", expected at least 1");
    if (__builtin_mul_overflow(size, shape[dimension], &size))
      return concat("a dataset of ", shapeText(shape), " elements of ", bytes,
                    " bytes is larger than 64 bits can address");
  }
  return "";
}

static void setShape(ValueImpl &value, int dims, const std::vector<int> &size) {
  value.shape.assign(size.begin(), size.end());
  std::string problem;
  if (dims < 1)
    problem = concat("a dataset has at least one dimension, not ", dims);
  else if (static_cast<size_t>(dims) != size.size())
    problem = concat("a dataset of ",
                     countOf(dims, "dimension needs", "dimensions needs"), " ",
                     countOf(dims, "extent", "extents"), ", but ", size.size(),
                     size.size() == 1 ? " is" : " are", " given");
  else
    problem = shapeProblem(value.shape, value.type.bytes());
  if (!problem.empty())
    refuse(value, problem);
}

/// True if there are as many values as elements; otherwise reports an error.
static bool checkCount(ValueImpl &value, size_t count) {
  if (value.isBad)
    return false;
  if (static_cast<uint64_t>(value.numElements()) == count)
    return true;
  refuse(value,
         concat("a dataset of ", shapeText(value.shape), " has ",
                countOf(value.numElements(), "element", "elements"), ", but ",
                countOf(count, "value is", "values are"), " given"));
  return false;
}

template <typename Number>
static void setInitial(ValueImpl &value, const std::vector<Number> &values) {
  if (!checkCount(value, values.size()))
    return;
  value.hasInitial = true;
  value.initial.resize(value.numBytes());
  std::memcpy(value.initial.data(), values.data(), value.initial.size());
}

/// The minimum and the maximum of an integer type.
static int64_t minOf(ScalarType type) {
  return type.kind == ElementKind::Unsigned
             ? 0
             : -1 - (INT64_MAX >> (64 - type.bits));
}
static uint64_t maxOf(ScalarType type) {
  return type.kind == ElementKind::Unsigned
             ? UINT64_MAX >> (64 - type.bits)
             : static_cast<uint64_t>(INT64_MAX) >> (64 - type.bits);
}

template <typename Number> static bool fits(ScalarType type, Number number) {
  if (number < 0)
    return static_cast<int64_t>(number) >= minOf(type);
  return static_cast<uint64_t>(number) <= maxOf(type);
}

/// The low bytes of each number; reports numbers that do not fit.
template <typename Number>
static void setIntegers(ValueImpl &value, const std::vector<Number> &values) {
  if (!checkCount(value, values.size()))
    return;
  for (size_t index = 0; index < values.size(); ++index)
    if (!fits(value.type, values[index]))
      return refuse(value,
                    concat("value ", index, " is ", values[index], ", but ",
                           textOf(value.type), " holds ", minOf(value.type),
                           " to ", maxOf(value.type)));
  unsigned bytes = value.type.bytes();
  value.hasInitial = true;
  value.initial.resize(value.numBytes());
  for (size_t index = 0; index < values.size(); ++index)
    std::memcpy(&value.initial[index * bytes], &values[index], bytes);
}

template <typename T>
static T &createArray(TaskGraphModel &model, ScalarType type, int dims,
                      const std::vector<int> &size, Place place) {
  T &dat = addValue<T>(model, ValueImpl::Kind::Dat, place);
  dat.getImpl()->type = type;
  setShape(*dat.getImpl(), dims, size);
  return dat;
}

static IntDat &createIntegers(TaskGraphModel &model, ElementKind kind,
                              int width, int dims, const std::vector<int> &size,
                              Place place) {
  IntDat &dat = addValue<IntDat>(model, ValueImpl::Kind::Dat, place);
  setWidth(*dat.getImpl(), kind, width);
  setShape(*dat.getImpl(), dims, size);
  return dat;
}

static constexpr ScalarType doubles{ElementKind::Float, 64};
static constexpr ScalarType floats{ElementKind::Float, 32};

Dat &TaskGraph::createDat(int n, int m, Place place) {
  return createArray<DoubleDat>(*model, doubles, 2, {n, m}, place);
}

Dat &TaskGraph::createDat(int n, int m, const std::vector<double> &values,
                          Place place) {
  Dat &dat = createDat(n, m, place);
  setInitial(*dat.getImpl(), values);
  return dat;
}

DoubleDat &TaskGraph::createDoubleDat(int dims, std::vector<int> size,
                                      Place place) {
  return createArray<DoubleDat>(*model, doubles, dims, size, place);
}

DoubleDat &TaskGraph::createDoubleDat(int dims, std::vector<int> size,
                                      const std::vector<double> &values,
                                      Place place) {
  DoubleDat &dat = createDoubleDat(dims, std::move(size), place);
  setInitial(*dat.getImpl(), values);
  return dat;
}

FloatDat &TaskGraph::createFloatDat(int dims, std::vector<int> size,
                                    Place place) {
  return createArray<FloatDat>(*model, floats, dims, size, place);
}

FloatDat &TaskGraph::createFloatDat(int dims, std::vector<int> size,
                                    const std::vector<float> &values,
                                    Place place) {
  FloatDat &dat = createFloatDat(dims, std::move(size), place);
  setInitial(*dat.getImpl(), values);
  return dat;
}

IntDat &TaskGraph::createIntDat(int width, int dims, std::vector<int> size,
                                Place place) {
  return createIntegers(*model, ElementKind::Signed, width, dims, size, place);
}

IntDat &TaskGraph::createIntDat(int width, int dims, std::vector<int> size,
                                const std::vector<int64_t> &values,
                                Place place) {
  IntDat &dat = createIntDat(width, dims, std::move(size), place);
  setIntegers(*dat.getImpl(), values);
  return dat;
}

IntDat &TaskGraph::createUIntDat(int width, int dims, std::vector<int> size,
                                 Place place) {
  return createIntegers(*model, ElementKind::Unsigned, width, dims, size,
                        place);
}

IntDat &TaskGraph::createUIntDat(int width, int dims, std::vector<int> size,
                                 const std::vector<uint64_t> &values,
                                 Place place) {
  IntDat &dat = createUIntDat(width, dims, std::move(size), place);
  setIntegers(*dat.getImpl(), values);
  return dat;
}

//===----------------------------------------------------------------------===//
// Scalars and dictionaries
//===----------------------------------------------------------------------===//

static void setBits(ValueImpl &value, const void *bits) {
  value.hasInitial = true;
  value.initial.resize(value.type.bytes());
  std::memcpy(value.initial.data(), bits, value.initial.size());
}

static IntScalar &createInteger(TaskGraphModel &model, ElementKind kind,
                                uint8_t width, Place place) {
  IntScalar &scalar =
      addValue<IntScalar>(model, ValueImpl::Kind::Scalar, place);
  setWidth(*scalar.getImpl(), kind, width);
  return scalar;
}

IntScalar &TaskGraph::createIntScalar(uint8_t width, Place place) {
  return createInteger(*model, ElementKind::Signed, width, place);
}

IntScalar &TaskGraph::createIntScalar(uint8_t width, uint64_t v, Place place) {
  IntScalar &scalar = createIntScalar(width, place);
  ValueImpl &value = *scalar.getImpl();
  if (value.isBad)
    return scalar;
  // A number beyond the signed type must be an unsigned one.
  ScalarType unsignedType{ElementKind::Unsigned, value.type.bits};
  if (!fits(value.type, static_cast<int64_t>(v)))
    value.type = unsignedType;
  if (!fits(ScalarType{ElementKind::Signed, value.type.bits},
            static_cast<int64_t>(v)) &&
      !fits(unsignedType, v))
    refuse(value, concat("the value ", static_cast<int64_t>(v),
                         " does not fit into ", value.type.bits, " bits"));
  else
    setBits(value, &v);
  return scalar;
}

IntScalar &TaskGraph::createUIntScalar(uint8_t width, Place place) {
  return createInteger(*model, ElementKind::Unsigned, width, place);
}

IntScalar &TaskGraph::createUIntScalar(uint8_t width, uint64_t v, Place place) {
  IntScalar &scalar = createUIntScalar(width, place);
  ValueImpl &value = *scalar.getImpl();
  if (value.isBad)
    return scalar;
  if (fits(value.type, v))
    setBits(value, &v);
  else
    refuse(value, concat("the value ", v, " does not fit into ",
                         value.type.bits, " bits"));
  return scalar;
}

DoubleScalar &TaskGraph::createDoubleScalar(double v, Place place) {
  DoubleScalar &scalar =
      addValue<DoubleScalar>(*model, ValueImpl::Kind::Scalar, place);
  scalar.getImpl()->type = doubles;
  setBits(*scalar.getImpl(), &v);
  return scalar;
}

FloatScalar &TaskGraph::createFloatScalar(float v, Place place) {
  FloatScalar &scalar =
      addValue<FloatScalar>(*model, ValueImpl::Kind::Scalar, place);
  scalar.getImpl()->type = floats;
  setBits(*scalar.getImpl(), &v);
  return scalar;
}

/// The reason why a pointer to `dest` is invalid; empty if it is valid.
static std::string pointerProblem(const TaskGraphModel &model,
                                  const ValueImpl *dest) {
  if (!dest)
    return "the scalar of this pointer is null or belongs to no graph";
  if (dest->graph != &model)
    return concat("the scalar of this pointer belongs to graph ",
                  quoted(dest->graph->name), ", not to ", quoted(model.name));
  if (dest->kind == ValueImpl::Kind::Pointer)
    return "a pointer to a pointer: pass the scalar itself";
  return "";
}

PtrScalar &TaskGraph::createPtrScalar(Scalar *dest, Place place) {
  PtrScalar &pointer =
      addValue<PtrScalar>(*model, ValueImpl::Kind::Pointer, place);
  ValueImpl &value = *pointer.getImpl();
  ValueImpl *scalar = livingValue(dest);
  std::string problem = pointerProblem(*model, scalar);
  if (!problem.empty()) {
    refuse(value, problem);
    if (scalar)
      model->problems.back().notes.push_back(
          {scalar->place, "the scalar is created here"});
    return pointer;
  }
  value.base = scalar;
  value.type = scalar->type;
  value.isBad = scalar->isBad;
  return pointer;
}

PyObj &TaskGraph::createPyObj(Place place) {
  return addValue<PyObj>(*model, ValueImpl::Kind::Object, place);
}
