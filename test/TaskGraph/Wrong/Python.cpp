//===- Python.cpp - Arguments that Python functions do not take -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules and functions that are not there, and arguments that do not fit.
//
// REQUIRES: python-tasks
// RUN: wrong-graphs python_module_missing | \
// RUN:   FileCheck %s --check-prefix=PYTHON_MODULE_MISSING --implicit-check-not=error:
// RUN: wrong-graphs python_function_missing | \
// RUN:   FileCheck %s --check-prefix=PYTHON_FUNCTION_MISSING --implicit-check-not=error:
// RUN: wrong-graphs python_arity_few | \
// RUN:   FileCheck %s --check-prefix=PYTHON_ARITY_FEW --implicit-check-not=error:
// RUN: wrong-graphs python_arity_many | \
// RUN:   FileCheck %s --check-prefix=PYTHON_ARITY_MANY --implicit-check-not=error:
// RUN: wrong-graphs python_keyword | \
// RUN:   FileCheck %s --check-prefix=PYTHON_KEYWORD --implicit-check-not=error:
// RUN: wrong-graphs form_module_missing | \
// RUN:   FileCheck %s --check-prefix=FORM_MODULE_MISSING --implicit-check-not=error:
// RUN: wrong-graphs form_without_generator | \
// RUN:   FileCheck %s --check-prefix=FORM_WITHOUT_GENERATOR --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

WRONG(python_module_missing) {
  // PYTHON_MODULE_MISSING: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: there is no Python module 'nowhere' in
  graph.createTask(PyKernel("nowhere", "solve"), {&graph.createPyObj()});
}

WRONG(python_function_missing) {
  // PYTHON_FUNCTION_MISSING: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: module 'wrong' ({{.*}}wrong.py) has no function 'dissolve'; did you mean 'solve'?
  graph.createTask(PyKernel("wrong", "dissolve"), {&graph.createPyObj()});
}

WRONG(python_arity_few) {
  // PYTHON_ARITY_FEW: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'solve' ({{.*}}wrong.py:5) takes 1 argument, but the task passes 0
  graph.createTask(PyKernel("wrong", "solve"));
}

WRONG(python_arity_many) {
  PyObj &state = graph.createPyObj();
  // PYTHON_ARITY_MANY: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'solve' ({{.*}}wrong.py:5) takes 1 argument, but the task passes 2
  graph.createTask(PyKernel("wrong", "solve"), {&state, &state});
}

WRONG(python_keyword) {
  Dat &dat = graph.createDat(2, 2);
  Scalar &scalar = graph.createDoubleScalar(2);
  // PYTHON_KEYWORD: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'scale' ({{.*}}wrong.py:9) needs the keyword argument 'base', but arguments of tasks have no names
  graph.createTask(PyKernel("wrong", "scale"), {&dat, &scalar});
}

WRONG(form_module_missing) {
  PyObj &state = graph.createPyObj();
  // FORM_MODULE_MISSING: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: there is no Python module 'nowhere' in
  graph.createTask(FEMAKernel("nowhere", "a"), {&state});
}

WRONG(form_without_generator) {
  PyObj &state = graph.createPyObj();
  // FORM_WITHOUT_GENERATOR: Python.cpp:[[@LINE+1]]:{{[0-9]+}}: error: module 'wrong' ({{.*}}wrong.py) has no function 'generate', which generates its forms
  graph.createTask(FEMAKernel("wrong", "a"), {&state});
}
