# The reference of the Python package: signatures from its stubs, descriptions
# from the docstrings of its sources.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ast
import re

HEAD = """# The package `sluice`

`import sluice` gives what follows; [the page about Python](python.md) introduces
it with programs.
"""


def docstrings(folder):
    """What the sources say of 'Class', 'Class.method' and 'function'."""
    found = {}
    for file in sorted(folder.glob("*.py")):
        module = "pack." if file.stem == "pack" else ""
        for node in ast.parse(file.read_text()).body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                continue
            found[module + node.name] = ast.get_docstring(node)
            for member in getattr(node, "body", []):
                if isinstance(member, ast.FunctionDef):
                    name = f"{module}{node.name}.{member.name}"
                    found[name] = ast.get_docstring(member) or found.get(name)
    return found


def marked_up(text):
    """reStructuredText's roles and literals as Markdown's."""
    text = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text or "")
    return text.replace("``", "`")


def signature(node):
    decorators = {ast.unparse(each) for each in node.decorator_list}
    if "property" in decorators:
        return f"{node.name}: {ast.unparse(node.returns)}"
    text = f"{node.name}({ast.unparse(node.args)})"
    return re.sub(r"\(self(?:, )?", "(", text, count=1) + (
        f" -> {ast.unparse(node.returns)}" if node.returns else "")


def is_shown(node):
    if not isinstance(node, ast.FunctionDef):
        return False
    return not node.name.startswith("_") and not any(
        isinstance(each, ast.Attribute) for each in node.decorator_list)


def function_text(node, words):
    return f"```python\n{signature(node)}\n```\n\n{marked_up(words)}\n"


def class_text(node, module, words):
    bases = [base for base in map(ast.unparse, node.bases)
             if not base.startswith("_")]
    text = f"### {node.name}\n\n"
    if bases:
        text += f"Derived from `{', '.join(bases)}`. "
    text += marked_up(words.get(module + node.name)) + "\n\n"
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    if fields:
        text += "```python\n" + "\n".join(map(ast.unparse, fields)) + "\n```\n\n"
    for member in filter(is_shown, node.body):
        name = f"{module}{node.name}.{member.name}"
        text += (f'<a id="{name.lower()}"></a>\n\n'
                 + function_text(member, words.get(name)) + "\n")
    return text


def page(folder):
    words = docstrings(folder)
    text = HEAD
    for file, title, module in (("__init__.pyi", "sluice", ""),
                                ("pack.pyi", "sluice.pack", "pack.")):
        text += f"\n## {title}\n\n"
        for node in ast.parse((folder / file).read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                text += class_text(node, module, words)
            elif is_shown(node):
                text += (f"### {module}{node.name}\n\n"
                         + function_text(node, words.get(module + node.name))
                         + "\n")
    return text


def undocumented(folder):
    """Names of the stubs that no docstring explains."""
    words = docstrings(folder)
    for file, module in (("__init__.pyi", ""), ("pack.pyi", "pack.")):
        for node in ast.parse((folder / file).read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                names = [node.name] + [f"{node.name}.{member.name}"
                                       for member in node.body
                                       if is_shown(member)]
            else:
                names = [node.name] if is_shown(node) else []
            yield from (module + name for name in names
                        if not words.get(module + name))
