"""Forms of finite elements as kernels, with functions of this process."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import unittest

import dolfinx
import numpy as np
import sluice
import ufl
from sluice import FormKernel

HERE = os.path.dirname(os.path.abspath(__file__))


class Forms(unittest.TestCase):
    def test_forms(self):
        graph = sluice.TaskGraph("forms")
        state = graph.object(name="state")
        sums = np.zeros(3)
        for form in ("mass", "load", "area"):
            graph.task(FormKernel("forms", form), state)
        kept = {}

        def look(state, sums):
            mass, load = state["mass"], state["load"]
            kept["mass"] = mass[:, :]
            kept["load"] = load.array.copy()
            u = ufl.TrialFunction(state["space"])
            v = ufl.TestFunction(state["space"])
            plain = dolfinx.fem.petsc.assemble_matrix(
                dolfinx.fem.form(u * v * ufl.dx))
            plain.assemble()
            kept["plain"] = plain[:, :]
            sums[:] = [kept["mass"].sum(), kept["load"].sum(), state["area"]]

        graph.task(look, state, graph.dat(sums))
        for _ in range(2):
            sums[:] = 0
            graph.run(python_path=HERE, workers=2)
            # Of 1, of x and of 1 over the unit square.
            np.testing.assert_allclose(sums, [1, 0.5, 1], rtol=1e-12)
            np.testing.assert_allclose(kept["mass"], kept["plain"], atol=1e-15)
            self.assertEqual(kept["mass"].shape, (24, 24))
            # x is linear, so that its load is the mass times its values.
            x = state.value["space"].tabulate_dof_coordinates()[:, 0]
            np.testing.assert_allclose(kept["load"], kept["mass"] @ x,
                                       atol=1e-15)

    def test_mistakes(self):
        graph = sluice.TaskGraph("wrong")
        graph.task(FormKernel("forms", "no_form"), graph.object())
        with self.assertRaisesRegex(sluice.CompileError, "no_form") as caught:
            graph.run(python_path=HERE)
        self.assertEqual(caught.exception.problems[0].file, __file__)


if __name__ == "__main__":
    unittest.main()
