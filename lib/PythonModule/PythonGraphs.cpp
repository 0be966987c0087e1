//===- PythonGraphs.cpp - Task graphs for Python --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One class per graph, and handles for its values and tasks. Handles are only
// made here and only used with the graph they come from; the package sees to
// that, and keeps the graph while it has them.
//
//===----------------------------------------------------------------------===//

#include "CoreModule.h"
#include "Interrupts.h"

#include "sluice-c/TaskProgram.h"
#include "sluice/TaskGraph.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>
#include <tuple>

namespace py = pybind11;
using namespace sluice;
using sluice::pymodule::EndedByInterrupts;

namespace {

/// A line of Python: file, line, column.
using PyPlace = std::tuple<std::string, unsigned, unsigned>;

struct ValueHandle {
  Value *value;
};
struct TaskHandle {
  Task *task;
};

class PyGraph {
public:
  PyGraph(const std::string &name, const PyPlace &place)
      : graph(std::make_unique<TaskGraph>(name, placeOf(place))) {}

  //===- Datasets ---------------------------------------------------------===//

  ValueHandle createDat(char kind, int bytes, const std::vector<int> &shape,
                        const PyPlace &place);
  ValueHandle createPart(ValueHandle dat,
                         const std::vector<std::array<int64_t, 3>> &ranges,
                         const PyPlace &place);
  ValueHandle createInt(int bits, std::optional<uint64_t> value,
                        bool isUnsigned, const PyPlace &place);
  ValueHandle createFloat(int bits, double value, const PyPlace &place);
  ValueHandle createPointer(ValueHandle scalar, const PyPlace &place);
  ValueHandle createObject(const PyPlace &place);
  void setName(ValueHandle value, const std::string &name) {
    value.value->setName(name);
  }
  void bind(ValueHandle dat, py::array array, const PyPlace &place);
  void unbind(ValueHandle dat, const PyPlace &place);
  void write(ValueHandle dat, py::array array, const PyPlace &place);
  py::array memory(ValueHandle dat, const py::dtype &type,
                   const std::vector<py::ssize_t> &shape) const;
  py::object readScalar(ValueHandle scalar, bool isUnsigned) const;
  void writeInt(ValueHandle scalar, uint64_t bits, bool isUnsigned,
                const PyPlace &place);
  void writeFloat(ValueHandle scalar, double value, const PyPlace &place);
  py::object readObject(ValueHandle object) const;

  //===- Tasks ------------------------------------------------------------===//

  using Given = std::vector<std::pair<ValueHandle, std::string>>;
  TaskHandle addC(const std::string &function, const std::string &source,
                  const std::vector<std::string> &flags, const Given &given,
                  const std::vector<TaskHandle> &after, const PyPlace &place);
  TaskHandle addHalide(const std::string &generator,
                       const Parameters &parameters, const Given &given,
                       const std::vector<TaskHandle> &after,
                       const PyPlace &place);
  TaskHandle addPython(const std::string &module, const std::string &function,
                       const Given &given, const std::vector<TaskHandle> &after,
                       const PyPlace &place);
  TaskHandle addFunction(const std::string &name, py::handle function,
                         const Given &given,
                         const std::vector<TaskHandle> &after,
                         const PyPlace &place);
  TaskHandle addForm(const std::string &module, const std::string &form,
                     const Given &given, const std::vector<TaskHandle> &after,
                     const PyPlace &place);
  TaskHandle addHPVM(const std::string &root, const std::string &source,
                     const std::vector<std::string> &flags, const Given &given,
                     const std::vector<TaskHandle> &after,
                     const PyPlace &place);
  void addSource(const std::string &path, const std::vector<std::string> &flags,
                 const PyPlace &place) {
    graph->addKernelSource(path, flags, placeOf(place));
  }
  void addGenerator(const std::string &module, const std::string &function,
                    const PyPlace &place) {
    graph->registerPyGenerator(module, function, placeOf(place));
  }
  void drop(ValueHandle value) { graph->keepResult(*value.value, false); }
  void setPrint(bool enable) { graph->setDatPrint(enable); }

  //===- Running: what was said besides errors is returned ------------------//

