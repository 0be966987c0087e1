//===- Python.cpp - Arguments that Python functions do not take -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules and functions that are not there, and arguments that do not fit.
//
// RUN: wrong-graphs python_module_missing | \
// RUN:   FileCheck %s --check-prefix=PYTHON_MODULE_MISSING --implicit-check-not=error:
// RUN: wrong-graphs python_function_missing | \
// RUN:   FileCheck %s --check-prefix=PYTHON_FUNCTION_MISSING --implicit-check-not=error:
// RUN: wrong-graphs python_no_function | \
// RUN:   FileCheck %s --check-prefix=PYTHON_NO_FUNCTION --implicit-check-not=error:
// RUN: wrong-graphs python_arity_few | \
// RUN:   FileCheck %s --check-prefix=PYTHON_ARITY_FEW --implicit-check-not=error:
// RUN: wrong-graphs python_arity_many | \
// RUN:   FileCheck %s --check-prefix=PYTHON_ARITY_MANY --implicit-check-not=error:
// RUN: wrong-graphs python_keyword | \
// RUN:   FileCheck %s --check-prefix=PYTHON_KEYWORD --implicit-check-not=error:
// RUN: wrong-graphs python_broken | \
// RUN:   FileCheck %s --check-prefix=PYTHON_BROKEN --implicit-check-not=error:
// RUN: wrong-graphs form_module_missing | \
// RUN:   FileCheck %s --check-prefix=FORM_MODULE_MISSING --implicit-check-not=error:
// RUN: wrong-graphs form_without_generator | \
// RUN:   FileCheck %s --check-prefix=FORM_WITHOUT_GENERATOR --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

WRONG(python_module_missing) {
  // PYTHON_MODULE_MISSING: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(PyKernel("Inputs.nowhere", "solve"), {&graph.createPyObj()});
}

WRONG(python_function_missing) {
  // PYTHON_FUNCTION_MISSING: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(PyKernel("Inputs.kern", "dissolve"), {&graph.createPyObj()});
}

WRONG(python_no_function) {
  // PYTHON_NO_FUNCTION: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(PyKernel("Inputs.kern", "value"));
}

WRONG(python_arity_few) {
  // PYTHON_ARITY_FEW: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(PyKernel("Inputs.kern", "solve"));
}

WRONG(python_arity_many) {
  PyObj &state = graph.createPyObj();
  // PYTHON_ARITY_MANY: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(PyKernel("Inputs.kern", "solve"), {&state, &state});
}

WRONG(python_keyword) {
  Dat &dat = graph.createDat(2, 2);
  Scalar &scalar = graph.createDoubleScalar(2);
  // PYTHON_KEYWORD: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(PyKernel("Inputs.kern", "scale"), {&dat, &scalar});
}

WRONG(python_broken) {
  // PYTHON_BROKEN: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(PyKernel("Inputs.broken", "solve"), {&graph.createPyObj()});
}

WRONG(form_module_missing) {
  PyObj &state = graph.createPyObj();
  // FORM_MODULE_MISSING: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(FEMAKernel("Inputs.nowhere", "a"), {&state});
}

WRONG(form_without_generator) {
  PyObj &state = graph.createPyObj();
  // FORM_WITHOUT_GENERATOR: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: X
  graph.createTask(FEMAKernel("Inputs.kern", "a"), {&state});
}
