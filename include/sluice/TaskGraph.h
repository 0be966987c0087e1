//===- TaskGraph.h - Programs as graphs of tasks over datasets --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main header of meta-programs. A meta-program describes a program as tasks
// (kernels in C, Halide, Python, finite elements, or whole HPVM graphs) over
// datasets, and runs it in its own process (TaskGraph::run) or compiles it to
// an executable (compile).
//
//   sluice::TaskGraph graph("scale");
//   sluice::Dat &x = graph.createDat(3, 2, {1, 2, 3, 4, 5, 6});
//   graph.createTask(sluice::CKernel("twice", "kernels.c"), {&x});
//   graph.run();
//
// Including this header requires neither LLVM, MLIR nor Halide; C++17 suffices.
// Halide generators also include <sluice/TaskGraph/Halide.h>.
//
// Errors are reported at their place in the meta-program. So every function
// that creates something has a parameter for its caller's place; always use its
// default. Errors are collected and reported together, before anything is
// compiled. Only one thread at a time may use a graph.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_H
#define SLUICE_TASKGRAPH_H

#include "sluice/TaskGraph/Export.h"
#include "sluice/TaskGraph/Kernels.h"
#include "sluice/TaskGraph/Options.h"
#include "sluice/TaskGraph/Task.h"
#include "sluice/TaskGraph/Values.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

struct TaskGraphModel;

/// A program: datasets, and tasks in creation order. The graph owns all of
/// them. (CASPER TGIR, "TaskGraph")
///
/// The results are those of running the tasks one after another in that order,
/// even if tasks run at the same time.
class SLUICE_API TaskGraph {
public:
  /// `name` appears in messages and in file names; it consists of letters,
  /// digits, '_', '-' and '.'.
  explicit TaskGraph(const std::string &name, Place place = Place::current());
  ~TaskGraph();
  TaskGraph(const TaskGraph &) = delete;
  TaskGraph &operator=(const TaskGraph &) = delete;

  //===--------------------------------------------------------------------===//
  // Datasets. Arrays are row-major. Without initial values they are zero.
  //===--------------------------------------------------------------------===//

  /// n x m doubles; `values` contains n * m of them, row by row.
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

  /// One value. Without `v`, a task must write it, through a PtrScalar, before
  /// a task reads it. `v` contains the bits of a signed or an unsigned number
  /// that fits `width` (8, 16, 32 or 64).
  ///@{
  IntScalar &createIntScalar(uint8_t width, Place place = Place::current());
  IntScalar &createIntScalar(uint8_t width, uint64_t v,
                             Place place = Place::current());
  /// Unsigned for users of the type, such as functions in Python.
  IntScalar &createUIntScalar(uint8_t width, Place place = Place::current());
  IntScalar &createUIntScalar(uint8_t width, uint64_t v,
                              Place place = Place::current());
  DoubleScalar &createDoubleScalar(double v, Place place = Place::current());
  FloatScalar &createFloatScalar(float v, Place place = Place::current());
  ///@}
  /// Passes `dest` by reference, for reading and writing.
  PtrScalar &createPtrScalar(Scalar *dest, Place place = Place::current());

  /// A dictionary for Python tasks.
  PyObj &createPyObj(Place place = Place::current());

  //===--------------------------------------------------------------------===//
  // Tasks
  //===--------------------------------------------------------------------===//

  /// Adds a task that runs `kern` with `args` after all tasks in `deps`, and
  /// after earlier tasks that use the same data, if one of the two writes it.
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

