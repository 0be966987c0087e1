//===- Views.cpp - Memory of datasets as memoryviews ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A memoryview needs an object that exports the memory. The exporter defined
// here counts its views.
//
//===----------------------------------------------------------------------===//

#include "Views.h"

#include <algorithm>
#include <utility>

using namespace sluice::python;

//===----------------------------------------------------------------------===//
// The object behind a memoryview
//===----------------------------------------------------------------------===//

namespace {
struct ViewLayout {
  std::vector<Py_ssize_t> shape, strides;
  char format[2] = {0, 0};
  char *first = nullptr;
  Py_ssize_t itemSize = 0, bytes = 0;
  bool isReadOnly = false;
  std::shared_ptr<const void> owner = {}; ///< of the memory, or null
};

struct Exporter {
  PyObject_HEAD ViewLayout *layout;
  Py_ssize_t numExports;
  bool isOpen; ///< the task is running
};
} // namespace

/// Exporters whose memory was still in use when their task ended. This list
/// owns them.
static std::vector<PyObject *> &keptExporters() {
  static auto *list = new std::vector<PyObject *>;
  return *list;
}

static bool isContiguous(const ViewLayout &layout) {
  Py_ssize_t expected = layout.itemSize;
  for (size_t k = layout.shape.size(); k-- > 0;) {
    if (layout.shape[k] != 1 && layout.strides[k] != expected)
      return false;
    expected *= layout.shape[k];
  }
  return true;
}

static int getBuffer(PyObject *object, Py_buffer *buffer, int flags) {
  auto *self = reinterpret_cast<Exporter *>(object);
  ViewLayout &layout = *self->layout;
  const char *problem = nullptr;
  if (!self->isOpen)
    problem = "the task that had this array has ended";
  else if (layout.isReadOnly && (flags & PyBUF_WRITABLE))
    problem = "the task only reads this array";
  else if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !isContiguous(layout))
    problem = "this part of an array has gaps";
  buffer->obj = nullptr;
  if (problem) {
    PyErr_SetString(PyExc_BufferError, problem);
    return -1;
  }
  Py_INCREF(object);
  *buffer = {};
  buffer->obj = object;
  buffer->buf = layout.first;
  buffer->len = layout.bytes;
  buffer->itemsize = layout.itemSize;
  buffer->readonly = layout.isReadOnly;
  buffer->ndim = static_cast<int>(layout.shape.size());
  buffer->format = (flags & PyBUF_FORMAT) ? layout.format : nullptr;
  buffer->shape = (flags & PyBUF_ND) ? layout.shape.data() : nullptr;
  buffer->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES
                        ? layout.strides.data()
                        : nullptr;
  ++self->numExports;
  return 0;
}

static void releaseBuffer(PyObject *object, Py_buffer *) {
  --reinterpret_cast<Exporter *>(object)->numExports;
}

static void deallocate(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<Exporter *>(object)->layout;
  type->tp_free(object);
  Py_DECREF(type);
}

static PyTypeObject *exporterType() {
  static PyType_Slot slots[] = {
      {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseBuffer)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
      {0, nullptr}};
  static PyType_Spec spec = {
      "sluice.Array", sizeof(Exporter), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  static PyObject *type = PyType_FromSpec(&spec);
  return reinterpret_cast<PyTypeObject *>(type);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// The struct module's letter for an element.
static char formatOf(const SluicePythonArgument &argument) {
  if (argument.elementKind == SLUICE_ELEMENT_FLOAT)
    return argument.elementBits == 32 ? 'f' : 'd';
  char letter = 0;
  switch (argument.elementBits) {
  case 8:
    letter = 'b';
    break;
  case 16:
    letter = 'h';
    break;
  case 32:
    letter = 'i';
    break;
  default:
    letter = 'l'; // NumPy's int64
  }
  return argument.elementKind == SLUICE_ELEMENT_UINT ? letter - 'a' + 'A'
                                                     : letter;
}

static ViewLayout *layoutOf(const SluicePythonArgument &argument) {
  auto *layout = new ViewLayout;
  const SluiceTaskView &view = argument.view;
  Py_ssize_t size = argument.elementBits / 8;
  layout->itemSize = layout->bytes = size;
  layout->format[0] = formatOf(argument);
  layout->isReadOnly = argument.isReadOnly;
  for (uint32_t k = 0; k < view.rank; ++k) {
    layout->shape.push_back(view.shape[k]);
    layout->strides.push_back(view.strides[k] * size);
    layout->bytes *= view.shape[k];
  }
  static char nothing; // an array without elements may have no memory
  layout->first = argument.memory ? static_cast<char *>(argument.memory) +
                                        view.offset * size
                                  : &nothing;
  return layout;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

PyObject *Views::create(const SluicePythonArgument &argument, int index,
                        std::shared_ptr<const void> owner) {
  PyTypeObject *type = exporterType();
  PyObject *object = type ? type->tp_alloc(type, 0) : nullptr;
  if (!object)
    return nullptr;
  auto *exporter = reinterpret_cast<Exporter *>(object);
  exporter->layout = layoutOf(argument);
  exporter->layout->owner = std::move(owner);
  exporter->numExports = 0;
  exporter->isOpen = true;
  PyObject *view = PyMemoryView_FromObject(object);
  if (!view) {
    Py_DECREF(object);
    return nullptr;
  }
  entries.push_back({object, view, index});
  Py_INCREF(view);
  return view;
}

static bool isInUse(PyObject *exporter) {
  return reinterpret_cast<Exporter *>(exporter)->numExports > 0;
}

int Views::release() {
  for (Entry &entry : entries) {
    PyObject *none = PyObject_CallMethod(entry.view, "release", nullptr);
    if (!none)
      PyErr_Clear(); // found below
    Py_XDECREF(none);
    Py_DECREF(entry.view);
    reinterpret_cast<Exporter *>(entry.exporter)->isOpen = false;
  }
  auto isKept = [](const Entry &entry) { return isInUse(entry.exporter); };
  if (std::any_of(entries.begin(), entries.end(), isKept))
    PyGC_Collect(); // arrays in cycles
  int first = -1;
  for (Entry &entry : entries) {
    if (!isKept(entry)) {
      Py_DECREF(entry.exporter);
      continue;
    }
    first = first < 0 ? entry.argument : first;
    keptExporters().push_back(entry.exporter);
  }
  entries.clear();
  return first;
}

Views::~Views() {
  if (!entries.empty())
    release();
}

bool Views::isAnyKept() {
  std::vector<PyObject *> &kept = keptExporters();
  auto end = std::remove_if(kept.begin(), kept.end(), [](PyObject *exporter) {
    if (isInUse(exporter))
      return false;
    Py_DECREF(exporter);
    return true;
  });
  kept.erase(end, kept.end());
  return !kept.empty();
}
