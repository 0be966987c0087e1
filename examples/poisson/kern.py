"""Poisson's equation on the unit square: forms, and what is done with them.

    -div(grad(u)) = f,   u = exact on the boundary
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from mpi4py import MPI
from petsc4py import PETSc
import dolfinx
import numpy
import ufl

CELLS = 32  # along each side


def exact(x, functions):
    """The solution, by NumPy's functions or by UFL's."""
    return (functions.sin(numpy.pi * x[0]) * functions.sin(numpy.pi * x[1])
            + x[0])


def generate():
    """Called once when the graph is compiled, and once per run."""
    mesh = dolfinx.mesh.create_unit_square(MPI.COMM_WORLD, CELLS, CELLS)
    V = dolfinx.fem.FunctionSpace(mesh, ("Lagrange", 1))
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
    x = ufl.SpatialCoordinate(mesh)
    f = 2 * numpy.pi**2 * ufl.sin(numpy.pi * x[0]) * ufl.sin(numpy.pi * x[1])

    boundary = dolfinx.fem.Function(V)
    boundary.interpolate(lambda x: exact(x, numpy))
    mesh.topology.create_connectivity(1, 2)
    facets = dolfinx.mesh.exterior_facet_indices(mesh.topology)
    dofs = dolfinx.fem.locate_dofs_topological(V, 1, facets)

    solution = dolfinx.fem.Function(V)
    return {
        # Forms: the kernels of finite-element tasks.
        "stiffness": ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx,
        "load": ufl.inner(f, v) * ufl.dx,
        "error2": (solution - exact(x, ufl))**2 * ufl.dx,
        # Boundary conditions of all matrices and right-hand sides.
        "bcs": [dolfinx.fem.dirichletbc(boundary, dofs)],
        # State, which Python tasks find in the PyObj.
        "space": V,
        "solution": solution,
    }


def solve(state):
    solver = PETSc.KSP().create(MPI.COMM_WORLD)
    solver.setOperators(state["stiffness"])
    solver.setType("preonly")
    solver.getPC().setType("lu")
    solution = state["solution"]
    solver.solve(state["load"], solution.vector)
    solution.x.scatter_forward()
    print(f"solved for {state['load'].getSize()} unknowns")


def report(state, error):
    """Checks the error in the L2 norm, and leaves it in the scalar."""
    error[()] = numpy.sqrt(state["error2"])
    print(f"error in the L2 norm: {error[()]:.3e}")
    if not error[()] < 2 / CELLS**2:
        raise ValueError(f"the error {error[()]} is too large for {CELLS} x "
                         f"{CELLS} cells")
    print("poisson: ok")


def plot(state):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    V = state["space"]
    points = V.tabulate_dof_coordinates()
    triangles = V.dofmap.list.array.reshape(-1, 3)
    figure, axes = pyplot.subplots(figsize=(6, 5))
    colors = axes.tripcolor(points[:, 0], points[:, 1], triangles,
                            state["solution"].x.array, shading="gouraud")
    figure.colorbar(colors)
    axes.set_aspect("equal")
    axes.set_title("Poisson's equation")
    figure.savefig("poisson.png", dpi=100)
    pyplot.close(figure)
