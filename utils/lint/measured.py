# The tables of docs/benchmarks.md must not be older than the measured code.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each docs/measured/NAME.json identifies its sources by hashes that
# bench/driver/sources.py makes. Measuring takes hours on a quiet machine, so
# the tables are not updated after each change: there is one warning for all of
# them.

import json
import os
import posixpath
import sys

from tree import Finding

sys.path.append(os.path.join(os.path.dirname(__file__), "../../bench"))
from driver import sources  # noqa: E402

FOLDER = "docs/measured"
NAMED = 3  # libraries to name; others are only counted


def check(tree):
    older, unknown = [], []
    for path in tree.files:
        if posixpath.dirname(path) != FOLDER or not path.endswith(".json"):
            continue
        name = posixpath.basename(path)[: -len(".json")]
        try:
            kept = json.loads(tree.text(path)).get("sources")
        except ValueError as error:
            yield Finding(path, 1, f"is no JSON: {error}")
            continue
        if not kept:
            unknown.append(name)
            continue
        changes = sources.changes(kept, sources.marks(name, tree.root))
        if any(changes):
            older.append(f"{_text(name, *changes)} ({name}.json)")
    parts = []
    if older:
        parts.append(f"before the last change of {'; '.join(older)}")
    if unknown:
        parts.append(f"without saying of which sources: {', '.join(unknown)}")
    if parts:
        message = (
            f"measured {'; and '.join(parts)}; './dev bench NAME' and "
            "'./dev bench NAME --publish' measure anew"
        )
        yield Finding(FOLDER, 1, message, is_warning=True)


def _text(name, is_other, libraries):
    """'bench/nd, lib/Pack and lib/Runtime', '7 libraries'."""
    parts = [f"bench/{name}"] if is_other else []
    if len(libraries) > NAMED:
        parts.append(f"{len(libraries)} libraries")
    else:
        parts += [f"lib/{library}" for library in libraries]
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
