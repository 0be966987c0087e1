//===- Values.h - Datasets of a task graph ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of what tasks share, and how a task says what it does with a
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

/// A line of the meta-program. The default arguments of all functions that
/// create something, so `current` is the caller's place. Nothing else converts
/// to one, so that {1, 2} is always a list of values.
class Place {
  struct Key {
    explicit Key() = default;
  };

public:
  /// Made by `current` only.
  constexpr Place(Key, const char *file, unsigned line, unsigned column)
      : file(file), line(line), column(column) {}
  /// Where the call stands that has this as its default argument.
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

  /// The file as the compiler names it, and the line.
  ///@{
  const char *file;
  unsigned line;
  ///@}
  /// 0: not known.
  unsigned column;
};

/// Data that tasks share. Made by the functions of TaskGraph, which owns it.
class SLUICE_API Value {
public:
  /// Made by the functions of a graph.
  explicit Value(ValueImpl *impl) : impl(impl) {}
  virtual ~Value();
  Value(const Value &) = delete;
  Value &operator=(const Value &) = delete;
  /// The name in messages, pictures and printed output; at first d0, d1, ...,
  /// s0 for scalars, o0 for dictionaries.
  Value &setName(const std::string &name);
  /// For the library itself.
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

/// One number; tasks get its value when they start.
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

/// Elements begin, begin + step, ... below `end` of one dimension.
struct Range {
  /// The first index.
  int64_t begin = 0;
  /// The extent, if left out.
  int64_t end = std::numeric_limits<int64_t>::max();
  /// From one index to the next.
  int64_t step = 1;
};

/// What a task does with an argument.
enum class AccessMode { ReadWrite, Read, Write };

/// A dataset as a task uses it: read-write unless `in` or `out` say less.
class Argument {
public:
  /// What a task uses without more words: it reads and writes it.
  Argument(Value *value) : value(value) {}
  /// What it uses, and how.
  Argument(Value *value, AccessMode mode)
      : value(value), mode(mode), isStated(true) {}

  /// What is used.
  Value *value = nullptr;
  /// How.
  AccessMode mode = AccessMode::ReadWrite;
  /// Not the default.
  bool isStated = false;
};

/// The task reads only; an array nobody wrote before, without initial values,
/// is an error.
///@{
inline Argument in(Value *value) { return {value, AccessMode::Read}; }
inline Argument in(Value &value) { return in(&value); }
///@}
/// The task writes every element before it reads any.
///@{
inline Argument out(Value *value) { return {value, AccessMode::Write}; }
inline Argument out(Value &value) { return out(&value); }
///@}
/// The task reads and writes it.
///@{
inline Argument inout(Value *value) { return {value, AccessMode::ReadWrite}; }
inline Argument inout(Value &value) { return inout(&value); }
///@}

/// The arguments of a task: {&a, in(b), out(c)}, or a vector of values.
class Arguments : public std::vector<Argument> {
public:
  Arguments() = default;
  /// From a list of values and of in(), out() and inout().
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
