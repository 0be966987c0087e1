//===- PythonLayouts.cpp - Layouts of Pack for Python ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One class, over the C interface. Addresses are numbers here: the package
// checks that all bytes a layout reaches lie in the arrays that it is given.
//
//===----------------------------------------------------------------------===//

#include "CoreModule.h"

#include "sluice-c/Pack.h"

#include <pybind11/stl.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;
using sluice::pymodule::ReleasedGIL;

namespace {

using Counts = std::vector<LPK_Count>;

/// Turns an error code into a ValueError, or a MemoryError.
void expect(int code) {
  if (code == LPK_SUCCESS)
    return;
  if (code == LPK_ERR_MEMORY)
    throw std::bad_alloc();
  throw py::value_error(LPK_Last_error());
}

class PyLayout {
public:
  PyLayout() = default;
  PyLayout(PyLayout &&other) noexcept
      : handle(std::exchange(other.handle, LPK_DATATYPE_NULL)) {}
  ~PyLayout() {
    if (handle != LPK_DATATYPE_NULL)
      LPK_Free(&handle);
  }

  LPK_Datatype handle = LPK_DATATYPE_NULL;
};

/// A text that a function writes to a buffer.
template <typename Function> std::string textBy(Function &&write) {
  LPK_Count length = 0;
  expect(write(nullptr, 0, &length));
  std::string text(size_t(length) + 1, '\0');
  expect(write(text.data(), LPK_Count(text.size()), &length));
  text.resize(size_t(length));
  return text;
}

/// Every list must be as long as the first one.
void expectLength(const char *what, size_t found, size_t expected) {
  if (found != expected)
    throw py::value_error(std::string(what) + " has " + std::to_string(found) +
                          " entries, expected " + std::to_string(expected));
}

void *address(uintptr_t number) { return reinterpret_cast<void *>(number); }

/// The Python object that a constructor returns; `make` fills in the handle.
template <typename Function> PyLayout makeBy(Function &&make) {
  PyLayout layout;
  expect(make(&layout.handle));
  return layout;
}

PyLayout makeStruct(const Counts &lengths, const Counts &places,
                    const std::vector<const PyLayout *> &types) {
  expectLength("the list of places", places.size(), lengths.size());
  expectLength("the list of layouts", types.size(), lengths.size());
  std::vector<LPK_Datatype> handles;
  for (const PyLayout *type : types)
    handles.push_back(type->handle);
  return makeBy([&](LPK_Datatype *made) {
    return LPK_Struct_c(LPK_Count(lengths.size()), lengths.data(),
                        places.data(), handles.data(), made);
  });
}

PyLayout makeSubarray(const Counts &sizes, const Counts &parts,
                      const Counts &starts, bool isFortran,
                      const PyLayout &base) {
  expectLength("the list of parts' sizes", parts.size(), sizes.size());
  expectLength("the list of starts", starts.size(), sizes.size());
  return makeBy([&](LPK_Datatype *made) {
    return LPK_Subarray_c(
        int(sizes.size()), sizes.data(), parts.data(), starts.data(),
        isFortran ? LPK_ORDER_FORTRAN : LPK_ORDER_C, base.handle, made);
  });
}

/// (combiner, integers, addresses, layouts), as MPI says.
py::tuple contents(const PyLayout &layout) {
  LPK_Count integers, addresses, types;
  int combiner;
  expect(LPK_Get_envelope_c(layout.handle, &integers, &addresses, &types,
                            &combiner));
  if (combiner == LPK_COMBINER_NAMED) {
    LPK_Primitivetype primitive;
    expect(LPK_Get_primitive(layout.handle, &primitive));
    return py::make_tuple(combiner, Counts{primitive}, Counts{}, py::list());
  }
  Counts numbers(size_t(integers), 0), places(size_t(addresses), 0);
  std::vector<LPK_Datatype> handles(size_t(types), LPK_DATATYPE_NULL);
  expect(LPK_Get_contents_c(layout.handle, integers, addresses, types,
                            numbers.data(), places.data(), handles.data()));
  py::list layouts;
  for (LPK_Datatype handle : handles) {
    PyLayout made;
    made.handle = handle;
    layouts.append(py::cast(std::move(made)));
  }
  return py::make_tuple(combiner, numbers, places, layouts);
}

} // namespace

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