  py::str run(const Options &options) {
    return without(options, [&](const Options &used) { graph->run(used); });
  }
  py::str tune(const std::string &file, const Options &options) {
    return without(options,
                   [&](const Options &used) { graph->tune(file, used); });
  }
  py::str check(const Options &options) {
    return without(options, [&](const Options &used) { graph->check(used); });
  }
  py::str compile(const std::string &output, const Options &options) {
    return without(options,
                   [&](const Options &used) { graph->compile(output, used); });
  }

private:
  static Place placeOf(const PyPlace &place) {
    const auto &[file, line, column] = place;
    return Place::current(file.c_str(), line, column);
  }
  static Arguments argumentsOf(const Given &given);
  static std::vector<Task *> tasksOf(const std::vector<TaskHandle> &handles);
  static Dat &dat(ValueHandle handle) {
    return static_cast<Dat &>(*handle.value);
  }
  /// Calls `body` without the GIL.
  template <typename Function>
  static py::str without(const Options &options, Function &&body);

  std::unique_ptr<TaskGraph> graph;
};

} // namespace

template <typename Function>
py::str PyGraph::without(const Options &options, Function &&body) {
  std::string said;
  Options used = options;
  used.tell = [&said](const std::string &text) { said += text; };
  std::exception_ptr failure;
  PyThreadState *state = PyEval_SaveThread();
  try {
    EndedByInterrupts interrupts;
    body(used);
  } catch (const std::exception &) {
    failure = std::current_exception();
  }
  // Ends a thread that outlives Python; so nothing may be on its way here, and
  // no destructor may do it, as pybind11's gil_scoped_release would.
  PyEval_RestoreThread(state);
  // A signal that ended the run is reported, rather than the end of the run.
  if (failure && PyErr_CheckSignals() != 0)
    throw py::error_already_set();
  if (failure)
    std::rethrow_exception(failure);
  return sluice::pymodule::textOf(said);
}

//===----------------------------------------------------------------------===//
// Datasets
//===----------------------------------------------------------------------===//

ValueHandle PyGraph::createDat(char kind, int bytes,
                               const std::vector<int> &shape,
                               const PyPlace &place) {
  const int rank = int(shape.size());
  if (kind == 'i')
    return {&graph->createIntDat(8 * bytes, rank, shape, placeOf(place))};
  if (kind == 'u')
    return {&graph->createUIntDat(8 * bytes, rank, shape, placeOf(place))};
  if (bytes == 4)
    return {&graph->createFloatDat(rank, shape, placeOf(place))};
  return {&graph->createDoubleDat(rank, shape, placeOf(place))};
}

ValueHandle
PyGraph::createPart(ValueHandle handle,
                    const std::vector<std::array<int64_t, 3>> &ranges,
                    const PyPlace &place) {
  std::vector<Range> parts;
  for (const auto &[begin, end, step] : ranges)
    parts.push_back({begin, end, step});
  return {&graph->createSubDat(dat(handle), parts, placeOf(place))};
}

ValueHandle PyGraph::createInt(int bits, std::optional<uint64_t> value,
                               bool isUnsigned, const PyPlace &place) {
  if (isUnsigned && value)
    return {&graph->createUIntScalar(uint8_t(bits), *value, placeOf(place))};
  if (isUnsigned)
    return {&graph->createUIntScalar(uint8_t(bits), placeOf(place))};
  if (value)
    return {&graph->createIntScalar(uint8_t(bits), *value, placeOf(place))};
  return {&graph->createIntScalar(uint8_t(bits), placeOf(place))};
}

ValueHandle PyGraph::createFloat(int bits, double value, const PyPlace &place) {
  if (bits == 32)
    return {&graph->createFloatScalar(float(value), placeOf(place))};
  return {&graph->createDoubleScalar(value, placeOf(place))};
}

ValueHandle PyGraph::createPointer(ValueHandle scalar, const PyPlace &place) {
  return {&graph->createPtrScalar(static_cast<Scalar *>(scalar.value),
                                  placeOf(place))};
}

ValueHandle PyGraph::createObject(const PyPlace &place) {
  return {&graph->createPyObj(placeOf(place))};
}

/// The package keeps the array while it is bound.
void PyGraph::bind(ValueHandle handle, py::array array, const PyPlace &place) {
  const size_t bytes = size_t(array.nbytes());
  if (array.writeable())
    graph->bindDat(dat(handle), array.mutable_data(), bytes, nullptr,
                   placeOf(place));
  else
    graph->bindDat(dat(handle), static_cast<const void *>(array.data()), bytes,
                   nullptr, placeOf(place));
}

void PyGraph::unbind(ValueHandle handle, const PyPlace &place) {
  graph->bindDat(dat(handle), static_cast<void *>(nullptr), 0, nullptr,
                 placeOf(place));
}

