//===- RegionCalls.cpp - Tasks over regions in Python ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part that is a box is an array of its own memory. The elements of others
// are copied to arrays in their order, and written ones back again.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "sluice-c/RegionPython.h"
#include "sluice-c/Runtime.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

using namespace sluice;
using namespace sluice::python;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static SluicePythonArgument describe(uint32_t type, bool isReadOnly,
                                     void *memory) {
  static constexpr uint32_t bits[] = {8, 16, 32, 64, 32, 64};
  return {.kind = SLUICE_PYTHON_ARRAY,
          .elementKind = uint32_t(type < SLUICE_F32 ? SLUICE_ELEMENT_INT
                                                    : SLUICE_ELEMENT_FLOAT),
          .elementBits = bits[type],
          .isReadOnly = isReadOnly,
          .memory = memory,
          .view = {}};
}

namespace {
/// One field of a part that is no box: its elements one after another.
class Gathered {
public:
  Gathered(const SluiceDomain &domain, void *base, size_t size)
      : domain(domain), base(static_cast<char *>(base)), size(size),
        copy(new char[size_t(domain.count) * size]) {
    forEachPiece([&](char *copied, char *element, size_t bytes) {
      std::memcpy(copied, element, bytes);
    });
  }
  void writeBack() const {
    forEachPiece([&](char *copied, char *element, size_t bytes) {
      std::memcpy(element, copied, bytes);
    });
  }
  const std::shared_ptr<char[]> &memory() const { return copy; }

private:
  /// Elements of one row are next to each other.
  template <typename Function> void forEachPiece(Function &&function) const {
    const int last = domain.rank - 1;
    char *copied = copy.get();
    for (int64_t r = 0; r < domain.numRuns; ++r)
      for (int64_t at = domain.runs[r].begin; at < domain.runs[r].end;) {
        int64_t index = at, row = at, end = domain.runs[r].end;
        if (last > 0) {
          index = at % domain.extent[last];
          row = at / domain.extent[last];
          end = std::min(end, (row + 1) * domain.extent[last]);
          for (int d = last - 1; d >= 0; --d) {
            const int64_t outer = d > 0 ? domain.extent[d] : INT64_MAX;
            index += row % outer * domain.stride[d];
            row /= outer;
          }
        }
        const size_t bytes = size_t(end - at) * size;
        function(copied, base + index * int64_t(size), bytes);
        copied += bytes;
        at = end;
      }
  }

  const SluiceDomain &domain;
  char *const base;
  const size_t size;
  const std::shared_ptr<char[]> copy;
};

/// The arguments of one call. Every function returns a new reference, or null
/// with an exception set.
class RegionArguments {
public:
  RegionArguments(const SluicePythonKernel &kernel, const void *const *values,
                  Views &views)
      : kernel(kernel), values(values), views(views) {}

  PyObject *create();
  /// What the function has written to copies.
  void writeBack() const {
    for (const Gathered &copy : written)
      copy.writeBack();
  }
  PyObject *array(const SluicePythonArgument &argument, int index,
                  const std::vector<int64_t> &shape,
                  const std::vector<int64_t> &strides, int64_t offset = 0,
                  std::shared_ptr<const void> owner = nullptr);

private:
  PyObject *field(const SluicePythonPort &port, uint32_t number,
                  const SluiceView &view, int index);
  PyObject *part(const SluicePythonPort &port, const SluiceView &view,
                 int index);

  const SluicePythonKernel &kernel;
  const void *const *values;
  Views &views;
  std::vector<Gathered> written;
};
} // namespace

PyObject *RegionArguments::array(const SluicePythonArgument &argument,
                                 int index, const std::vector<int64_t> &shape,
                                 const std::vector<int64_t> &strides,
                                 int64_t offset,
                                 std::shared_ptr<const void> owner) {
  SluicePythonArgument described = argument;
  described.view = {.rank = uint32_t(shape.size()),
                    .elementSize = argument.elementBits / 8,
                    .offset = offset,
                    .shape = shape.data(),
                    .strides = strides.data()};
  return views.create(described, index, std::move(owner));
}

