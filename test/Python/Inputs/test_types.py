"""Tests that type stubs say what the package has, and that all is documented."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ast
import inspect
import os
import unittest

import sluice

FOLDER = os.path.dirname(sluice.__file__)


def stub(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return ast.parse(file.read()).body


def names_of(function):
    """Parameters as a stub has them: kinds and names."""
    args = function.args
    return ([a.arg for a in args.posonlyargs + args.args],
            args.vararg and args.vararg.arg, [a.arg for a in args.kwonlyargs],
            args.kwarg and args.kwarg.arg)


def names_at_run_time(function):
    kinds = inspect.Parameter
    plain, starred, keywords, rest = [], None, [], None
    for p in inspect.signature(function).parameters.values():
        if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
            plain.append(p.name)
        elif p.kind == kinds.VAR_POSITIONAL:
            starred = p.name
        elif p.kind == kinds.KEYWORD_ONLY:
            keywords.append(p.name)
        else:
            rest = p.name
    return plain, starred, keywords, rest


class Types(unittest.TestCase):
    def compare(self, entries, owner, where):
        for node in entries:
            if isinstance(node, ast.FunctionDef):
                found = getattr(owner, node.name)
                if isinstance(found, property):
                    self.assertTrue(node.decorator_list, node.name)
                    continue
                self.assertEqual(names_of(node), names_at_run_time(found),
                                 f"{where}.{node.name}")
            elif isinstance(node, ast.ClassDef) and node.name[0] != "_":
                found = getattr(owner, node.name)
                self.compare(node.body, found, node.name)
                stated = {n.name for n in node.body
                          if isinstance(n, ast.FunctionDef)}
                public = {n for n, v in vars(found).items() if n[0] != "_"
                          and (callable(v) or isinstance(v, property))}
                if node.name != "Part":  # inherits what it refuses
                    self.assertEqual(public - stated, set(), node.name)

    def test_the_package(self):
        body = stub("__init__.pyi")
        self.compare(body, sluice, "sluice")
        stated = {n.name for n in body
                  if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(set(sluice.__all__) - stated, {"pack", "regions"})

    def test_pack(self):
        body = stub("pack.pyi")
        self.compare(body, sluice.pack, "pack")
        stated = {n.name for n in body
                  if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        public = {n for n, v in vars(sluice.pack).items() if n[0] != "_"
                  and getattr(v, "__module__", "") == "sluice.pack"}
        self.assertEqual(public, stated)

    def test_all_is_documented(self):
        for module in (sluice, sluice.pack, sluice.regions):
            for name, value in vars(module).items():
                if name[0] == "_" or not getattr(
                        value, "__module__", "").startswith("sluice"):
                    continue
                self.assertTrue(inspect.getdoc(value), name)
                if not inspect.isclass(value):
                    continue
                for inner, member in vars(value).items():
                    if inner[0] != "_" and callable(member):
                        self.assertTrue(inspect.getdoc(member),
                                        f"{name}.{inner}")

    def test_typed(self):
        self.assertTrue(os.path.exists(os.path.join(FOLDER, "py.typed")))


if __name__ == "__main__":
    unittest.main()