void PyGraph::write(ValueHandle handle, py::array array, const PyPlace &place) {
  graph->writeDat(dat(handle), array.data(), size_t(array.nbytes()),
                  placeOf(place));
}

/// The result of the last run, as a read-only array that keeps the memory
/// alive.
py::array PyGraph::memory(ValueHandle handle, const py::dtype &type,
                          const std::vector<py::ssize_t> &shape) const {
  using Held = std::shared_ptr<const void>;
  const void *memory = graph->datMemory(dat(handle));
  py::capsule owner(new Held(graph->holdMemory()),
                    [](void *held) { delete static_cast<Held *>(held); });
  py::array result(type, shape, memory, owner);
  result.attr("flags").attr("writeable") = false;
  return result;
}

py::object PyGraph::readScalar(ValueHandle handle, bool isUnsigned) const {
  auto *integer = dynamic_cast<IntScalar *>(handle.value);
  if (integer && isUnsigned)
    return py::int_(graph->readUInt(*integer));
  if (integer)
    return py::int_(graph->readInt(*integer));
  return py::float_(graph->readScalar(static_cast<Scalar &>(*handle.value)));
}

void PyGraph::writeInt(ValueHandle handle, uint64_t bits, bool isUnsigned,
                       const PyPlace &place) {
  auto &scalar = static_cast<IntScalar &>(*handle.value);
  if (isUnsigned)
    graph->writeUInt(scalar, bits, placeOf(place));
  else
    graph->writeInt(scalar, static_cast<int64_t>(bits), placeOf(place));
}

void PyGraph::writeFloat(ValueHandle handle, double value,
                         const PyPlace &place) {
  graph->writeScalar(static_cast<Scalar &>(*handle.value), value,
                     placeOf(place));
}

