"""Forms on a square, for test_forms.py."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from mpi4py import MPI
import dolfinx
import ufl


def generate():
    mesh = dolfinx.mesh.create_unit_square(MPI.COMM_WORLD, 5, 3)
    space = dolfinx.fem.FunctionSpace(mesh, ("Lagrange", 1))
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    x = ufl.SpatialCoordinate(mesh)
    return {
        "mass": u * v * ufl.dx,
        "load": x[0] * v * ufl.dx,
        "area": dolfinx.fem.Constant(mesh, 1.0) * ufl.dx,
        "space": space,
    }
