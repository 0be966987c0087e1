"""A small finite-element problem that the tests of forms assemble."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from mpi4py import MPI
import dolfinx
import ufl


def generate():
    print("generating")
    mesh = dolfinx.mesh.create_unit_interval(MPI.COMM_WORLD, 4)
    V = dolfinx.fem.FunctionSpace(mesh, ("Lagrange", 1))
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
    return {"mass": ufl.inner(u, v) * ufl.dx, "space": V}


def fails():
    raise RuntimeError("no mesh today")


def none():
    return None


def show(state):
    matrix = state["mass"]
    print("mass matrix of size", matrix.getSize(), "norm",
          round(matrix.norm(), 6))
