//===- TaskGraph.h - Programs as graphs of tasks over datasets --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a meta-program includes: it describes a program as tasks (kernels in C,
// Halide, Python, finite elements, or whole HPVM graphs) over datasets, and
// runs it here (TaskGraph::run) or compiles it to an executable (compile).
//
//   sluice::TaskGraph graph("scale");
//   sluice::Dat &x = graph.createDat(3, 2, {1, 2, 3, 4, 5, 6});
//   graph.createTask(sluice::CKernel("twice", "kernels.c"), {&x});
//   graph.run();
//
// Nothing of LLVM, MLIR or Halide is needed to include this; C++17 is enough.
// Generators of Halide include <sluice/TaskGraph/Halide.h> as well.
//
// A meta-program makes mistakes at places that it would like to know, so every
// function that creates something takes its caller's place; leave it alone.
// Mistakes are collected and reported together, before anything is compiled.
// A graph is used by one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_H
#define SLUICE_TASKGRAPH_H

#include "sluice/TaskGraph/Export.h"
#include "sluice/TaskGraph/Kernels.h"
#include "sluice/TaskGraph/Options.h"
#include "sluice/TaskGraph/Tasks.h"
#include "sluice/TaskGraph/Values.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

struct TaskGraphModel;

/// A program: datasets, and tasks in the order in which they are created. The
/// graph owns all of them. (CASPER TGIR, "TaskGraph")
///
/// Results are those of running the tasks one after another in that order,
/// whatever runs at the same time.
class SLUICE_API TaskGraph {
public:
  /// `name` appears in messages and in names of files; letters, digits, '_',
  /// '-' and '.'.
  explicit TaskGraph(const std::string &name, Place place = Place::current());
  ~TaskGraph();
  TaskGraph(const TaskGraph &) = delete;
  TaskGraph &operator=(const TaskGraph &) = delete;

  //===--------------------------------------------------------------------===//
  // Datasets. Arrays are row-major. Without initial values they are zero.
  //===--------------------------------------------------------------------===//

  /// n x m doubles; `values` row by row, n * m of them.
  ///@{
  Dat &createDat(int n, int m, Place place = Place::current());
  Dat &createDat(int n, int m, const std::vector<double> &values,
                 Place place = Place::current());
  ///@}
  /// `dims` extents in `size`, the slowest first.
  ///@{
  DoubleDat &createDoubleDat(int dims, std::vector<int> size,
                             Place place = Place::current());
  DoubleDat &createDoubleDat(int dims, std::vector<int> size,
                             const std::vector<double> &values,
                             Place place = Place::current());
  FloatDat &createFloatDat(int dims, std::vector<int> size,
                           Place place = Place::current());
  FloatDat &createFloatDat(int dims, std::vector<int> size,
                           const std::vector<float> &values,
                           Place place = Place::current());
  ///@}
  /// Signed or unsigned integers of 8, 16, 32 or 64 bits; values must fit.
  ///@{
  IntDat &createIntDat(int width, int dims, std::vector<int> size,
                       Place place = Place::current());
  IntDat &createIntDat(int width, int dims, std::vector<int> size,
                       const std::vector<int64_t> &values,
                       Place place = Place::current());
  IntDat &createUIntDat(int width, int dims, std::vector<int> size,
                        Place place = Place::current());
  IntDat &createUIntDat(int width, int dims, std::vector<int> size,
                        const std::vector<uint64_t> &values,
                        Place place = Place::current());
  ///@}

  /// A part of `dat` that shares its memory: one range per dimension. Tasks on
  /// parts without a common element are independent.
  Dat &createSubDat(Dat &dat, std::vector<Range> ranges,
                    Place place = Place::current());

  /// One value. Without `v` it must be written by a task, through a PtrScalar,
  /// before a task reads it. `v` holds the bits of a signed or an unsigned
  /// number that fits `width` (8, 16, 32 or 64).
  ///@{
  IntScalar &createIntScalar(uint8_t width, Place place = Place::current());
  IntScalar &createIntScalar(uint8_t width, uint64_t v,
                             Place place = Place::current());
  /// Unsigned for whoever asks for the type, as functions in Python do.
  IntScalar &createUIntScalar(uint8_t width, Place place = Place::current());
  IntScalar &createUIntScalar(uint8_t width, uint64_t v,
                              Place place = Place::current());
  DoubleScalar &createDoubleScalar(double v, Place place = Place::current());
  FloatScalar &createFloatScalar(float v, Place place = Place::current());
  ///@}
  /// Passes `dest` by reference: reading and writing.
  PtrScalar &createPtrScalar(Scalar *dest, Place place = Place::current());

  /// A dictionary for Python tasks.
  PyObj &createPyObj(Place place = Place::current());

  //===--------------------------------------------------------------------===//
  // Tasks
  //===--------------------------------------------------------------------===//

  /// Adds a task that runs `kern` with `args` after all tasks in `deps`, and
  /// after those before it that use the same data, one of them writing.
  ///@{
  HalideTask &createTask(HalideKernel kern, Arguments args = {},
                         std::vector<Task *> deps = {},
                         Place place = Place::current());
  CTask &createTask(CKernel kern, Arguments args = {},
                    std::vector<Task *> deps = {},
                    Place place = Place::current());
  PyTask &createTask(PyKernel kern, Arguments args = {},
                     std::vector<Task *> deps = {},
                     Place place = Place::current());
  PyTask &createTask(PyFunctionKernel kern, Arguments args = {},
                     std::vector<Task *> deps = {},
                     Place place = Place::current());
  PyTask &createTask(FEMAKernel kern, Arguments args = {},
                     std::vector<Task *> deps = {},
                     Place place = Place::current());
  HPVMTask &createTask(HPVMKernel kern, Arguments args = {},
                       std::vector<Task *> deps = {},
                       Place place = Place::current());
  ///@}