py::object PyGraph::readObject(ValueHandle handle) const {
  auto *object = static_cast<PyObject *>(
      graph->pyObject(static_cast<PyObj &>(*handle.value)));
  return object ? py::reinterpret_borrow<py::object>(object) : py::dict();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

Arguments PyGraph::argumentsOf(const Given &given) {
  Arguments arguments;
  for (const auto &[handle, mode] : given) {
    if (mode == "in")
      arguments.push_back(in(handle.value));
    else if (mode == "out")
      arguments.push_back(out(handle.value));
    else if (mode == "inout")
      arguments.push_back(inout(handle.value));
    else
      arguments.push_back(handle.value);
  }
  return arguments;
}

std::vector<Task *> PyGraph::tasksOf(const std::vector<TaskHandle> &handles) {
  std::vector<Task *> tasks;
  for (TaskHandle handle : handles)
    tasks.push_back(handle.task);
  return tasks;
}

TaskHandle PyGraph::addC(const std::string &function, const std::string &source,
                         const std::vector<std::string> &flags,
                         const Given &given,
                         const std::vector<TaskHandle> &after,
                         const PyPlace &place) {
  return {&graph->createTask(CKernel(function, source, flags),
                             argumentsOf(given), tasksOf(after),
                             placeOf(place))};
}

TaskHandle PyGraph::addHalide(const std::string &generator,
                              const Parameters &parameters, const Given &given,
                              const std::vector<TaskHandle> &after,
                              const PyPlace &place) {
  return {&graph->createTask(HalideKernel(generator, parameters),
                             argumentsOf(given), tasksOf(after),
                             placeOf(place))};
}

TaskHandle PyGraph::addPython(const std::string &module,
                              const std::string &function, const Given &given,
                              const std::vector<TaskHandle> &after,
                              const PyPlace &place) {
  return {&graph->createTask(PyKernel(module, function), argumentsOf(given),
                             tasksOf(after), placeOf(place))};
}

/// The package keeps the function as long as the graph.
TaskHandle PyGraph::addFunction(const std::string &name, py::handle function,
                                const Given &given,
                                const std::vector<TaskHandle> &after,
                                const PyPlace &place) {
  return {&graph->createTask(PyFunctionKernel(name, function.ptr()),
                             argumentsOf(given), tasksOf(after),
                             placeOf(place))};
}

TaskHandle PyGraph::addForm(const std::string &module, const std::string &form,
                            const Given &given,
                            const std::vector<TaskHandle> &after,
                            const PyPlace &place) {
  return {&graph->createTask(FEMAKernel(module, form), argumentsOf(given),
                             tasksOf(after), placeOf(place))};
}

TaskHandle PyGraph::addHPVM(const std::string &root, const std::string &source,
                            const std::vector<std::string> &flags,
                            const Given &given,
                            const std::vector<TaskHandle> &after,
                            const PyPlace &place) {
  return {&graph->createTask(HPVMKernel(root, source, flags),
                             argumentsOf(given), tasksOf(after),
                             placeOf(place))};
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

static CTask &cTask(TaskHandle handle) {
  return static_cast<CTask &>(*handle.task);
}

static void addTask(py::module_ &module) {
  py::class_<TaskHandle>(module, "Task")
      .def("set_name",
           [](TaskHandle task, const std::string &name) {
             task.task->setName(name);
           })
      .def("writes_file",
           [](TaskHandle task, const std::string &path) {
             task.task->writesFile(path);
           })
      .def("reads_file",
           [](TaskHandle task, const std::string &path) {
             task.task->readsFile(path);
           })
      .def("independent", [](TaskHandle task) { task.task->independent(); })
      .def("add_variant",
           [](TaskHandle task, const Parameters &parameters,
              const PyPlace &place) {
             const auto &[file, line, column] = place;
             static_cast<HalideTask &>(*task.task)
                 .addVariant(parameters,
                             Place::current(file.c_str(), line, column));
           })
      .def("replicate",
           [](TaskHandle task, const std::vector<int64_t> &extents,
              const PyPlace &place) {
             const auto &[file, line, column] = place;
             cTask(task).replicate(extents,
                                   Place::current(file.c_str(), line, column));
           })
      .def("needs_contiguous",
           [](TaskHandle task) { cTask(task).needsContiguous(); })
      .def("returns_status",
           [](TaskHandle task) { cTask(task).returnsStatus(); })
      .def("takes_large_sizes",
           [](TaskHandle task) { cTask(task).takesLargeSizes(); })
      .def("takes_any_sign",
           [](TaskHandle task) { cTask(task).takesAnySign(); });
}

static void addOptions(py::module_ &module) {
  py::class_<Options>(module, "Options")
      .def(py::init<>())
      .def_readwrite("print", &Options::print)
      .def_readwrite("march", &Options::cpu)
      .def_readwrite("fast_float", &Options::fastFloat)
      .def_readwrite("serial", &Options::serial)
      .def_readwrite("workers", &Options::workers)
      .def_readwrite("checked", &Options::checked)
      .def_readwrite("remarks", &Options::remarks)
      .def_readwrite("kernel_sources", &Options::kernelSources)
      .def_readwrite("kernel_flags", &Options::kernelFlags)
      .def_readwrite("link_flags", &Options::linkFlags)
      .def_readwrite("python_path", &Options::pythonPath)
      .def_readwrite("tuned", &Options::tunedParamsFile);
}

void pymodule::addTaskGraphs(py::module_ &module) {
  py::class_<ValueHandle>(module, "Value");
  addTask(module);
  addOptions(module);
  py::class_<PyGraph>(module, "Graph")
      .def(py::init<const std::string &, const PyPlace &>())
      .def("dat", &PyGraph::createDat)
      .def("part", &PyGraph::createPart)
      .def("int_scalar", &PyGraph::createInt)
      .def("float_scalar", &PyGraph::createFloat)
      .def("pointer", &PyGraph::createPointer)
      .def("object", &PyGraph::createObject)
      .def("set_name", &PyGraph::setName)
      .def("bind", &PyGraph::bind)
      .def("unbind", &PyGraph::unbind)
      .def("write", &PyGraph::write)
      .def("memory", &PyGraph::memory)
      .def("drop", &PyGraph::drop)
      .def("read_scalar", &PyGraph::readScalar)
      .def("write_int", &PyGraph::writeInt)
      .def("write_float", &PyGraph::writeFloat)
      .def("read_object", &PyGraph::readObject)
      .def("add_c", &PyGraph::addC)
      .def("add_halide", &PyGraph::addHalide)
      .def("add_python", &PyGraph::addPython)
      .def("add_function", &PyGraph::addFunction)
      .def("add_form", &PyGraph::addForm)
      .def("add_hpvm", &PyGraph::addHPVM)
      .def("add_source", &PyGraph::addSource)
      .def("add_generator", &PyGraph::addGenerator)
      .def("set_print", &PyGraph::setPrint)
      .def("run", &PyGraph::run)
      .def("tune", &PyGraph::tune)
      .def("check", &PyGraph::check)
      .def("compile", &PyGraph::compile);
}