PyObject *RegionArguments::field(const SluicePythonPort &port, uint32_t number,
                                 const SluiceView &view, int index) {
  const SluiceField &field = port.fields[number];
  const SluiceDomain &domain = *view.domain;
  SluicePythonArgument argument =
      describe(field.type, port.isReadOnly, view.fields[number]);
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
  std::shared_ptr<char[]> owner;
  if (domain.runs) {
    Gathered copy(domain, view.fields[number],
                  size_t(argument.elementBits / 8) * field.count);
    if (!port.isReadOnly)
      written.push_back(copy);
    owner = copy.memory();
    argument.memory = owner.get();
    shape.push_back(domain.count);
    strides.push_back(field.count);
  } else {
    for (int d = 0; d < domain.rank; ++d) {
      shape.push_back(domain.upper[d] - domain.lower[d]);
      strides.push_back(domain.stride[d] * field.count);
      offset += domain.lower[d] * strides.back();
    }
  }
  if (field.count > 1) {
    shape.push_back(field.count);
    strides.push_back(1);
  }
  return array(argument, index, shape, strides, offset, owner);
}

static PyObject *tupleOf(const int64_t *numbers, int count) {
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; ++i) {
    PyObject *number = PyLong_FromLongLong(numbers[i]);
    if (!number)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, number);
  }
  return tuple;
}

/// From what the helper makes a part: its name, lower and upper bounds, extents
/// of the root, runs or None, and a dictionary of fields.
PyObject *RegionArguments::part(const SluicePythonPort &port,
                                const SluiceView &view, int index) {
  const SluiceDomain &domain = *view.domain;
  PyObject *fields = PyDict_New();
  for (uint32_t i = 0; fields && i < port.numFields; ++i) {
    PyObject *value = field(port, i, view, index);
    if (!value || PyDict_SetItemString(fields, port.fields[i].name, value))
      Py_CLEAR(fields);
    Py_XDECREF(value);
  }
  if (!fields)
    return nullptr;
  PyObject *runs = domain.runs
                       ? PyBytes_FromStringAndSize(
                             reinterpret_cast<const char *>(domain.runs),
                             domain.numRuns * Py_ssize_t(sizeof(SluiceRun)))
                       : Py_NewRef(Py_None);
  PyObject *lower = tupleOf(domain.lower, domain.rank);
  PyObject *upper = tupleOf(domain.upper, domain.rank);
  PyObject *extent = tupleOf(domain.extent, domain.rank);
  PyObject *result = nullptr;
  if (runs && lower && upper && extent)
    result = Py_BuildValue("(sOOOOO)", port.name, lower, upper, extent, runs,
                           fields);
  Py_XDECREF(extent);
  Py_XDECREF(upper);
  Py_XDECREF(lower);
  Py_XDECREF(runs);
  Py_DECREF(fields);
  return result;
}

static PyObject *numberAt(uint32_t type, const void *memory) {
  // Nobody writes to it.
  return python::numberOf(describe(type, true, const_cast<void *>(memory)));
}

PyObject *RegionArguments::create() {
  PyObject *tuple = PyTuple_New(kernel.numPorts);
  for (uint32_t i = 0; tuple && i < kernel.numPorts; ++i) {
    const SluicePythonPort &port = kernel.ports[i];
    PyObject *value =
        port.fields ? part(port, *static_cast<const SluiceView *>(values[i]),
                           int(i) + 1)
                    : numberAt(port.type, values[i]);
    if (!value)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, value);
  }
  return tuple;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A place for the result, or None.
static PyObject *resultOf(const SluicePythonKernel &kernel, void *result,
                          RegionArguments &arguments) {
  if (kernel.resultType == SLUICE_PYTHON_NO_RESULT)
    return Py_NewRef(Py_None);
  return arguments.array(describe(kernel.resultType, false, result),
                         int(kernel.numPorts) + 1, {}, {});
}

