//===- Results.cpp - Results of a run in the datasets of a graph ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values can be read as any arithmetic type that holds them exactly: a number
// that would change is an error, never a rounded result.
//
//===----------------------------------------------------------------------===//

#include "LoadedProgram.h"
#include "sluice/Base/Text.h"
#include "sluice/TaskGraph/Import.h"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

using namespace sluice;
using namespace sluice::driver;

//===----------------------------------------------------------------------===//
// Finding the memory
//===----------------------------------------------------------------------===//

/// The value behind an object that must belong to this graph.
static const ValueImpl &ownValue(const TaskGraphModel &model,
                                 const Value &object, const char *what) {
  const ValueImpl *value = livingValue(&object);
  if (!value || value->graph != &model)
    throw RunError(concat("the ", what, " belongs to ",
                          value ? "graph " + quoted(value->graph->name)
                                : std::string("no graph"),
                          ", not to ", quoted(model.name)));
  return *value;
}

static std::string describe(const ValueImpl &value) {
  std::string name = value.owner().name;
  std::string place = textOf(value.place);
  return name.empty() ? concat("of ", place)
                      : concat(quoted(name), " of ", place);
}

static const char *memoryOf(const TaskGraphModel &model,
                            const ValueImpl &value) {
  auto *program = static_cast<const LoadedProgram *>(model.state.get());
  const void *memory = program ? program->memoryOf(value.owner()) : nullptr;
  if (!memory && program && value.owner().isDropped)
    throw RunError(concat("graph ", quoted(model.name),
                          " does not keep what runs leave in the value ",
                          describe(value)));
  if (!memory)
    throw RunError(concat("graph ", quoted(model.name),
                          " has no results for the value ", describe(value),
                          ": it has not run, or its last run failed"));
  return static_cast<const char *>(memory);
}

/// Calls `use` with the byte offset of each element; the last dimension varies
/// fastest.
template <typename Function>
static void forEachElement(const ValueImpl &value, Function use) {
  const ValueImpl &owner = value.owner();
  size_t rank = value.shape.size();
  std::vector<int64_t> strides(rank, 1), index(rank, 0);
  for (size_t dimension = rank; dimension-- > 1;)
    strides[dimension - 1] = strides[dimension] * owner.shape[dimension];
  bool isPart = value.kind == ValueImpl::Kind::Part;
  for (int64_t count = value.numElements(); count > 0; --count) {
    int64_t offset = 0;
    for (size_t dimension = 0; dimension < rank; ++dimension)
      offset += strides[dimension] *
                (isPart ? value.offsets[dimension] +
                              index[dimension] * value.steps[dimension]
                        : index[dimension]);
    use(offset * value.type.bytes());
    for (size_t dimension = rank; dimension-- > 0;) {
      if (++index[dimension] < value.shape[dimension])
        break;
      index[dimension] = 0;
    }
  }
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// True if a floating-point number is within the range of `To`, an integer
/// type.
template <typename To> static bool isInRange(double number) {
  double limit = std::ldexp(1.0, std::numeric_limits<To>::digits);
  double lowest = std::is_signed_v<To> ? -limit : 0;
  return number >= lowest && number < limit;
}

/// Converts without loss, or fails. Any NaN stays a NaN.
template <typename To, typename From>
static bool convert(From number, To &result) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (!isInRange<To>(number))
      return false;
    result = static_cast<To>(number);
    return static_cast<From>(result) == number;
  } else if constexpr (std::is_floating_point_v<From>) {
    result = static_cast<To>(number);
    return std::isnan(number) || static_cast<From>(result) == number;
  } else if constexpr (std::is_floating_point_v<To>) {
    result = static_cast<To>(number);
    return isInRange<From>(result) && static_cast<From>(result) == number;
  } else {
    result = static_cast<To>(number);
    return static_cast<From>(result) == number &&
           (result < To{}) == (number < From{});
  }
}

template <typename To, typename From>
static To convertFrom(const char *memory, const ValueImpl &value) {
  From number;
  std::memcpy(&number, memory, sizeof number);
  To result;
  if (convert(number, result))
    return result;
  throw RunError(concat("dataset ", describe(value), " holds ",
                        std::to_string(number),
                        ", which the type it is read as cannot hold exactly"));
}

template <typename To>
static To convertInteger(const char *memory, const ValueImpl &value) {
  bool isSigned = value.type.kind == ElementKind::Signed;
  switch (value.type.bits) {
  case 8:
    return isSigned ? convertFrom<To, int8_t>(memory, value)
                    : convertFrom<To, uint8_t>(memory, value);
  case 16:
    return isSigned ? convertFrom<To, int16_t>(memory, value)
                    : convertFrom<To, uint16_t>(memory, value);
  case 32:
    return isSigned ? convertFrom<To, int32_t>(memory, value)
                    : convertFrom<To, uint32_t>(memory, value);
  default:
    return isSigned ? convertFrom<To, int64_t>(memory, value)
                    : convertFrom<To, uint64_t>(memory, value);
  }
}

