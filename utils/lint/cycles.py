# Files must not include each other in a cycle.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A unit is a header together with the source of the same name next to it. A
# header below include is a separate unit, since it is the interface between
# the sources and their users. In a cycle of units, no unit can be read, tested
# or replaced without the others, even if no header includes itself:
#   1. An edge leads from the unit of an #include to the unit of its target.
#   2. Units that reach each other are a strongly connected component
#      (Tarjan's algorithm).
#   3. For each component, a shortest cycle in it is printed with its
#      locations,
#      and the names of all its units.

from collections import deque

from includes import includes
from tree import Finding


def check(tree):
    edges = _edges(tree)
    for component in _components(edges):
        cycle = _shortest_cycle(edges, component)
        steps = [
            f"{place.path}:{place.line} includes '{place.header}'"
            for place in (edges[a][b] for a, b in zip(cycle, cycle[1:]))
        ]
        first = edges[cycle[0]][cycle[1]]
        names = ", ".join(sorted(component))
        yield Finding(
            first.path,
            first.line,
            f"{len(component)} files include each other: {'; '.join(steps)}; "
            f"all of them: {names}",
        )


def _edges(tree):
    """unit -> unit it includes -> the first place where it does."""
    known = set(tree.files)

    def unit(path):
        return path.rsplit(".", 1)[0]

    edges = {}
    for include in includes(tree):
        if include.target in known:
            a, b = unit(include.path), unit(include.target)
            if a != b:
                edges.setdefault(a, {}).setdefault(b, include)
    return edges


def _components(edges):
    """Tarjan's strongly connected components of more than one unit, with a
    stack of its own since chains of includes may be long."""
    index, low, stack, found = {}, {}, [], []
    for root in sorted(edges):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        work = [(root, iter(edges[root]))]
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    found.append(stack[at:])
                    del stack[at:]
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                work.append((following, iter(edges.get(following, ()))))
            elif following in stack:
                low[node] = min(low[node], index[following])
    return [component for component in found if len(component) > 1]


def _shortest_cycle(edges, component):
    members, best = set(component), None
    for start in sorted(component):
        before, queue = {start: None}, deque([start])
        while queue:
            node = queue.popleft()
            if start in edges.get(node, ()):
                cycle = [start]
                while node is not None:
                    cycle.insert(0, node)
                    node = before[node]
                if best is None or len(cycle) < len(best):
                    best = cycle
                break
            for following in edges.get(node, ()):
                if following in members and following not in before:
                    before[following] = node
                    queue.append(following)
    return best