  /// FEMA kernels of `module` are generated by `function` instead of
  /// `generate`.
  void registerPyGenerator(const std::string &module,
                           const std::string &function,
                           Place place = Place::current());
  /// C, C++, bitcode, objects, archives or shared libraries in which C kernels
  /// are looked for that name no source themselves. `flags` are for sources.
  void addKernelSource(const std::string &path,
                       std::vector<std::string> flags = {},
                       Place place = Place::current());
  /// Print every dataset to stdout when the run has ended.
  void setDatPrint(bool enable);

  //===--------------------------------------------------------------------===//
  // Running
  //===--------------------------------------------------------------------===//

  /// Checks, compiles (once; kept in the cache) and runs the graph in this
  /// process. Every run starts from the initial values. Throws CompileError or
  /// RunError, which have the whole text.
  void run(const Options &options = Options());
  /// What the last successful run left in `dat` or `scalar`. `T` is any
  /// arithmetic type but bool; a value that it cannot hold exactly throws
  /// RunError, as does reading before the first run.
  ///@{
  std::vector<double> readDat(const Dat &dat) const;
  template <typename T> std::vector<T> readDat(const Dat &dat) const;
  double readScalar(const Scalar &scalar) const;
  int64_t readInt(const IntScalar &scalar) const;
  uint64_t readUInt(const IntScalar &scalar) const;
  ///@}
  /// The memory itself, row-major; valid until the next run or until the graph
  /// is destroyed. Not for parts.
  const void *datMemory(const Dat &dat) const;
  /// The dictionary that the last run left, a PyObject * that the graph keeps
  /// until the next run; null if no task used it.
  void *pyObject(const PyObj &object) const;
  /// While this is held, the memory of all datasets stays where it is, also if
  /// the graph is compiled again or destroyed. Null before the first run.
  std::shared_ptr<const void> holdMemory() const;
  /// Sets what `dat` starts from in later runs; `bytes` as many as it has, in
  /// its own type. Throws RunError if they do not fit.
  void writeDat(Dat &dat, const void *values, size_t bytes,
                Place place = Place::current());

  /// Sets the number that later runs start from; nothing is compiled again
  /// unless code takes it as an integer type that is too narrow for it. Throws
  /// RunError if the scalar's type cannot hold it.
  ///@{
  void writeScalar(Scalar &scalar, double value,
                   Place place = Place::current());
  void writeInt(IntScalar &scalar, int64_t value,
                Place place = Place::current());
  void writeUInt(IntScalar &scalar, uint64_t value,
                 Place place = Place::current());
  ///@}

  /// Has `dat` lie in an array of the program from now on: `bytes` as many as
  /// it has, row-major, aligned to its elements. Runs begin with what is there
  /// and leave there what tasks write; nothing is copied. `owner` is kept until
  /// another array is bound, `memory` is null, or the graph is destroyed. The
  /// second form is for arrays that no task may write. Not for parts. Throws
  /// RunError if it does not fit; a run does so if arrays overlap, one of them
  /// being written.
  ///@{
  void bindDat(Dat &dat, void *memory, size_t bytes,
               std::shared_ptr<void> owner = nullptr,
               Place place = Place::current());
  void bindDat(Dat &dat, const void *memory, size_t bytes,
               std::shared_ptr<void> owner = nullptr,
               Place place = Place::current());
  ///@}
  /// Says whether what later runs leave in a dataset or dictionary is kept, to
  /// be read: it is, unless this says otherwise. The memory of one that is not
  /// kept is used only from the first task that touches it to the last one. Not
  /// for parts.
  void keepResult(const Value &value, bool isKept);

  /// Runs the graph with all variants of its Halide tasks, compares and times
  /// them, and writes the fastest that agree to `file`, which
  /// Options::tunedParamsFile reads. Throws CompileError or RunError.
  void tune(const std::string &file, const Options &options = Options());

  /// Phases 1 and 2: finds every mistake and makes nothing. Throws
  /// CompileError.
  void check(const Options &options = Options());

  /// Checks the graph and compiles it to the executable `output`, which needs
  /// none of the compilers. Throws CompileError; `output` is complete or
  /// untouched.
  void compile(const std::string &output, const Options &options = Options());
  /// The graph as text of the dfg dialect, written to `path` (and compiled
  /// Halide kernels to files that it names, in the folder `path` + ".objects").
  void dump(const std::string &path, const Options &options = Options());

  /// As it was given.
  const std::string &getName() const;
  /// For the library itself.
  TaskGraphModel &getModel() { return *model; }

private:
  std::unique_ptr<TaskGraphModel> model;
};

/// Compiles to what `opts` names: output file, stages to print, and so on;
/// `opts.output` empty: an executable named after the graph. Throws
/// CompileError.
SLUICE_API void compile(TaskGraph &tg, const Options &opts);
/// The same, but prints what went wrong to stderr and returns 1.
SLUICE_API int tryCompile(TaskGraph &tg, const Options &opts);

} // namespace sluice

/// The name under which published meta-programs know it.
namespace cac = sluice;

#endif // SLUICE_TASKGRAPH_H
