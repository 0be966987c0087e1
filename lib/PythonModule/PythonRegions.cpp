//===- PythonRegions.cpp - Programs over regions for Python ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the shared object that 'sluice build --shared' made, describes the
// program from its table, and runs it in the memory of arrays. The package
// checks names and shapes, and makes sure that one program runs at a time.
//
//===----------------------------------------------------------------------===//

#include "CoreModule.h"
#include "Interrupts.h"

#include "sluice-c/RegionProgram.h"
#include "sluice/TaskGraph.h"
#include "sluice/TaskGraph/Generators.h"

#include <pybind11/stl.h>

#include <dlfcn.h>
#include <tuple>
#include <vector>

namespace py = pybind11;
using namespace sluice;
using sluice::pymodule::EndedByInterrupts;
using sluice::pymodule::ReleasedGIL;

namespace {

class Regions {
public:
  explicit Regions(const std::string &path);

  std::string name() const { return table->name; }
  /// Name, NumPy type, least value, and the current value as text.
  py::list parameters() const;
  /// Name, extents, fields, and the initial value or None. An extent is a
  /// number or the name of a parameter. A field is a name, a type and the
  /// number of values per element.
  py::list roots() const;

  /// For each parameter, the address of a value, or 0.
  using Values = std::vector<uintptr_t>;
  /// The number of a root and of a field, an address, a size in bytes, and
  /// whether the memory is read-only.
  using Memory =
      std::vector<std::tuple<uint32_t, uint32_t, uintptr_t, uint64_t, bool>>;
  /// The caller keeps the memory at the addresses alive: this function must
  /// hold no Python object, since the thread may end without the GIL.
  void execute(uint32_t numWorkers, const Values &values,
               const Memory &memory) const;

private:
  const SluiceRegionProgram *table;
};

} // namespace

/// "f8"
static const char *typeText(uint32_t type) {
  static constexpr const char *names[] = {"i1", "i2", "i4", "i8", "f4", "f8"};
  return names[type];
}

static size_t sizeOf(uint32_t type) {
  static constexpr size_t sizes[] = {1, 2, 4, 8, 4, 8};
  return sizes[type];
}

Regions::Regions(const std::string &path) {
  // Never unloaded: tasks may have started threads, and traces refer to its
  // names.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    throw RunError(std::string("cannot open the compiled program: ") +
                   dlerror());
  table = static_cast<const SluiceRegionProgram *>(
      dlsym(library, "sluice_region_program"));
  if (const char *problem = sluiceCheckRegions(table))
    throw RunError("the compiled program '" + path + "': " + problem);
}

py::list Regions::parameters() const {
  py::list list;
  for (uint32_t i = 0; i < table->numParameters; ++i) {
    const SluiceRegionParameter &parameter = table->parameters[i];
    list.append(py::make_tuple(parameter.name, typeText(parameter.type),
                               parameter.min, parameter.defaultText));
  }
  return list;
}

py::list Regions::roots() const {
  py::list list;
  for (uint32_t i = 0; i < table->numRoots; ++i) {
    const SluiceRegionRoot &root = table->roots[i];
    py::list extents, fields;
    for (uint32_t d = 0; d < root.rank; ++d) {
      const SluiceExtent &extent = root.extents[d];
      if (extent.parameter == SLUICE_NO_PARAMETER)
        extents.append(extent.constant);
      else
        extents.append(table->parameters[extent.parameter].name);
    }
    for (uint32_t f = 0; f < root.numFields; ++f)
      fields.append(py::make_tuple(root.fields[f].name,
                                   typeText(root.fields[f].type),
                                   root.fields[f].count));
    py::object initial = py::none();
    if (root.initial)
      initial = py::bytes(static_cast<const char *>(root.initial),
                          sizeOf(root.fields[0].type) * root.fields[0].count);
    list.append(py::make_tuple(root.name, extents, fields, initial));
  }
  return list;
}

void Regions::execute(uint32_t numWorkers, const Values &values,
                      const Memory &memory) const {
  std::vector<const void *> parameters;
  for (uintptr_t value : values)
    parameters.push_back(reinterpret_cast<const void *>(value));
  std::vector<SluiceRegionMemory> fields;
  for (const auto &[root, field, address, bytes, isReadOnly] : memory)
    fields.push_back({.root = root,
                      .field = field,
                      .memory = reinterpret_cast<void *>(address),
                      .bytes = bytes,
                      .isReadOnly = isReadOnly,
                      .reserved = 0});
  const SluiceRegionRun run = {.size = sizeof run,
                               .numWorkers = numWorkers,
                               .numMemory = uint32_t(fields.size()),
                               .parameters = parameters.data(),
                               .memory = fields.data()};
  const char *problem;
  {
    ReleasedGIL released;
    EndedByInterrupts interrupts;
    problem = sluiceExecuteRegions(table, &run);
  }
  // A signal that ended the run is reported, rather than the end of the run.
  if (problem && PyErr_CheckSignals() != 0)
    throw py::error_already_set();
  if (problem)
    throw RunError(problem);
}

/// The symbol, the objects of the generator and of Halide's runtime, and for
/// each argument its name, kind, bits, dimensions (-1: a number), and whether
/// it is an output.
static py::tuple
compileForRegions(const std::string &name,
                  const std::map<std::string, std::string> &parameters) {
  CompiledGenerator compiled;
  {
    ReleasedGIL released;
    compiled = compileGenerator(name, parameters);
  }
  if (!compiled.problem.empty())
    throw RunError(compiled.problem);
  py::list arguments;
  for (const GeneratorArgument &argument : compiled.arguments)
    arguments.append(py::make_tuple(
        argument.name, argument.kind, argument.bits,
        argument.isBuffer ? int(argument.dimensions) : -1, argument.isOutput));
  return py::make_tuple(compiled.symbol, compiled.object, compiled.runtime,
                        arguments);
}

void sluice::pymodule::addRegions(py::module_ &module) {
  module.def("compile_generator", compileForRegions);
  py::class_<Regions>(module, "Regions")
      .def(py::init<const std::string &>())
      .def_property_readonly("name", &Regions::name)
      .def("parameters", &Regions::parameters)
      .def("roots", &Regions::roots)
      .def("execute", &Regions::execute);
}
