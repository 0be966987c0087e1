"""The graphs of programs over regions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import numbers

from ._region_numbers import Number, constant_text, list_text, literal, \
    number_of


class Graph:
    """The tasks of a graph in their order; made by :meth:`Module.graph`."""

    def __init__(self, module):
        self._module = module
        self._lines, self._depth, self._loops = [], 1, 0
        self._unused, self._is_open = [], True
        self._choice = None  # where a body of if_ has just ended

    def _line(self, text):
        if not self._is_open:
            raise ValueError("the 'with' statement of the graph has ended")
        self._lines.append("  " * self._depth + text)

    def _close(self):
        self._is_open = False
        if self._unused:
            raise ValueError(f"'{self._unused[0]}' needs a 'with' statement, "
                             "in which its tasks stand")

    def _node(self, head, over=None, reads=(), writes=(), discards=(),
              reduces=None, with_=()):
        text = head
        if over is not None:
            text += f" over {list_text(over)}"
        for word, regions in (("reads", reads), ("discards", discards),
                              ("writes", writes)):
            if regions := self._module._regions(regions):
                text += f" {word}({regions})"
        for name, regions in (reduces or {}).items():
            word = name if name.startswith("@") else f'"{name}"'
            text += f" reduces<{word}>({self._module._regions(regions)})"
        if isinstance(with_, numbers.Real) or isinstance(with_, Number):
            with_ = [with_]
        if constants := [constant_text(value) for value in with_]:
            text += f" with({', '.join(constants)})"
        self._line(text)

    def _call(self, word, function, clauses):
        name = self._module._name_of(function)
        self._node(f"{word} @{name}", **clauses)
        if clauses.get("reduces"):
            self._module._reducing.add(name)

    def task(self, function, **clauses):
        """Calls a function, once or for each point of ``over``: one in Python,
        or one in C++ by its name. Clauses: ``reads``, ``writes``, ``discards``,
        ``reduces`` (a dictionary from operators to regions), ``with_``
        (numbers)."""
        self._call("rdir.task", function, clauses)

    def host(self, function, **clauses):
        """A task on the main thread."""
        self._call("rdir.host", function, clauses)

    def fill(self, value, kind, writes, over=None):
        """Sets all elements of a field or variable."""
        self._node(f"rdir.fill {' : '.join(literal(value, kind))}", over=over,
                   writes=writes)

    def copy(self, reads, writes, over=None):
        """Copies fields to fields of the same elements."""
        self._node("rdir.copy", over=over, reads=reads, writes=writes)

    def _body(self, head, value=None):
        # What is never entered would be missing from the graph.
        self._unused.append(head)
        return self._entered(head, value)

    @contextlib.contextmanager
    def _entered(self, head, value):
        self._unused.remove(head)
        if head == "else":
            if self._choice != (len(self._lines), self._depth):
                raise ValueError("'else_' needs the body of an 'if_' right "
                                 "before it")
            self._lines.pop()
            head = "} else"
        self._line(head + " {")
        self._depth += 1
        try:
            yield value
        finally:
            self._depth -= 1
            self._line("}")
        if head.startswith("rdir.loop if"):
            self._choice = len(self._lines), self._depth

    def loop(self, count=None, while_=None):
        """Repeats what follows in a ``with`` statement."""
        words = "" if count is None else f" {number_of(count)}"
        words += self._module._while(while_)
        return self._body("rdir.loop" + words)

    def iterations(self, count):
        """The same, with the number of the iteration as a number."""
        self._loops += 1
        name = f"%n{self._loops}"
        return self._body(f"rdir.loop {name} in {number_of(count)}",
                          Number({name: 1}))

    def if_(self, variable):
        """Runs what follows if a variable is not 0."""
        return self._body(f"rdir.loop if {self._module._own(variable)}")

    def unless(self, variable):
        """Runs what follows if a variable is 0."""
        return self._body(f"rdir.loop unless {self._module._own(variable)}")

    def else_(self):
        """Right behind the body of an :meth:`if_`: runs what follows if that
        has not run."""
        return self._body("else")
