//===- Values.h - Datasets of a task graph ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of data that tasks share, and how a task declares its use of a
// value.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_VALUES_H
#define SLUICE_TASKGRAPH_VALUES_H

#include "sluice/TaskGraph/Export.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace sluice {

struct ValueImpl;

/// A line of the meta-program. All functions that create something have a
/// default argument of this type, so `current` is the caller's place. Nothing
/// else converts to this type, so {1, 2} is always a list of values.
class Place {
  struct Key {
    explicit Key() = default;
  };

public:
  /// Called only by `current`.
  constexpr Place(Key, const char *file, unsigned line, unsigned column)
      : file(file), line(line), column(column) {}
  /// The place of the call that has this as its default argument.
  static constexpr Place current(const char *file = __builtin_FILE(),
                                 unsigned line = __builtin_LINE(),
#if defined(__clang__)
                                 unsigned column = __builtin_COLUMN()
#else
                                 unsigned column = 0
#endif
  ) {
    return Place(Key(), file, line, column);
  }

  /// The file name from the compiler, and the line.
  ///@{
  const char *file;
  unsigned line;
  ///@}
  /// 0 if not known.
  unsigned column;
};

/// Data that tasks share. Created and owned by a TaskGraph.
class SLUICE_API Value {
public:
  /// Called by the functions of a graph.
  explicit Value(ValueImpl *impl) : impl(impl) {}
  virtual ~Value();
  Value(const Value &) = delete;
  Value &operator=(const Value &) = delete;
  /// Sets the name in messages, pictures and printed output. The defaults are
  /// d0, d1, ... for arrays, s0, ... for scalars, o0, ... for dictionaries.
  Value &setName(const std::string &name);
  /// For internal use by the library.
  ValueImpl *getImpl() const { return impl; }

private:
  ValueImpl *impl;
};

/// An array, row-major.
class SLUICE_API Dat : public Value {
public:
  using Value::Value;
};
class SLUICE_API DoubleDat : public Dat {
public:
  using Dat::Dat;
};
class SLUICE_API FloatDat : public Dat {
public:
  using Dat::Dat;
};
class SLUICE_API IntDat : public Dat {
public:
  using Dat::Dat;
};

/// One number; tasks receive its value when they start.
class SLUICE_API Scalar : public Value {
public:
  using Value::Value;
};
class SLUICE_API IntScalar : public Scalar {
public:
  using Scalar::Scalar;
};
class SLUICE_API DoubleScalar : public Scalar {
public:
  using Scalar::Scalar;
};
class SLUICE_API FloatScalar : public Scalar {
public:
  using Scalar::Scalar;
};
/// A scalar passed by reference.
class SLUICE_API PtrScalar : public Scalar {
public:
  using Scalar::Scalar;
};

/// A Python dictionary.
class SLUICE_API PyObj : public Value {
public:
  using Value::Value;
};

/// The elements begin, begin + step, ... below `end` of one dimension.
struct Range {
  /// The first index.
  int64_t begin = 0;
  /// The end (exclusive); by default the extent.
  int64_t end = std::numeric_limits<int64_t>::max();
  /// The distance between indices.
  int64_t step = 1;
};

/// How a task uses an argument.
enum class AccessMode { ReadWrite, Read, Write };

/// A dataset as a task uses it: read-write unless `in` or `out` restrict it.
class Argument {
public:
  /// A value that the task reads and writes.
  Argument(Value *value) : value(value) {}
  /// A value with an access mode.
  Argument(Value *value, AccessMode mode)
      : value(value), mode(mode), isStated(true) {}

  /// The value.
  Value *value = nullptr;
  /// The access mode.
  AccessMode mode = AccessMode::ReadWrite;
  /// The mode was stated explicitly.
  bool isStated = false;
};

/// The task only reads the value. It is an error if the value is an array
/// without initial values that no earlier task wrote.
///@{
inline Argument in(Value *value) { return {value, AccessMode::Read}; }
inline Argument in(Value &value) { return in(&value); }
///@}
/// The task writes every element before it reads any.
///@{
inline Argument out(Value *value) { return {value, AccessMode::Write}; }
inline Argument out(Value &value) { return out(&value); }
///@}
/// The task reads and writes the value.
///@{
inline Argument inout(Value *value) { return {value, AccessMode::ReadWrite}; }
inline Argument inout(Value &value) { return inout(&value); }
///@}

/// The arguments of a task: {&a, in(b), out(c)}, or a vector of values.
class Arguments : public std::vector<Argument> {
public:
  Arguments() = default;
  /// Constructs from a list of values and of in(), out() and inout().
  ///@{
  Arguments(std::initializer_list<Argument> list)
      : std::vector<Argument>(list) {}
  Arguments(const std::vector<Argument> &list) : std::vector<Argument>(list) {}
  Arguments(const std::vector<Value *> &values)
      : std::vector<Argument>(values.begin(), values.end()) {}
  ///@}
};

} // namespace sluice

#endif // SLUICE_TASKGRAPH_VALUES_H
