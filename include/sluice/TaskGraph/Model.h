//===- Model.h - A task graph as described by its meta-program ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain data: the contents of the calls of a meta-program, and the errors in
// them. The classes of TaskGraph.h fill it in; Import.h turns it into the dfg
// dialect. Not installed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_MODEL_H
#define SLUICE_TASKGRAPH_MODEL_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/TaskGraph.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// A line of the meta-program; outlives the code that it refers to.
struct MetaPlace : SourcePlace {
  MetaPlace() = default;
  MetaPlace(Place place) : SourcePlace{place.file, place.line, place.column} {}
};

enum class ElementKind { Signed, Unsigned, Float };

struct ScalarType {
  ElementKind kind = ElementKind::Float;
  unsigned bits = 64;

  unsigned bytes() const { return bits / 8; }
  bool operator==(const ScalarType &) const = default;
};

/// "si8", "ui32", "f64".
std::string textOf(ScalarType type);

struct TaskGraphModel;

/// A dataset, or a value that stands for another one.
struct ValueImpl {
  enum class Kind { Dat, Part, Scalar, Pointer, Object };

  TaskGraphModel *graph = nullptr;
  Kind kind = Kind::Dat;
  MetaPlace place;
  std::string name;
  /// Its creation was refused; errors that follow from this are not reported.
  bool isBad = false;

  ScalarType type;
  /// Extents; for a part, those of the part.
  std::vector<int64_t> shape;
  /// Values as stored in memory; empty if none were given.
  std::vector<char> initial;
  bool hasInitial = false;
  /// The array of the program in which it lies, and the owner of the array; or
  /// null.
  void *bound = nullptr;
  bool isBoundReadOnly = false;
  /// Nobody reads its content after runs.
  bool isDropped = false;
  std::shared_ptr<void> boundOwner;

  /// The dataset of a part, or the scalar behind a pointer; else null.
  ValueImpl *base = nullptr;
  /// For a part: the dataset or part from which it was made.
  const ValueImpl *whole = nullptr;
  /// For a part: per dimension of the base, in its elements.
  std::vector<int64_t> offsets, steps;

  /// Whether it has initial values.
  bool isGiven() const { return hasInitial || bound; }
  /// The value that owns the memory.
  const ValueImpl &owner() const { return base ? *base : *this; }
  ValueImpl &owner() { return base ? *base : *this; }
  int64_t numElements() const;
  size_t numBytes() const { return numElements() * type.bytes(); }
};

struct TaskArgument {
  ValueImpl *value = nullptr;
  AccessMode mode = AccessMode::ReadWrite;
};

struct TaskImpl {
  enum class Kind { C, Halide, Python, Fem, Hpvm };

  TaskGraphModel *graph = nullptr;
  Kind kind = Kind::C;
  MetaPlace place;
  /// Function, generator, form or root; Python module.
  std::string callee, module;
  /// Empty unless set.
  std::string name;
  /// For Python: a PyObject * of this process, and its owner; or null.
  void *function = nullptr;
  std::shared_ptr<void> functionOwner;
  std::vector<TaskArgument> arguments;
  std::vector<TaskImpl *> dependencies;

  std::string source;
  std::vector<std::string> flags;
  /// Sets of parameters; the first is the kernel's own.
  std::vector<Parameters> variants;
  std::vector<int64_t> extents;
  std::vector<std::string> writtenFiles, readFiles;
  bool isContiguous = false;
  bool returnsStatus = false;
  bool takesLargeSizes = false;
  bool takesAnySign = false;
  bool isIndependent = false;

  /// "module.function" or the name of the kernel.
  std::string kernelText() const;
};

struct KernelSource {
  MetaPlace place;
  std::string path;
  std::vector<std::string> flags;
};

struct PythonGenerator {
  MetaPlace place;
  std::string module, function;
};

/// The state of a graph between runs; only the driver knows its content.
class ProgramState {
public:
  virtual ~ProgramState();
};

struct TaskGraphModel {
  explicit TaskGraphModel(std::string name, MetaPlace place)
      : name(std::move(name)), place(std::move(place)) {}
  ~TaskGraphModel();

  std::string name;
  MetaPlace place;
  bool printsData = false;
  /// Values and tasks in creation order, each with the object that the
  /// meta-program holds.
  std::vector<std::unique_ptr<ValueImpl>> values;
  std::vector<std::unique_ptr<Value>> valueObjects;
  std::vector<std::unique_ptr<TaskImpl>> tasks;
  std::vector<std::unique_ptr<Task>> taskObjects;
  std::vector<KernelSource> sources;
  std::vector<PythonGenerator> generators;
  /// Problems of the calls so far.
  std::vector<Diagnostic> problems;
  /// Counts changes that make a compiled program outdated.
  uint64_t revision = 0;

  std::shared_ptr<ProgramState> state;

  Diagnostic &error(const MetaPlace &place, std::string text);
};

/// Problems of the calls, in their order, followed by those of the whole graph.
std::vector<Diagnostic> checkModel(const TaskGraphModel &model);

/// The absolute form of a path that a meta-program names at `place`: relative
/// to the working directory or, if it does not exist there, to the folder of
/// that source. Nullopt if it exists in neither.
std::optional<std::string> findFile(const std::string &path,
                                    const MetaPlace &place);

/// The value or task behind a caller's pointer; null if no graph of the process
/// owns it (any more). Pointers are only compared, so dangling pointers do no
/// harm.
ValueImpl *livingValue(const Value *value);
TaskImpl *livingTask(const Task *task);

} // namespace sluice

#endif // SLUICE_TASKGRAPH_MODEL_H
