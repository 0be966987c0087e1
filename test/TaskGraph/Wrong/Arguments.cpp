//===- Arguments.cpp - Arguments that a task cannot take ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owners, kinds and modes, before any kernel is looked at.
//
// RUN: wrong-graphs argument_null | \
// RUN:   FileCheck %s --check-prefix=ARGUMENT_NULL --implicit-check-not=error:
// RUN: wrong-graphs argument_foreign | \
// RUN:   FileCheck %s --check-prefix=ARGUMENT_FOREIGN --implicit-check-not=error:
// RUN: wrong-graphs argument_gone | \
// RUN:   FileCheck %s --check-prefix=ARGUMENT_GONE --implicit-check-not=error:
// RUN: wrong-graphs argument_of_no_graph | \
// RUN:   FileCheck %s --check-prefix=ARGUMENT_OF_NO_GRAPH --implicit-check-not=error:
// RUN: wrong-graphs dictionary_to_c | \
// RUN:   FileCheck %s --check-prefix=DICTIONARY_TO_C --implicit-check-not=error:
// RUN: wrong-graphs dictionary_to_halide | \
// RUN:   FileCheck %s --check-prefix=DICTIONARY_TO_HALIDE --implicit-check-not=error:
// RUN: wrong-graphs dictionary_to_hpvm | \
// RUN:   FileCheck %s --check-prefix=DICTIONARY_TO_HPVM --implicit-check-not=error:
// RUN: wrong-graphs scalar_out | \
// RUN:   FileCheck %s --check-prefix=SCALAR_OUT --implicit-check-not=error:
// RUN: wrong-graphs scalar_inout | \
// RUN:   FileCheck %s --check-prefix=SCALAR_INOUT --implicit-check-not=error:
// RUN: wrong-graphs form_without_dictionary | \
// RUN:   FileCheck %s --check-prefix=FORM_WITHOUT_DICTIONARY --implicit-check-not=error:
// RUN: wrong-graphs form_into_array | \
// RUN:   FileCheck %s --check-prefix=FORM_INTO_ARRAY --implicit-check-not=error:
// RUN: wrong-graphs dependence_null | \
// RUN:   FileCheck %s --check-prefix=DEPENDENCE_NULL --implicit-check-not=error:
// RUN: wrong-graphs dependence_foreign | \
// RUN:   FileCheck %s --check-prefix=DEPENDENCE_FOREIGN --implicit-check-not=error:
// RUN: wrong-graphs dependence_gone | \
// RUN:   FileCheck %s --check-prefix=DEPENDENCE_GONE --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

WRONG(argument_null) {
  // ARGUMENT_NULL: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 0 of 'twice' is null
  graph.createTask(CKernel("twice"), {nullptr});
}

WRONG(argument_foreign) {
  TaskGraph other("other");
  Dat &own = graph.createDat(2, 2);
  Dat &dat = other.createDat(2, 2);
  // ARGUMENT_FOREIGN: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 1 of 'add' belongs to graph 'other', not to 'wrong'
  graph.createTask(CKernel("add"), {&own, &dat});
  // ARGUMENT_FOREIGN: Arguments.cpp:[[@LINE-3]]:{{[0-9]+}}: note: it is created here
}

WRONG(argument_gone) {
  Dat *dat = nullptr;
  {
    TaskGraph other("other");
    dat = &other.createDat(2, 2);
  }
  // ARGUMENT_GONE: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 0 of 'twice' belongs to no graph, or to one that is gone
  graph.createTask(CKernel("twice"), {dat});
}

WRONG(argument_of_no_graph) {
  Dat dat(nullptr);
  // ARGUMENT_OF_NO_GRAPH: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 0 of 'twice' belongs to no graph, or to one that is gone
  graph.createTask(CKernel("twice"), {in(dat)});
}

WRONG(dictionary_to_c) {
  PyObj &object = graph.createPyObj();
  // DICTIONARY_TO_C: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 0 of 'twice' is a Python dictionary, which only Python tasks take
  graph.createTask(CKernel("twice"), {&object});
  // DICTIONARY_TO_C: Arguments.cpp:[[@LINE-3]]:{{[0-9]+}}: note: it is created here
}

WRONG(dictionary_to_halide) {
  PyObj &object = graph.createPyObj();
  // DICTIONARY_TO_HALIDE: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 0 of 'blur' is a Python dictionary, which only Python tasks take
  graph.createTask(HalideKernel("blur"), {&object});
}

WRONG(dictionary_to_hpvm) {
  PyObj &object = graph.createPyObj();
  // DICTIONARY_TO_HPVM: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 0 of 'root' is a Python dictionary, which only Python tasks take
  graph.createTask(HPVMKernel("root", "/dev/null"), {&object});
}

WRONG(scalar_out) {
  Scalar &scalar = graph.createDoubleScalar(1);
  // SCALAR_OUT: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 0 of 'measure' is a scalar passed by value, which the task cannot write: wrap it with createPtrScalar
  graph.createTask(CKernel("measure"), {out(scalar)});
}

WRONG(scalar_inout) {
  Scalar &scalar = graph.createIntScalar(32, 5);
  // SCALAR_INOUT: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: argument 0 of 'count' is a scalar passed by value, which the task cannot write: wrap it with createPtrScalar
  graph.createTask(CKernel("count"), {inout(scalar)});
}

WRONG(form_without_dictionary) {
  // FORM_WITHOUT_DICTIONARY: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: form 'poisson.a' is assembled into a dictionary: the first argument must be a PyObj
  graph.createTask(FEMAKernel("poisson", "a"));
}

WRONG(form_into_array) {
  Dat &dat = graph.createDat(2, 2);
  // FORM_INTO_ARRAY: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: form 'poisson.a' is assembled into a dictionary: the first argument must be a PyObj
  graph.createTask(FEMAKernel("poisson", "a"), {&dat});
}

WRONG(dependence_null) {
  // DEPENDENCE_NULL: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: dependence 0 of 'twice' is null
  graph.createTask(CKernel("twice"), {}, {nullptr});
}

WRONG(dependence_foreign) {
  TaskGraph other("other");
  Task &before = other.createTask(CKernel("first"));
  // DEPENDENCE_FOREIGN: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: dependence 0 of 'second' belongs to graph 'other', not to 'wrong'
  graph.createTask(CKernel("second"), {}, {&before});
  // DEPENDENCE_FOREIGN: Arguments.cpp:[[@LINE-3]]:{{[0-9]+}}: note: that task is created here
}

WRONG(dependence_gone) {
  Task *before = nullptr;
  {
    TaskGraph other("other");
    before = &other.createTask(CKernel("first"));
  }
  // DEPENDENCE_GONE: Arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: dependence 0 of 'second' belongs to no graph, or to one that is gone
  graph.createTask(CKernel("second"), {}, {before});
}