/// Constructors, as static methods.
static void addConstructors(py::class_<PyLayout> &layout) {
  layout
      .def_static("from_text",
                  [](const std::string &text) {
                    return makeBy([&](LPK_Datatype *made) {
                      return LPK_From_text(text.c_str(), made);
                    });
                  })
      .def_static("contiguous",
                  [](LPK_Count count, const PyLayout &base) {
                    return makeBy([&](LPK_Datatype *made) {
                      return LPK_Contiguous(count, base.handle, made);
                    });
                  })
      .def_static("vector",
                  [](LPK_Count count, LPK_Count length, LPK_Count stride,
                     const PyLayout &base) {
                    return makeBy([&](LPK_Datatype *made) {
                      return LPK_Vector(count, length, stride, base.handle,
                                        made);
                    });
                  })
      .def_static("hvector",
                  [](LPK_Count count, LPK_Count length, LPK_Aint stride,
                     const PyLayout &base) {
                    return makeBy([&](LPK_Datatype *made) {
                      return LPK_Hvector(count, length, stride, base.handle,
                                         made);
                    });
                  })
      .def_static("indexed",
                  [](const Counts &lengths, const Counts &places,
                     const PyLayout &base, bool areBytes) {
                    expectLength("the list of places", places.size(),
                                 lengths.size());
                    return makeBy([&](LPK_Datatype *made) {
                      return (areBytes ? LPK_Hindexed_c : LPK_Indexed_c)(
                          LPK_Count(lengths.size()), lengths.data(),
                          places.data(), base.handle, made);
                    });
                  })
      .def_static("struct", makeStruct)
      .def_static("resized",
                  [](const PyLayout &base, LPK_Aint lower, LPK_Aint extent) {
                    return makeBy([&](LPK_Datatype *made) {
                      return LPK_Resized(base.handle, lower, extent, made);
                    });
                  })
      .def_static("subarray", makeSubarray);
}

/// Adds copies that run concurrently with other Python threads.
static void addPacking(py::class_<PyLayout> &layout) {
  layout
      .def("pack",
           [](const PyLayout &self, uintptr_t from, LPK_Count count,
              uintptr_t to) {
             int code;
             {
               ReleasedGIL released;
               code = LPK_Pack(address(from), count, self.handle, address(to));
             }
             expect(code);
           })
      .def("unpack", [](const PyLayout &self, uintptr_t from, uintptr_t to,
                        LPK_Count count) {
        int code;
        {
          ReleasedGIL released;
          code = LPK_Unpack(address(from), address(to), count, self.handle);
        }
        expect(code);
      });
}

void sluice::pymodule::addLayouts(py::module_ &module) {
  py::class_<PyLayout> layout(module, "Layout");
  addConstructors(layout);
  addPacking(layout);
  layout.def("commit", [](PyLayout &self) { expect(LPK_Commit(&self.handle)); })
      .def("compile",
           [](PyLayout &self) {
             int code;
             {
               ReleasedGIL released;
               code = LPK_Compile(&self.handle);
             }
             expect(code);
           })
      .def("size",
           [](const PyLayout &self) {
             LPK_Count size;
             expect(LPK_Get_size_x(self.handle, &size));
             return size;
           })
      .def("extent",
           [](const PyLayout &self) {
             LPK_Aint lower, extent;
             expect(LPK_Get_extent(self.handle, &lower, &extent));
             return py::make_tuple(lower, extent);
           })
      .def("true_extent",
           [](const PyLayout &self) {
             LPK_Aint lower, extent;
             expect(LPK_Get_true_extent(self.handle, &lower, &extent));
             return py::make_tuple(lower, extent);
           })
      .def("text",
           [](const PyLayout &self) {
             return textBy(
                 [&](char *buffer, LPK_Count size, LPK_Count *length) {
                   return LPK_To_text(self.handle, buffer, size, length);
                 });
           })
      .def("kernel",
           [](const PyLayout &self) {
             return textBy(
                 [&](char *buffer, LPK_Count size, LPK_Count *length) {
                   return LPK_Kernel_name(self.handle, buffer, size, length);
                 });
           })
      .def("contents", contents);
}
