//===- HeteroRecords.h - Records of Hetero-C++ calls in the source --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Like the records of HPVM-C calls in Compile.h: keeps information that LLVM IR
// does not contain, on lists of inputs and outputs and on loops, next to the
// module.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_CLANG_HETERORECORDS_H
#define SLUICE_FRONTEND_CLANG_HETERORECORDS_H

#include "sluice/Diagnostics/Diagnostics.h"

#include "llvm/Support/Alignment.h"

#include <string>
#include <vector>

namespace llvm {
class Type;
} // namespace llvm

namespace sluice {

/// A value that enters or leaves a node, as declared in the source.
struct PortRecord {
  /// The type in memory: bool is i8, and a type that contains a union is an
  /// array of integers, so that no byte of any member is lost.
  llvm::Type *type = nullptr;
  llvm::Align alignment = {};
  /// The parameter's name, or that of the variable returned; may be empty.
  std::string name = {};
  /// The type as written.
  std::string spelling = {};
  SourcePlace place = {};
  bool isRestrict = false;
  bool isInput = false;
  bool isOutput = false;
};

/// A variable in a list.
struct HeteroItem {
  /// The argument that points to the variable.
  unsigned argument = 0;
  /// The variable itself is the buffer: `&x` or an array, not a pointer.
  bool isMemory = false;
  /// It stands where a buffer's size is expected.
  bool isSize = false;
  bool isSigned = false;
  bool isOutput = false;
  PortRecord variable = {};
};

/// One loop of a parallel loop nest. Its arguments begin at `argument`: a
/// pointer to the variable; then, as i64, the first value of the variable, this
/// value converted for the comparison, the bound, and the step.
struct HeteroLoop {
  unsigned argument = 0;
  bool isDown = false;
  /// The comparison is `<=` or `>=`.
  bool isInclusive = false;
  bool isUnsigned = false;
  /// Of the variable's type.
  bool hasSign = false;
  PortRecord variable = {};
};

/// A call that names variables. In the IR its first argument is `firstNumber`
/// plus the record's index.
struct HeteroCall {
  static constexpr unsigned firstNumber = 0x50000000;

  /// Launch: a pointer to a temporary for every parameter of the root follows.
  enum class Kind { Launch, LaunchRegion, Task, Loop, Private };
  Kind kind = Kind::Task;
  SourcePlace place = {};
  /// An error was reported: the record is incomplete, and later errors that
  /// follow from it are suppressed.
  bool isBroken = false;
  /// The node's name; may be empty.
  std::string name = {};
  std::vector<HeteroItem> items = {};
  /// The outermost first.
  std::vector<HeteroLoop> loops = {};
  /// Launch: the root's symbol in the module and its name in the source, its
  /// parameters, and a function that takes a pointer to each parameter and
  /// calls the root.
  std::string root = {}, rootName = {}, adapter = {};
  std::vector<PortRecord> parameters = {};
};

} // namespace sluice

#endif // SLUICE_FRONTEND_CLANG_HETERORECORDS_H