  /// `function`, instead of `generate`, generates the FEMA kernels of `module`.
  void registerPyGenerator(const std::string &module,
                           const std::string &function,
                           Place place = Place::current());
  /// Adds C, C++, bitcode, objects, archives or shared libraries in which to
  /// look for C kernels that do not name a source themselves. `flags` are for
  /// sources.
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
  /// RunError, which contain the complete text.
  void run(const Options &options = Options());
  /// The content of `dat` or `scalar` after the last successful run. `T` is any
  /// arithmetic type but bool. Throws RunError before the first run, and for
  /// values that `T` cannot represent exactly.
  ///@{
  std::vector<double> readDat(const Dat &dat) const;
  template <typename T> std::vector<T> readDat(const Dat &dat) const;
  double readScalar(const Scalar &scalar) const;
  int64_t readInt(const IntScalar &scalar) const;
  uint64_t readUInt(const IntScalar &scalar) const;
  ///@}
  /// The memory itself, row-major; valid until the next run or until the graph
  /// is destroyed. Not available for parts.
  const void *datMemory(const Dat &dat) const;
  /// The dictionary after the last run, a PyObject * that the graph keeps until
  /// the next run; null if no task used it.
  void *pyObject(const PyObj &object) const;
  /// While the result is held, the memory of all datasets stays valid, even if
  /// the graph is compiled again or destroyed. Null before the first run.
  std::shared_ptr<const void> holdMemory() const;
  /// Sets the initial values of `dat` for later runs; `bytes` is the size of
  /// the values in the type of `dat`. Throws RunError if the size does not
  /// match.
  void writeDat(Dat &dat, const void *values, size_t bytes,
                Place place = Place::current());

  /// Sets the initial number for later runs. Nothing is compiled again, unless
  /// code takes the scalar as an integer type that is too narrow for the
  /// number. Throws RunError if the scalar's type cannot hold the number.
  ///@{
  void writeScalar(Scalar &scalar, double value,
                   Place place = Place::current());
  void writeInt(IntScalar &scalar, int64_t value,
                Place place = Place::current());
  void writeUInt(IntScalar &scalar, uint64_t value,
                 Place place = Place::current());
  ///@}

  /// From now on, `dat` lies in an array of the program: `bytes` is the size of
  /// `dat`; the array is row-major and aligned to its elements. Runs begin with
  /// the content of the array and leave there what tasks write; nothing is
  /// copied. `owner` is kept until another array is bound, `memory` is null, or
  /// the graph is destroyed. The second form is for arrays that no task may
  /// write. Not available for parts. Throws RunError if the array does not fit;
  /// a run throws it if arrays overlap and one of them is written.
  ///@{
  void bindDat(Dat &dat, void *memory, size_t bytes,
               std::shared_ptr<void> owner = nullptr,
               Place place = Place::current());
  void bindDat(Dat &dat, const void *memory, size_t bytes,
               std::shared_ptr<void> owner = nullptr,
               Place place = Place::current());
  ///@}
  /// Sets whether the content of a dataset or dictionary after later runs is
  /// kept for reading; by default it is. The memory of a dataset that is not
  /// kept is used only from its first task to its last. Not available for
  /// parts.
  void keepResult(const Value &value, bool isKept);

  /// Runs the graph with all variants of its Halide tasks, compares their
  /// results and times, and writes the fastest variants with equal results to
  /// `file`, which Options::tunedParamsFile reads. Throws CompileError or
  /// RunError.
  void tune(const std::string &file, const Options &options = Options());

  /// Phases 1 and 2: finds every error and produces no output. Throws
  /// CompileError.
  void check(const Options &options = Options());

  /// Checks the graph and compiles it to the executable `output`, which runs
  /// without the compilers. Throws CompileError; `output` is complete or
  /// unchanged.
  void compile(const std::string &output, const Options &options = Options());
  /// Writes the graph to `path` as text of the dfg dialect (and compiled Halide
  /// kernels to files that the text names, in the folder `path` + ".objects").
  void dump(const std::string &path, const Options &options = Options());

  /// The name passed to the constructor.
  const std::string &getName() const;
  /// For internal use by the library.
  TaskGraphModel &getModel() { return *model; }

private:
  std::unique_ptr<TaskGraphModel> model;
};

/// Compiles the graph as `opts` specifies: output file, stages to print, and so
/// on. With empty `opts.output`, makes an executable named after the graph.
/// Throws CompileError.
SLUICE_API void compile(TaskGraph &tg, const Options &opts);
/// The same, but prints errors to stderr and returns 1.
SLUICE_API int tryCompile(TaskGraph &tg, const Options &opts);

} // namespace sluice

/// The namespace of published meta-programs.
namespace cac = sluice;

#endif // SLUICE_TASKGRAPH_H
