# The finite elements of a membrane that is fixed at its edges.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# 'generate' describes the forms 'stiffness' and 'load', which are compiled with
# the task graph; their tasks assemble them into the dictionary, to which also
# what else it returns is added. 'solve' is a task of its own.

import dolfinx.fem
import dolfinx.mesh
import numpy
import ufl
from mpi4py import MPI
from petsc4py import PETSc

CELLS = (48, 32)
SIZE = (1.5, 1.0)


def at_edges(x):
    return (numpy.isclose(x[0], 0) | numpy.isclose(x[0], SIZE[0])
            | numpy.isclose(x[1], 0) | numpy.isclose(x[1], SIZE[1]))


def generate():
    mesh = dolfinx.mesh.create_rectangle(
        MPI.COMM_WORLD, [(0.0, 0.0), SIZE], CELLS)
    space = dolfinx.fem.FunctionSpace(mesh, ("Lagrange", 1))
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    pressure = dolfinx.fem.Constant(mesh, PETSc.ScalarType(1))
    fixed = dolfinx.fem.locate_dofs_geometrical(space, at_edges)
    return {
        "stiffness": ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx,
        "load": ufl.inner(pressure, v) * ufl.dx,
        "bcs": [dolfinx.fem.dirichletbc(PETSc.ScalarType(0), fixed, space)],
        "space": space,
    }


def solve(membrane, heights):
    """Writes the heights of the mesh's nodes, row by row."""
    solver = PETSc.KSP().create()
    solver.setOperators(membrane["stiffness"])
    solver.setType("preonly")
    solver.getPC().setType("lu")
    solution = membrane["load"].duplicate()
    solver.solve(membrane["load"], solution)

    places = membrane["space"].tabulate_dof_coordinates()[:, :2]
    columns, rows = numpy.rint(places / SIZE * CELLS).astype(int).T
    numpy.asarray(heights)[rows, columns] = solution.array