static PyObject *callKernel(const SluicePythonKernel &kernel,
                            const SluiceTask &task, PyObject *arguments,
                            PyObject *result) {
  PyObject *point = tupleOf(task.point, task.rank);
  PyObject *extent = tupleOf(task.extent, task.rank);
  PyObject *said = nullptr;
  if (point && extent && arguments && result)
    said = PyObject_CallMethod(Interpreter::get().getHelper(), "call_region",
                               "sssOOOO", modulePath(kernel.path).c_str(),
                               kernel.module, kernel.function, point, extent,
                               arguments, result);
  Py_XDECREF(extent);
  Py_XDECREF(point);
  return said;
}

/// Ends a call after a signal, which may have come before a long series of
/// calls.
static void failIfStopping() {
  if (int signal = sluiceTaskStopping())
    sluiceFail(nullptr, (std::string("the run was ended by a signal: ") +
                         ::sigdescr_np(signal))
                            .c_str());
}

void sluicePythonTask(const SluicePythonKernel *kernel, const SluiceTask *task,
                      const void *const *values, void *result) {
  failIfStopping();
  std::string error = callPython([&](Views &views) {
    RegionArguments arguments(*kernel, values, views);
    PyObject *tuple = arguments.create();
    PyObject *place = resultOf(*kernel, result, arguments);
    PyObject *said = callKernel(*kernel, *task, tuple, place);
    std::string problem = textOf(said);
    if (problem.empty())
      arguments.writeBack();
    Py_XDECREF(said);
    Py_XDECREF(place);
    Py_XDECREF(tuple);
    return problem;
  });
  if (!error.empty())
    sluiceFail(nullptr, error.c_str());
}

//===----------------------------------------------------------------------===//
// Colorings and projections
//===----------------------------------------------------------------------===//

/// Adds the runs that the helper has collected: bytes of begins and ends.
static void addRuns(PyObject *collected, SluiceColoring &elements) {
  for (Py_ssize_t i = 0; i != PyList_GET_SIZE(collected); ++i) {
    PyObject *bytes = PyList_GET_ITEM(collected, i);
    std::vector<SluiceRun> runs(PyBytes_GET_SIZE(bytes) / sizeof(SluiceRun));
    std::memcpy(runs.data(), PyBytes_AS_STRING(bytes),
                runs.size() * sizeof(SluiceRun));
    for (const SluiceRun &run : runs)
      elements.add(&elements, run.begin, run.end);
  }
}

void sluicePythonColoring(const SluicePythonKernel *kernel,
                          const int64_t *color, SluiceColoring *elements) {
  failIfStopping();
  const auto &shaped = *reinterpret_cast<SluiceShapedColoring *>(elements);
  std::string error = callPython([&](Views &) {
    PyObject *at = tupleOf(color, shaped.colorRank);
    PyObject *colors = tupleOf(shaped.colors, shaped.colorRank);
    PyObject *extent = tupleOf(shaped.extent, shaped.rank);
    PyObject *collected = PyList_New(0);
    PyObject *said = nullptr;
    if (at && colors && extent && collected)
      said = PyObject_CallMethod(
          Interpreter::get().getHelper(), "call_coloring", "sssOOOO",
          modulePath(kernel->path).c_str(), kernel->module, kernel->function,
          at, colors, extent, collected);
    std::string problem = textOf(said);
    if (problem.empty())
      addRuns(collected, *elements);
    Py_XDECREF(said);
    Py_XDECREF(collected);
    Py_XDECREF(extent);
    Py_XDECREF(colors);
    Py_XDECREF(at);
    return problem;
  });
  if (!error.empty())
    sluiceFail(nullptr, error.c_str());
}

int64_t sluicePythonProjection(const SluicePythonKernel *kernel,
                               const SluiceTask *task) {
  int64_t color = 0;
  SluicePythonKernel described = *kernel;
  described.resultType = SLUICE_I64;
  sluicePythonTask(&described, task, nullptr, &color);
  return color;
}
