//===- FormTest.cpp - Finite-element tasks --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembling forms on small meshes, boundary conditions, and the cache of
// compiled forms.
//
//===----------------------------------------------------------------------===//

#include "PythonTest.h"

#include <cstdlib>
#include <filesystem>

using namespace sluice::python::test;

namespace {
class FormTest : public PythonTest {
public:
  void SetUp() override {
    static bool isThere =
        system("/usr/bin/python3 -I -c 'import importlib.util as u, sys;"
               " sys.exit(u.find_spec(\"dolfinx\") is None)'") == 0;
    if (!isThere)
      GTEST_SKIP() << "DOLFINx is not installed";
  }
};
} // namespace

#define EXPECT_SAYS(text, words)                                               \
  EXPECT_NE(std::string(text).find(words), std::string::npos) << text

/// Laplace's equation on the unit interval, u(0) = 0, u(1) = 1.
static const char *interval = R"(
from mpi4py import MPI
from petsc4py import PETSc
import dolfinx, numpy, ufl
calls = 0
def generate():
    global calls
    calls += 1
    mesh = dolfinx.mesh.create_unit_interval(MPI.COMM_WORLD, 4)
    V = dolfinx.fem.FunctionSpace(mesh, ("Lagrange", 1))
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
    def ends(x): return numpy.isclose(x[0], 0) | numpy.isclose(x[0], 1)
    dofs = dolfinx.fem.locate_dofs_geometrical(V, ends)
    value = dolfinx.fem.Function(V)
    value.interpolate(lambda x: x[0])
    zero = dolfinx.fem.Constant(mesh, PETSc.ScalarType(0))
    one = dolfinx.fem.Constant(mesh, PETSc.ScalarType(3))
    return {
        "a": ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx,
        "L": ufl.inner(zero, v) * ufl.dx,
        "length": one * ufl.dx(domain=mesh),
        "compiled": dolfinx.fem.form(one * ufl.dx),
        "count": lambda state: len(state["bcs"]),
        "both": [lambda state: state.update(first=1), lambda state: 2],
        "bcs": [dolfinx.fem.dirichletbc(value, dofs)],
        "V": V, "calls": calls,
    }
)";

TEST_F(FormTest, FormsOfEveryRank) {
  write("interval", interval);
  write("solve", R"(
import numpy
from petsc4py import PETSc
def solve(state):
    a, L = state["a"], state["L"]
    assert a.getSize() == (5, 5)
    assert numpy.allclose(a.getValues(range(5), range(5)).diagonal(),
                          [1, 8, 8, 8, 1])
    solver = PETSc.KSP().create()
    solver.setOperators(a)
    solver.setType("preonly")
    solver.getPC().setType("lu")
    u = L.duplicate()
    solver.solve(L, u)
    x = state["V"].tabulate_dof_coordinates()[:, 0]
    assert numpy.allclose(u.array, x), u.array
    assert abs(state["length"] - 3) < 1e-14, state["length"]
    assert isinstance(state["length"], float)
    assert state["compiled"] == state["length"]
    assert state["count"] == 1 and state["both"] == 2 and state["first"] == 1
)");
  Object state;
  for (const char *kernel : {"a", "L", "length", "compiled", "count", "both"})
    EXPECT_EQ(assemble("interval", kernel, state), "");
  EXPECT_EQ(call("solve", "solve", {state.argument()}), "");
}

TEST_F(FormTest, GeneratedOncePerRunAndModule) {
  write("interval2", interval);
  write("once", R"(
import interval2
def once(first, second):
    assert first["calls"] == second["calls"] == interval2.calls == 1
    assert first["V"] is second["V"]
def again(first):
    assert first["calls"] == interval2.calls == 2
)");
  {
    Object first, second;
    EXPECT_EQ(assemble("interval2", "length", first), "");
    EXPECT_EQ(assemble("interval2", "a", first), "");
    EXPECT_EQ(assemble("interval2", "a", second), "");
    EXPECT_EQ(call("once", "once", {first.argument(), second.argument()}), "");
  }
  restart();
  Object first;
  EXPECT_EQ(assemble("interval2", "length", first), "");
  EXPECT_EQ(call("once", "again", {first.argument()}), "");
}

