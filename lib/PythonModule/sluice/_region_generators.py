"""Halide generators as functions of tasks over regions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from dataclasses import dataclass

from . import _core
from ._errors import CompileError
from ._kernels import text_of

_TYPES = {("i", 8): "int8_t", ("i", 16): "int16_t", ("i", 32): "int32_t",
          ("i", 64): "int64_t", ("u", 1): "bool", ("u", 8): "uint8_t",
          ("u", 16): "uint16_t", ("u", 32): "uint32_t", ("u", 64): "uint64_t",
          ("f", 32): "float", ("f", 64): "double"}
_FIELD = re.compile(r"(const )?(\w+) \(?\*(\w+)\)?(?:\[(\d+)\])?\Z")
_DOMAIN = re.compile(r"const SluiceDomain \*(\w+)\Z")
_NUMBER = re.compile(r"(\w+) (\w+)\Z")


@dataclass(frozen=True)
class _Given:
    """What a task passes: a field of a part, or a number."""

    name: str
    kind: str  # in C
    is_written: bool = False
    count: int = 1
    part: str = ""  # of a field

    @property
    def role(self):
        """What it is for a generator."""
        if not self.part:
            return "number"
        return "output" if self.is_written else "input"


def _given(parameters):
    """What the declaration of a task's function has after the task."""
    found, fields = [], []
    for text in re.split(r",\s*", parameters)[1:]:
        if domain := _DOMAIN.match(text):
            found += [_Given(*field, domain[1]) for field in fields]
            fields = []
        elif field := _FIELD.match(text):
            fields.append((field[3], field[2], not field[1],
                           int(field[4] or 1)))
        else:
            number = _NUMBER.match(text)
            found.append(_Given(number[2], number[1]))
    return found


def _role(argument):
    """The role of what a generator takes."""
    _, _, _, dimensions, is_output = argument
    return "number" if dimensions < 0 else "output" if is_output else "input"


def _value(given, argument):
    """The C++ of an argument, the buffer that it needs, and its type; None if
    the generator takes another type."""
    _, kind, bits, dimensions, _ = argument
    wanted = _TYPES.get((kind, bits))
    if dimensions < 0:
        is_real = given.kind in ("float", "double")
        if wanted is None or is_real != (kind == "f"):
            return None
        return f"sluice::halide::halideNumber<{wanted}>({given.name})", "", wanted
    if wanted != given.kind:
        return None
    memory = f"*{given.name}" if given.count > 1 else given.name
    buffer = (f"  sluice::halide::HalidePart<{dimensions}> {given.name}_buffer("
              f"{memory}, {given.part}, {given.count});\n")
    return f"{given.name}_buffer", buffer, "sluice::halide::PartBuffer *"


class Generator:
    """A compiled generator, and the function that calls it."""

    def __init__(self, name, kernel):
        self._name, self._generator = name, kernel.generator
        try:
            self._symbol, *self.objects, self._arguments = \
                _core.compile_generator(
                    kernel.generator, {key: text_of(value) for key, value
                                       in kernel.parameters.items()})
        except _core.RunError as error:
            raise CompileError(f"error: function '{name}': {error}") from None

    def definition(self, declaration, is_reducing):
        """The function in C++."""
        found = re.fullmatch(r"(.*)\b\w+\((const SluiceTask .*)\)",
                             " ".join(declaration.split()))
        given = _given(found[2])
        who = f"function '{self._name}': generator '{self._generator}'"
        if found[1].strip() != "void":
            raise CompileError(f"error: {who} has no result, but the task "
                               "writes a number")
        if is_reducing:
            raise CompileError(f"error: {who} overwrites what it computes, but "
                               "the task reduces, which is to fold into it")
        values, buffers, kinds = [], "", []
        passed = {role: [each for each in given if each.role == role]
                  for role in ("input", "number", "output")}
        for role, each in passed.items():
            taken = [argument[0] for argument in self._arguments
                     if _role(argument) == role]
            if len(taken) != len(each):
                raise CompileError(
                    f"error: {who} takes {len(taken)} {role}s "
                    f"({', '.join(taken) or 'none'}), but the task passes "
                    f"{len(each)} ({', '.join(one.name for one in each) or 'none'})")
        outputs = [f"{each.name}_buffer.isEmpty()"
                   for each in passed["output"]]
        for argument in self._arguments:
            each = passed[_role(argument)].pop(0)
            found = _value(each, argument)
            if not found:
                name, kind, bits = argument[:3]
                raise CompileError(
                    f"error: {who} takes the {_role(argument)} '{name}' of "
                    f"type {_TYPES.get((kind, bits), 'another type')}, but the "
                    f"task passes '{each.name}' of type {each.kind}")
            values.append(found[0])
            buffers += found[1]
            kinds.append(found[2])
        return (f'extern "C" int {self._symbol}({", ".join(kinds)});\n'
                f"{declaration} {{\n{buffers}"
                f"  if ({' && '.join(outputs)})\n    return;\n"
                f"  sluiceHalideEnd({self._symbol}({', '.join(values)}));\n"
                "}\n")
