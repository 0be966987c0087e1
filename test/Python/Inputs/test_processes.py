"""Threads of Python, graphs within tasks, forks, and the end of a process."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import threading
import unittest

import numpy as np
import sluice
from sluice import CKernel, TaskGraph, in_, out

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "kernels.c")


def run_script(text, expected=0):
    """Runs a program of its own; what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", "import os, sys, threading\nimport numpy as np\n"
         "import sluice\nfrom sluice import *\n" + text],
        capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != expected:
        raise AssertionError(f"exit code {done.returncode}, expected "
                             f"{expected}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Threads(unittest.TestCase):
    def test_other_threads_run_meanwhile(self):
        """A task waits for a thread that needs the GIL."""
        started, answered = threading.Event(), threading.Event()

        def answer():
            started.wait()
            answered.set()

        thread = threading.Thread(target=answer)
        thread.start()
        graph = TaskGraph()
        seen = []

        def ask():
            started.set()
            seen.append(answered.wait(600))

        graph.task(ask)
        graph.run()
        thread.join()
        self.assertEqual(seen, [True])

    def test_graphs_of_several_threads(self):
        failures = []

        def work(number):
            try:
                x = np.full(1000, float(number))
                graph = TaskGraph(f"graph{number}")
                dat = graph.dat(x)
                graph.task(CKernel("add_one", KERNELS), dat)
                graph.task(lambda a: a.__imul__(2) is None or None, dat)
                for _ in range(5):
                    graph.run()
                expected = number
                for _ in range(5):
                    expected = (expected + 1) * 2
                if not (x == expected).all():
                    failures.append((number, x[0], expected))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_a_graph_is_used_by_one_thread(self):
        graph = TaskGraph("busy")
        dat = graph.dat((3,), float)
        problems = []

        def meddle(a):
            for action in (graph.run, graph.svg, dat.unbind,
                           lambda: graph.dat((3,), float),
                           lambda: graph.task(lambda: None),
                           lambda: dat.bind(np.zeros(3)),
                           lambda: dat.array):
                try:
                    action()
                except sluice.RunError as error:
                    problems.append(str(error))

        graph.task(meddle, dat)
        graph.run()
        self.assertEqual(len(problems), 7)
        self.assertIn("graph 'busy' is in use", problems[0])
        graph.run()

    def test_a_graph_within_a_task(self):
        inner, outer = TaskGraph("inner"), TaskGraph("outer")
        x = np.zeros(3)
        threads = []

        def note(a):
            threads.append(threading.get_ident())
            a += 1

        inner.task(note, inner.dat(x))
        outer.task(inner.run)
        outer.task(lambda: None)
        # The result of run() is the graph, which a task must not return.
        with self.assertRaisesRegex(sluice.RunError, "expected None"):
            outer.run()
        outer = TaskGraph("outer")
        y = outer.dat(np.zeros(3))

        def nested(a):
            inner.run()
            a[:] = x

        outer.task(nested, y)
        outer.run()
        np.testing.assert_array_equal(x, [2, 2, 2])
        np.testing.assert_array_equal(y.array, x)

    def test_graphs_within_tasks_on_few_workers(self):
        """With other tasks that wait for their turn."""
        for workers in (1, 2, 3):
            done = []
            inner, outer = TaskGraph("inner"), TaskGraph("outer")

            def run():
                inner.run(workers=workers)

            outer.task(run)
            for graph in (inner, outer):
                for _ in range(4):
                    graph.task(lambda: done.append(1))
            for _ in range(3):
                outer.run(workers=workers)
            self.assertEqual(done, [1] * 24)

    def test_three_deep_is_refused(self):
        graphs = [TaskGraph(f"level{level}") for level in range(3)]

        def body(level):
            def run():
                if level < 2:
                    graphs[level + 1].run()
            return run

        for level, graph in enumerate(graphs):
            graph.task(body(level))
        with self.assertRaisesRegex(
                sluice.RunError, "'level2' is run by a task while another"):
            graphs[0].run()

    def test_an_inner_failure_is_the_outer_one(self):
        inner, outer = TaskGraph("inner"), TaskGraph("outer")

        def fail():
            raise ValueError("deep")

        def nested():
            inner.run()

        inner.task(fail)
        outer.task(nested)
        with self.assertRaises(sluice.RunError) as caught:
            outer.run()
        cause = caught.exception.__cause__
        self.assertIsInstance(cause, sluice.RunError)
        self.assertIsInstance(cause.__cause__, ValueError)
        inner_again = TaskGraph("again")
        inner_again.task(lambda: None)
        inner_again.run()


class Processes(unittest.TestCase):
    def test_a_forked_process_is_refused(self):
        graph = TaskGraph("forked")
        x = np.zeros(3)
        graph.task(CKernel("add_one", KERNELS), graph.dat(x))
        graph.task(lambda: None)
        graph.run()
        readable, writable = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                graph.run()
                text = "it ran"
            except sluice.RunError as error:
                text = str(error)
            except BaseException as error:
                text = repr(error)
            os.write(writable, text.encode())
            os._exit(0)
        os.close(writable)
        with os.fdopen(readable, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertIn("forked process", text)
        graph.run()
        np.testing.assert_array_equal(x, [2, 2, 2])

    def test_a_child_ends_well(self):
        """With exit(), which calls what was registered, in both processes."""
        self.assertEqual(run_script("""
g = TaskGraph()
g.task(lambda: None)
g.run()
child = os.fork()
if not child:
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""), "5\n")

    def test_multiprocessing(self):
        self.assertEqual(run_script("""
import multiprocessing
def work(n):
    x = np.full(3, float(n))
    g = TaskGraph()
    g.task(lambda a: a.__iadd__(1) is None or None, g.dat(x))
    g.run()
    return x.sum()
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(work, range(3)))
"""), "[3.0, 6.0, 9.0]\n")

    def test_the_end_with_graphs_and_dictionaries(self):
        for _ in range(3):
            self.assertEqual(run_script("""
graphs = []
for i in range(5):
    g = TaskGraph()
    o = g.object()
    g.task(lambda d: d.update(x=np.zeros(10)), o)
    g.run()
    graphs.append((g, o.value))
import atexit
atexit.register(print, "last")
"""), "last\n")

    def test_runs_after_the_end(self):
        """Functions that are registered before come after Python's tasks have
        ended."""
        self.assertIn("Python has ended already", run_script("""
import atexit
g = TaskGraph()
g.task(lambda: None)
def late():
    try:
        g.run()
    except RunError as error:
        print(error)
atexit.register(late)
g.run()
"""))

    def test_the_end_while_a_task_runs(self):
        """In a thread that nobody waits for."""
        self.assertEqual(run_script("""
import time
started = threading.Event()
def endless():
    started.set()
    while True:
        time.sleep(0.001)
g = TaskGraph()
g.task(endless)
threading.Thread(target=g.run, daemon=True).start()
started.wait()
print("end")
"""), "end\n")

    def test_exit_of_a_task(self):
        output = run_script("""
g = TaskGraph()
def leave():
    os._exit(7)
g.task(leave)
g.run()
""", 7)
        self.assertEqual(output, "")

    def test_an_interrupt_ends_the_run_between_tasks(self):
        self.assertEqual(run_script("""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
g = TaskGraph()
done = []
def interrupt():
    signal.raise_signal(signal.SIGINT)  # before another thread can go on
    done.append(1)
g.task(interrupt)
g.task(lambda: done.append(2))
try:
    g.run()
    for i in range(1000000): pass
except KeyboardInterrupt:
    print("interrupted", sorted(done))
again = TaskGraph()
again.task(lambda: done.append(3))
again.run()
print(sorted(done))
"""), "interrupted [1]\n[1, 3]\n")

    def test_forked_processes_end_by_signals(self):
        """A run's handlers are not theirs."""
        self.assertEqual(run_script("""
import signal, time
ends = []
def fork():
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        while True: time.sleep(1)
    os.kill(child, signal.SIGTERM)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
g = TaskGraph()
g.task(fork)
g.run()
print(ends)
"""), "[-15]\n")

    def test_timelines(self):
        output = run_script("""
import tempfile
with tempfile.TemporaryDirectory() as folder:
    late = TaskGraph("late")
    late.task(lambda: None)
    t = trace(folder + "/t.json")
    late.run(workers=2)
    print([e["name"] for e in t.events() if e.get("cat") == "chunk"])
    late.run(workers=2)
    print(len([e for e in t.events() if e.get("cat") == "chunk"]),
          "late/" in t.svg(), "Most expensive nodes" in t.report(),
          '"calls":2' in late.explore(t).text)
""")
        # The folder is gone when the process ends, which it says then.
        self.assertTrue(output.startswith(
            "['late/<lambda>']\n2 True True True\n"),
                        output)
        self.assertIn("there is no trace: cannot write", output)
        self.assertIn("before the first graph runs", run_script("""
g = TaskGraph()
g.task(lambda: None)
g.run()
try:
    trace("/nowhere/t.json").events()
except RunError as error:
    print(error)
"""))

    def test_timelines_of_any_number_of_workers(self):
        """What ran one after another shares rows, nested graphs have theirs."""
        output = run_script("""
import tempfile
with tempfile.TemporaryDirectory() as folder:
    t = trace(folder + "/t.json")
    def graph(name, function=lambda x: None, tasks=2):
        g = TaskGraph(name)
        for i in range(tasks):
            g.task(function, g.dat(np.zeros(3)), name=name + str(i))
        return g
    graph("two").run(workers=2)
    graph("one").run(workers=1)
    graph("four").run(workers=4)
    def runs(x):
        graph("inner", tasks=3).run(workers=2)
    graph("outer", runs, tasks=1).run(workers=2)
    events = t.events()
    chunks = [e for e in events if e.get("cat") == "chunk"]
    print(sorted({e["name"] for e in chunks}))
    print(sorted(e["args"]["launch"] for e in chunks))
    rows = {e["tid"]: e["args"]["name"] for e in events
            if e["name"] == "thread_name"}
    print([rows[row] for row in sorted(rows) if "worker" in rows[row]][:4])
    outer = next(e for e in chunks if "outer" in e["name"])
    inner = [e for e in chunks if "inner" in e["name"]]
    print(all(e["tid"] != outer["tid"] for e in inner), len(inner))
    for row in rows:
        last = 0
        for e in sorted((e for e in chunks if e["tid"] == row),
                        key=lambda e: e["ts"]):
            assert e["ts"] >= last, (row, e)
            last = e["ts"] + e["dur"]
    print("5 launches" in t.report(), "inner/inner2" in t.svg())
""")
        self.assertTrue(output.startswith("""\
['four/four0', 'four/four1', 'inner/inner0', 'inner/inner1', 'inner/inner2', \
'one/one0', 'one/one1', 'outer/outer0', 'two/two0', 'two/two1']
[1, 1, 2, 2, 3, 3, 4, 5, 5, 5]
['host (worker 0)', 'worker 1', 'worker 2', 'worker 3']
True 3
True True
"""), output)

    def test_records_with_graphs_within_tasks(self):
        """One launch is recorded at a time: the inner one would wait for ever
        for the outer one to end."""
        self.assertIn("graph 'inner' is run by a task of a graph that is "
                      "recorded", run_script("""
import tempfile
with tempfile.TemporaryDirectory() as folder:
    os.environ["SLUICE_RECORD"] = folder + "/record"
    x = np.zeros(2)
    inner = TaskGraph("inner")
    inner.task(lambda y: None, inner.dat(np.zeros(2)))
    def runs(x):
        x[0] = 1
        inner.run()
    outer = TaskGraph("outer")
    outer.task(runs, outer.dat(x))
    try:
        outer.run()
    except RunError as error:
        print(error.__cause__)
    inner.run()  # outside of tasks
    print(os.path.exists(folder + "/record/record.sluice"), x)
"""))

    def test_import_order(self):
        """MPI, pictures and another LLVM may be there before or after."""
        for before, after in (("from mpi4py import MPI", ""),
                              ("", "from mpi4py import MPI")):
            self.assertEqual(run_script(f"""
{before}
x = np.zeros(3)
g = TaskGraph()
g.task(lambda a: a.fill(1), g.dat(x))
g.run()
{after}
print(x.sum())
"""), "3.0\n")


if __name__ == "__main__":
    unittest.main()
