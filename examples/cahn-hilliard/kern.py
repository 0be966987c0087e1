"""The Cahn-Hilliard equations: two fluids separate.

    dc/dt = div(grad(mu)),   mu = df/dc - lambda div(grad(c)),
    f = 100 c^2 (1 - c)^2

The total mass, the integral of c, stays as it is; the energy falls.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from mpi4py import MPI
import dolfinx.fem.petsc
import dolfinx.nls.petsc
import numpy
import ufl

CELLS = 32  # along each side
STEP = 5.0e-6
LAMBDA = 1.0e-2


def start(state):
    """Nearly mixed; the same in every run."""
    random = numpy.random.RandomState(2)
    old, new = state["old"], state["new"]
    new.sub(0).interpolate(
        lambda x: 0.63 + 0.02 * (0.5 - random.rand(x.shape[1])))
    new.x.scatter_forward()
    old.x.array[:] = new.x.array


def generate():
    """Called once when the graph is compiled, and once per run."""
    mesh = dolfinx.mesh.create_unit_square(MPI.COMM_WORLD, CELLS, CELLS)
    element = ufl.FiniteElement("Lagrange", mesh.ufl_cell(), 1)
    V = dolfinx.fem.FunctionSpace(mesh, element * element)
    old, new = dolfinx.fem.Function(V), dolfinx.fem.Function(V)
    q, v = ufl.TestFunctions(V)
    c, mu = ufl.split(new)
    c_old, _ = ufl.split(old)

    c = ufl.variable(c)
    f = 100 * c**2 * (1 - c)**2
    residual = (
        ufl.inner(c - c_old, q) * ufl.dx
        + STEP * ufl.inner(ufl.grad(mu), ufl.grad(q)) * ufl.dx
        + ufl.inner(mu - ufl.diff(f, c), v) * ufl.dx
        - LAMBDA * ufl.inner(ufl.grad(c), ufl.grad(v)) * ufl.dx)
    problem = dolfinx.fem.petsc.NonlinearProblem(residual, new)
    solver = dolfinx.nls.petsc.NewtonSolver(MPI.COMM_WORLD, problem)
    solver.convergence_criterion = "incremental"
    solver.rtol = 1e-9
    return {
        "start": start,  # a function is a kernel, too
        "mass": c * ufl.dx,
        "energy": (f + LAMBDA / 2 * ufl.inner(ufl.grad(c), ufl.grad(c)))
        * ufl.dx,
        "solver": solver, "old": old, "new": new, "space": V,
    }


def advance(state):
    """One step of implicit Euler by Newton's method."""
    new = state["new"]
    _, converged = state["solver"].solve(new)
    if not converged:
        raise ArithmeticError("Newton's method does not converge")
    new.x.scatter_forward()
    state["old"].x.array[:] = new.x.array


def record(state, row):
    """`row` is one row of the history."""
    row[0, 0] = state["mass"]
    row[0, 1] = state["energy"]


def check(history):
    history = numpy.asarray(history)
    mass, energy = history[:, 0], history[:, 1]
    print(f"mass {mass[0]:.6f} to {mass[-1]:.6f}")
    print(f"energy {energy[0]:.6f} to {energy[-1]:.6f}")
    if not numpy.allclose(mass, mass[0], rtol=1e-9):
        raise ValueError(f"the mass changes: {mass}")
    if not (numpy.diff(energy) < 0).all():
        raise ValueError(f"the energy grows: {energy}")
    print("cahn-hilliard: ok")


def plot(state):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    V, dofs = state["space"].sub(0).collapse()
    points = V.tabulate_dof_coordinates()
    triangles = V.dofmap.list.array.reshape(-1, 3)
    figure, axes = pyplot.subplots(figsize=(6, 5))
    colors = axes.tripcolor(points[:, 0], points[:, 1], triangles,
                            state["new"].x.array[dofs], shading="gouraud")
    figure.colorbar(colors)
    axes.set_aspect("equal")
    axes.set_title("Cahn-Hilliard: concentration")
    figure.savefig("cahn-hilliard.png", dpi=100)
    pyplot.close(figure)