TEST_F(FormTest, WrongKernels) {
  write("interval3", interval);
  Object state;
  EXPECT_EQ(assemble("interval3", "lenght", state),
            "'generate' of module 'interval3' returns no form 'lenght'; did "
            "you mean 'length'?");
  EXPECT_EQ(assemble("interval3", "V", state),
            "entry 'V' of 'generate' of module 'interval3' is a FunctionSpace, "
            "expected a form or a function");
  restart();
  EXPECT_EQ(assemble("interval3", "a", state, "generated"),
            "there is no function 'generated' of module 'interval3' (" +
                folder + "/interval3.py); did you mean 'generate'?");
}

TEST_F(FormTest, WrongGenerators) {
  write("generators", R"(
def number(): return 3
def raises(): return {}["x"]
def clashes(): return {"f": lambda state: None, "taken": 1}
)");
  write("fill", "def fill(state): state['taken'] = 2\n");
  Object state;
  EXPECT_EQ(assemble("generators", "f", state, "number"),
            "'number' of module 'generators' (" + folder +
                "/generators.py) returned a int, expected a dictionary of "
                "forms, or a tuple that begins with one");
  EXPECT_SAYS(assemble("generators", "f", state, "raises"), "KeyError: 'x'");
  EXPECT_EQ(call("fill", "fill", {state.argument()}), "");
  EXPECT_SAYS(assemble("generators", "f", state, "clashes"),
              "the PyObj has an entry 'taken' already");
}

TEST_F(FormTest, BoundaryValuesNeedTheirForm) {
  write("interval4", std::string(interval) + R"(
plain = generate
def two():
    forms = plain()
    forms["mass"] = ufl.inner(ufl.TrialFunction(forms["V"]),
                              ufl.TestFunction(forms["V"])) * ufl.dx
    return forms
def named(): return two() | {"lifting": {"L": "a"}}
def left(): return two() | {"lifting": {"L": None}}
def wrong(): return two() | {"lifting": {"L": "length"}}
def some():
    forms = two()
    return forms | {"bcs": {"a": forms["bcs"], "L": forms["bcs"]}}
)");
  write("norm", "def norm(s, n): assert abs(s['L'].norm() - n) < 1e-12, "
                "s['L'].norm()\n");
  auto norm = [&](const char *generator, double expected) {
    restart();
    Object state;
    EXPECT_EQ(assemble("interval4", "L", state, generator), "");
    EXPECT_EQ(
        call("norm", "norm",
             {state.argument(), scalar(SLUICE_ELEMENT_FLOAT, 64, &expected)}),
        "");
  };
  norm("named", 4.123105625617661); // 0 0 0 4 1
  norm("left", 0);
  norm("some", 4.123105625617661);
  restart();
  Object state, other;
  EXPECT_SAYS(assemble("interval4", "L", state, "two"),
              "2 bilinear forms whose columns could carry them to 'L'");
  restart();
  EXPECT_SAYS(assemble("interval4", "L", other, "wrong"),
              "gives 'L' the form 'length', which is no bilinear form");
}

TEST_F(FormTest, FunctionsThatTakeTheContext) {
  write("context", R"(
def generate(): return {"f": lambda state: 1}, "solver", 5
def solve(ctx, state):
    assert ctx[1:] == ("solver", 5) and state["f"] == 1
    state["solved"] = True
def check(state): assert state == {"f": 1, "solved": True}
)");
  Object state;
  EXPECT_EQ(assemble("context", "f", state), "");
  EXPECT_EQ(call("context", "solve", {state.argument()}), "");
  EXPECT_EQ(call("context", "check", {state.argument()}), "");
}

TEST_F(FormTest, DamagedCacheIsRepaired) {
  write("interval5", interval);
  write("cache", R"(
import glob, os, sluice_fem
def empty():
    files = sorted(sluice_fem._compiled)
    assert files and all(os.path.exists(file) for file in files)
def unfinished():
    import dolfinx
    folder = str(dolfinx.jit.get_parameters()["cache_dir"])
    for ready in glob.glob(folder + "/libffcx_forms_*.c.cached"):
        os.remove(ready)
)");
  {
    Object state;
    EXPECT_EQ(assemble("interval5", "length", state), "");
    EXPECT_EQ(call("cache", "empty"), "");
    EXPECT_EQ(call("cache", "unfinished"), "");
  }
  restart();
  Object state;
  EXPECT_EQ(assemble("interval5", "length", state), "");
}