template <typename To>
static To convertElement(const char *memory, const ValueImpl &value) {
  if (value.type.kind != ElementKind::Float)
    return convertInteger<To>(memory, value);
  return value.type.bits == 32 ? convertFrom<To, float>(memory, value)
                               : convertFrom<To, double>(memory, value);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

template <typename T> std::vector<T> TaskGraph::readDat(const Dat &dat) const {
  const ValueImpl &value = ownValue(*model, dat, "dataset");
  const char *memory = memoryOf(*model, value);
  std::vector<T> result;
  result.reserve(value.numElements());
  forEachElement(value, [&](int64_t offset) {
    result.push_back(convertElement<T>(memory + offset, value));
  });
  return result;
}

namespace sluice {
#define SLUICE_READ_AS(TYPE)                                                   \
  template SLUICE_API std::vector<TYPE> TaskGraph::readDat<TYPE>(const Dat &)  \
      const;
SLUICE_READ_AS(char)
SLUICE_READ_AS(signed char)
SLUICE_READ_AS(unsigned char)
SLUICE_READ_AS(short)
SLUICE_READ_AS(unsigned short)
SLUICE_READ_AS(int)
SLUICE_READ_AS(unsigned)
SLUICE_READ_AS(long)
SLUICE_READ_AS(unsigned long)
SLUICE_READ_AS(long long)
SLUICE_READ_AS(unsigned long long)
SLUICE_READ_AS(float)
SLUICE_READ_AS(double)
#undef SLUICE_READ_AS
} // namespace sluice

std::vector<double> TaskGraph::readDat(const Dat &dat) const {
  return readDat<double>(dat);
}

double TaskGraph::readScalar(const Scalar &scalar) const {
  const ValueImpl &value = ownValue(*model, scalar, "scalar");
  return convertElement<double>(memoryOf(*model, value), value);
}

int64_t TaskGraph::readInt(const IntScalar &scalar) const {
  const ValueImpl &value = ownValue(*model, scalar, "scalar");
  return convertElement<int64_t>(memoryOf(*model, value), value);
}

uint64_t TaskGraph::readUInt(const IntScalar &scalar) const {
  const ValueImpl &value = ownValue(*model, scalar, "scalar");
  return convertElement<uint64_t>(memoryOf(*model, value), value);
}

const void *TaskGraph::datMemory(const Dat &dat) const {
  const ValueImpl &value = ownValue(*model, dat, "dataset");
  if (value.kind == ValueImpl::Kind::Part)
    throw RunError(concat("the part ", describe(value),
                          " has no memory of its own; readDat copies it"));
  return memoryOf(*model, value);
}

void TaskGraph::keepResult(const Value &object, bool isKept) {
  auto &value = const_cast<ValueImpl &>(ownValue(*model, object, "value"));
  if (value.base)
    throw RunError(concat("the value ", describe(value),
                          " has no memory of its own; name the whole dataset"));
  value.isDropped = !isKept;
}

void *TaskGraph::pyObject(const PyObj &object) const {
  const ValueImpl &value = ownValue(*model, object, "dictionary");
  void *found;
  std::memcpy(&found, memoryOf(*model, value), sizeof found);
  return found;
}

std::shared_ptr<const void> TaskGraph::holdMemory() const {
  return model->state;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The caller's bytes must match the size of the dataset.
static void expectSize(const ValueImpl &value, const void *values, size_t bytes,
                       Place place) {
  if (value.isBad)
    throw RunError(concat(textOf(MetaPlace(place)), ": error: the dataset ",
                          describe(value), " was refused"));
  if (!values || bytes != value.numBytes())
    throw RunError(concat(textOf(MetaPlace(place)), ": error: the dataset ",
                          describe(value), " has ", value.numBytes(),
                          " bytes, but ",
                          values ? std::to_string(bytes) + " are given"
                                 : std::string("the pointer is null")));
}

static void bindValue(TaskGraphModel &model, ValueImpl &value, void *memory,
                      bool isReadOnly, std::shared_ptr<void> owner,
                      MetaPlace place) {
  std::string problem;
  if (value.kind != ValueImpl::Kind::Dat)
    problem = concat("the part ", describe(value),
                     " has no memory of its own; bind the whole dataset");
  else if (reinterpret_cast<uintptr_t>(memory) % value.type.bytes())
    problem = concat("the array for dataset ", describe(value),
                     " is not aligned to its elements of ", value.type.bytes(),
                     " bytes; use a copy");
  if (!problem.empty())
    throw RunError(concat(textOf(place), ": error: ", problem));
  void *before = std::exchange(value.bound, memory);
  bool wasReadOnly = std::exchange(value.isBoundReadOnly, isReadOnly);
  try {
    if (auto *program = static_cast<LoadedProgram *>(model.state.get()))
      program->bind(value);
  } catch (...) {
    value.bound = before;
    value.isBoundReadOnly = wasReadOnly;
    throw;
  }
  value.boundOwner = std::move(owner);
  // A dataset with initial values may be read before it is written.
  if (!before != !memory)
    ++model.revision;
}

void TaskGraph::bindDat(Dat &dat, void *memory, size_t bytes,
                        std::shared_ptr<void> owner, Place place) {
  auto &value = const_cast<ValueImpl &>(ownValue(*model, dat, "dataset"));
  if (memory)
    expectSize(value, memory, bytes, place);
  bindValue(*model, value, memory, /*isReadOnly=*/false, std::move(owner),
            place);
}

void TaskGraph::bindDat(Dat &dat, const void *memory, size_t bytes,
                        std::shared_ptr<void> owner, Place place) {
  auto &value = const_cast<ValueImpl &>(ownValue(*model, dat, "dataset"));
  if (memory)
    expectSize(value, memory, bytes, place);
  bindValue(*model, value, const_cast<void *>(memory), /*isReadOnly=*/true,
            std::move(owner), place);
}

void TaskGraph::writeDat(Dat &dat, const void *values, size_t bytes,
                         Place place) {
  ValueImpl &value = const_cast<ValueImpl &>(ownValue(*model, dat, "dataset"));
  expectSize(value, values, bytes, place);
  ValueImpl &owner = value.owner();
  if (owner.bound)
    throw RunError(concat(textOf(MetaPlace(place)), ": error: the dataset ",
                          describe(value),
                          " lies in an array of the program; write that"));
  if (!owner.hasInitial) {
    owner.initial.assign(owner.numBytes(), 0);
    owner.hasInitial = true;
    ++model->revision; // explicit reads are legal from now on
  }
  const char *source = static_cast<const char *>(values);
  forEachElement(value, [&](int64_t offset) {
    std::memcpy(&owner.initial[offset], source, value.type.bytes());
    source += value.type.bytes();
  });
  if (auto *program = static_cast<LoadedProgram *>(model->state.get()))
    program->setInitial(owner);
}

/// Sets the bytes of a scalar's number, in its own type.
static void writeNumber(TaskGraphModel &model, ValueImpl &value,
                        const void *bytes) {
  const bool wasGiven = value.hasInitial;
  const int64_t width = widthOf(value);
  value.initial.resize(value.type.bytes());
  value.hasInitial = true;
  std::memcpy(value.initial.data(), bytes, value.initial.size());
  if (!wasGiven || width != widthOf(value) || !mayGiveScalars(model))
    ++model.revision;
  else if (auto *program = static_cast<LoadedProgram *>(model.state.get()))
    program->setInitial(value);
}

static ValueImpl &writableScalar(const TaskGraphModel &model,
                                 const Value &object, Place place) {
  auto &value = const_cast<ValueImpl &>(ownValue(model, object, "scalar"));
  if (value.isBad)
    throw RunError(concat(textOf(MetaPlace(place)), ": error: the scalar ",
                          describe(value), " was refused"));
  return value;
}

void TaskGraph::writeScalar(Scalar &scalar, double number, Place place) {
  ValueImpl &value = writableScalar(*model, scalar, place);
  const auto single = static_cast<float>(number);
  if (value.type.bits == 32)
    writeNumber(*model, value, &single);
  else
    writeNumber(*model, value, &number);
}

template <typename Number>
static void writeInteger(TaskGraphModel &model, ValueImpl &value, Number number,
                         Place place) {
  const unsigned unused = 64 - value.type.bits;
  const bool isSigned = value.type.kind == ElementKind::Signed;
  const uint64_t bits = static_cast<uint64_t>(number);
  const bool isNegative = std::is_signed_v<Number> && number < Number{};
  bool fits = isSigned ? static_cast<int64_t>(bits << unused) >> unused ==
                                 static_cast<int64_t>(bits) &&
                             isNegative == (static_cast<int64_t>(bits) < 0)
                       : !isNegative && bits << unused >> unused == bits;
  if (!fits)
    throw RunError(concat(textOf(MetaPlace(place)), ": error: the scalar ",
                          describe(value), " is of type ", textOf(value.type),
                          ", which cannot hold ", std::to_string(number)));
  writeNumber(model, value, &bits);
}

void TaskGraph::writeInt(IntScalar &scalar, int64_t number, Place place) {
  writeInteger(*model, writableScalar(*model, scalar, place), number, place);
}

void TaskGraph::writeUInt(IntScalar &scalar, uint64_t number, Place place) {
  writeInteger(*model, writableScalar(*model, scalar, place), number, place);
}
