"""Says what a Python module defines and imports, without running it.

Prints a JSON object; run by the compiler for each module of a program.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ast
import json
import sys


def _is_generator(function):
    """True if the function itself, not one inside it, yields."""
    nodes = list(function.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef,
                                 ast.Lambda, ast.ClassDef)):
            nodes.extend(ast.iter_child_nodes(node))
    return False


def _describe(function):
    """How a function may be called."""
    arguments = function.args
    positional = len(arguments.posonlyargs) + len(arguments.args)
    return {
        "line": function.lineno,
        "least": positional - len(arguments.defaults),
        "most": -1 if arguments.vararg else positional,
        "keywords": [argument.arg for argument, default
                     in zip(arguments.kwonlyargs, arguments.kw_defaults)
                     if default is None],
        "async": isinstance(function, ast.AsyncFunctionDef),
        "generator": _is_generator(function),
        # The result of a decorator is unknown.
        "known": not function.decorator_list,
    }


def _names_of(target):
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


class Module:
    """What running the top level would bind."""

    def __init__(self):
        self.functions = {}
        self.names = set()
        self.is_open = False  # True if names may also come from elsewhere

    def bind(self, name):
        self.functions.pop(name, None)
        self.names.add(name)

    def define(self, function):
        twice = function.name in self.names
        self.names.add(function.name)
        self.functions[function.name] = _describe(function)
        if twice:  # one of two branches, perhaps
            self.functions[function.name]["known"] = False

    def visit(self, statements):
        for statement in statements:
            self.visit_statement(statement)

    def visit_statement(self, node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.define(node)
        elif isinstance(node, ast.ClassDef):
            self.bind(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.visit_import(node)
        else:
            self.visit_other(node)

    def visit_import(self, node):
        for alias in node.names:
            if alias.name == "*":
                self.is_open = True
            else:
                self.bind(alias.asname or alias.name.partition(".")[0])

    def visit_other(self, node):
        for field, value in ast.iter_fields(node):
            if field in ("body", "orelse", "finalbody"):
                if isinstance(value, list):
                    self.visit(value)
            elif field in ("handlers", "cases"):
                for part in value:
                    self.visit(part.body)
            elif field == "items":  # with
                self.bind_targets([item.optional_vars for item in value])
            elif field in ("targets", "target"):
                self.bind_targets(value if isinstance(value, list) else [value])
        self.visit_inner(node)

    def visit_inner(self, node):
        """Names that expressions and patterns of a statement bind."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                self.bind_targets([inner.target])
            elif isinstance(inner, (ast.MatchAs, ast.MatchStar)) and inner.name:
                self.bind(inner.name)
            elif isinstance(inner, ast.MatchMapping) and inner.rest:
                self.bind(inner.rest)

    def bind_targets(self, targets):
        for target in filter(None, targets):
            for name in _names_of(target):
                self.bind(name)


def imports_of(tree):
    """Dotted names of all imports, also inside functions; with the leading
    dots of relative ones."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            names.add(base)
            dot = "" if base.endswith(".") else "."
            names.update(base + dot + alias.name for alias in node.names
                         if alias.name != "*")
    return sorted(name for name in names if name.strip("."))


def _may_define_more(tree):
    """True if code of the module has ways to bind names by their text."""
    ways = {"globals", "locals", "vars", "exec", "eval", "setattr", "__dict__",
            "modules", "__import__"}
    return any(isinstance(node, ast.Name) and node.id in ways
               or isinstance(node, ast.Attribute) and node.attr in ways
               for node in ast.walk(tree))


def _declared_global(tree):
    """Names that functions bind for the module."""
    return {name for node in ast.walk(tree) if isinstance(node, ast.Global)
            for name in node.names}


def inspect(path):
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
    except SyntaxError as error:
        return {"error": {"line": error.lineno or 1,
                          "column": error.offset or 1,
                          "message": error.msg or "not Python"}}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"error": {"line": 1, "column": 1, "message": str(error)}}
    module = Module()
    module.visit(tree.body)
    for name in _declared_global(tree):
        module.bind(name)
    return {"functions": module.functions, "names": sorted(module.names),
            "open": module.is_open or "__getattr__" in module.names
            or _may_define_more(tree),
            "imports": imports_of(tree)}


if __name__ == "__main__":
    print(json.dumps(inspect(sys.argv[1])))
