# Uses a page of 'sluice graph --trace' in a browser, for tests.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Closes frames, reads times, and moves about in the timeline.

Usage: timeline.py PAGE SCENARIO
"""
import os
import sys
import tempfile

from browser import Browser


def hidden(browser):
    return sorted(browser.run(
        "return [...document.querySelectorAll('g.node.hidden, "
        "g.cluster.hidden')].map((g) => g.dataset.id)"))


def lines(browser):
    return browser.run(
        "return [...document.querySelectorAll('#times tbody tr')].map((row) =>"
        " [...row.children].map((cell) => cell.textContent))")


def place(browser, time, row, down=8):
    """Where a time of a row is, in the window."""
    return browser.run("""
        const {xOf, yOf, sheet} = explorer.timeline;
        const box = sheet.getBoundingClientRect();
        return [box.left + xOf(arguments[0]),
                box.top + yOf(arguments[1]) + arguments[2]];""",
                       time, row, down)


def move_to(browser, *where, **more):
    x, y = place(browser, *where, **more)
    browser.pointer(("move", x, y))
    return browser.run("return document.getElementById('bar').hidden"
                       " ? null : document.getElementById('bar').textContent")


def click_bar(browser, *where):
    x, y = place(browser, *where)
    browser.pointer(("move", x, y), ("pointerDown",), ("pointerUp",))


def check_frames(browser):
    """Closing, opening, and going to what is in a closed frame."""
    assert not hidden(browser)
    # The toggle of the inner frame, by the mouse.
    x, y = browser.run("""
        const box = explorer.frames.find((f) => f.id === 'cluster_n1').toggle
            .getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];""")
    browser.pointer(("move", x, y), ("pointerDown",), ("pointerUp",))
    assert hidden(browser) == ["n1_in", "n1_out", "n2", "n3"], hidden(browser)
    # The arrows within are gone, those to the frame are not.
    ends = browser.run(
        "return explorer.edges.filter((e) => e.group.matches('.hidden'))"
        ".map((e) => e.from + ' ' + e.to)")
    assert sorted(ends) == ["n1_in n2", "n2 n3", "n3 n1_out"], ends
    assert browser.text("#details h2") is None
    browser.run("explorer.choose('n3', true)")
    assert not hidden(browser)
    assert browser.text("#details h2") == "c"
    browser.run("document.getElementById('collapse').click()")
    closed = hidden(browser)
    assert "n2" in closed and "n0" not in closed, closed
    # In a frame that is closed, one that was closed stays so.
    browser.run("explorer.setFrame('cluster_root0', true)")
    assert "n0" in hidden(browser) and "cluster_n1" in hidden(browser)
    browser.run("explorer.setFrame('cluster_root0', false)")
    assert hidden(browser) == closed
    browser.run("document.getElementById('expand').click()")
    assert not hidden(browser)


def frame_label(browser, id):
    return browser.run(
        "return explorer.frames.find((f) => f.id === arguments[0])"
        ".label.textContent", id)


def check_nest(browser):
    check_frames(browser)
    assert frame_label(browser, "cluster_n1") == "20.0 us, 20.0 %"
    # The table, sorted by time, then by name.
    rows = lines(browser)
    assert rows == [
        ["rows", "60.0 us", "60.0 %", "1", "60.0 us", "50.0 us"],
        ["b (fused)", "20.0 us", "20.0 %", "1", "20.0 us", "20.0 us"],
        ["c (fused)", "20.0 us", "20.0 %", "1", "20.0 us", "20.0 us"],
        ["a", "10.0 us", "10.0 %", "1", "10.0 us", "10.0 us"]], rows
    browser.run("document.querySelector('#times th').click()")
    assert [row[0] for row in lines(browser)] == [
        "a", "b (fused)", "c (fused)", "rows"]
    # What is said of nodes.
    for id, said in (("n0", "10.0 us, 10.0 % of all nodes' time; 1 call of "
                            "10.0 us, 1 part, the longest 10.0 us; 10.0 us on "
                            "the critical path."),
                     ("n2", "20.0 us, 20.0 %, fused of all nodes' time"),
                     ("n2", "as one with others"),
                     ("n4", "It did not run."),
                     ("n6", "‘rows’"),
                     ("cluster_n5", "rank 0: 50.0 us, rank 1: 10.0 us"),
                     ("cluster_root0", "90.0 us, 90.0 %")):
        browser.run("explorer.choose(arguments[0])", id)
        assert said in browser.text("#details"), browser.text("#details")
    titles = browser.run("return ['n0', 'cluster_n5'].map((id) => explorer"
                         ".groups.get(id).querySelector('title').textContent)")
    assert titles == ["a: leaf\n10.0 us, 10.0 %, 1 call", "rows: internal "
                      "node, 8\n60.0 us, 60.0 %, 1 call"], titles
    check_timeline(browser)


def check_timeline(browser):
    assert browser.text("#timeline header span") == "100 us, 1 launch"
    assert browser.run("return explorer.data.timeline.rows.map((r) => r.name)"
                       ) == ["rank 0: host (worker 0)",
                             "rank 1: host (worker 0)"]
    # The mouse on bars, on waits, and on nothing.
    assert move_to(browser, 5000, 0) == (
        "root/a, launch 1: 10.0 us from 0 ns on rank 0: host (worker 0)")
    assert move_to(browser, 65000, 1) == (
        "root/rows: 10.0 us from 60.0 us on rank 1: host (worker 0)")
    assert move_to(browser, 85000, 0, down=21) == (
        "start: 10.0 us from 80.0 us on rank 0: host (worker 0)")
    assert move_to(browser, 20000, 1, down=21) is None
    assert move_to(browser, 85000, 0) is None
    assert move_to(browser, 50000, 2) is None
    # A click on a bar chooses the node, which may be in a closed frame.
    browser.run("explorer.setFrame('cluster_n1', true)")
    click_bar(browser, 20000, 0)
    assert not hidden(browser)
    assert browser.text("#details h2") == "c"
    assert "root/inner/b+c, launch 1: 20.0 us" in browser.text("#details .bar")
    assert browser.run("return explorer.timeline.chosen()") == [
        "root/inner/b+c"]
    assert browser.text("#times .here td") == "c (fused)"
    # One that is not drawn is marked alone.
    click_bar(browser, 95000, 0)
    assert browser.run("return explorer.timeline.chosen()") == ["root/<gone>&"]
    # And the other way round.
    browser.run("explorer.choose('n0')")
    assert browser.run("return explorer.timeline.chosen()") == ["root/a"]
    # The wheel zooms about the mouse, dragging moves.
    x, y = place(browser, 50000, 0)
    browser.scroll(x, y, -600)
    begin, end = browser.run(
        "return [explorer.timeline.view.begin, explorer.timeline.view.end]")
    assert 0 < begin < 50000 < end < 100000 and end - begin < 60000
    assert abs(place(browser, 50000, 0)[0] - x) < 2
    browser.pointer(("move", x, y), ("pointerDown",), ("move", x - 40, y),
                    ("move", x - 60, y), ("pointerUp",))
    assert abs(place(browser, 50000, 0)[0] - (x - 60)) < 2
    assert browser.text("#details h2") == "a"
    # It stays within the run, whatever is asked for.
    for request in ("-1e9, 1e9", "1e8, 2e8", "-5, -4", "7, 7"):
        begin, end = browser.run("explorer.timeline.setView(%s); return ["
                                 "explorer.timeline.view.begin, "
                                 "explorer.timeline.view.end]" % request)
        assert 0 <= begin < end <= 100000, (request, begin, end)
    check_pixels(browser)


def check_pixels(browser):
    """Bars are where they should be: red lines of the path above them."""
    pixels = browser.run("""
        const {setView, draw, sheet, xOf, yOf} = explorer.timeline;
        setView(0, 100000);
        draw();
        const scale = window.devicePixelRatio;
        const {data, width} = sheet.getContext('2d').getImageData(
            0, 0, sheet.width, sheet.height);
        const at = (time, row, down) => {
          const place = 4 * (Math.round((yOf(row) + down) * scale) * width +
                             Math.round(xOf(time) * scale));
          return [...data.slice(place, place + 3)];
        };
        return [at(5000, 0, 1), at(65000, 1, 1), at(65000, 1, 10),
                at(33000, 1, 10), at(85000, 0, 10)];""")
    red, nothing = [0xc0, 0, 0], [0, 0, 0]
    assert pixels[0] == red, pixels
    assert pixels[1] == nothing, pixels  # not on the path
    assert pixels[2] != nothing, pixels
    assert pixels[3] == nothing and pixels[4] == nothing, pixels


def check_plain(browser):
    check_frames(browser)
    assert frame_label(browser, "cluster_n1") == "2 nodes"
    assert browser.run("return document.getElementById('timeline').hidden")
    assert browser.run("return document.getElementById('times').hidden")


def check_names(browser):
    assert browser.run("return typeof hacked") == "undefined"
    script = "</script><script>hacked = 1</script>"
    image = "<img src=x onerror='hacked = 1'>\"&amp;\u20ac {{title}}"
    assert browser.text("title") == "g<b> - Sluice", browser.text("title")
    assert [row[0] for row in lines(browser)] == [image, script]
    assert move_to(browser, 500, 0) == (
        f"g<b>/{script}: 1.00 us from 0 ns on worker </script><b>")
    click_bar(browser, 2000, 0)
    assert browser.text("#details h2") == image
    assert move_to(browser, 2000, 1).startswith("<img src=x onerror=")
    click_bar(browser, 2000, 1)
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return typeof hacked") == "undefined"


def check_regions(browser):
    rows = lines(browser)
    assert [row[:5] for row in rows] == [
        ["rdir.loop", "60.0 us", "60.0 %", "2", "30.0 us"],
        ["@step", "60.0 us", "60.0 %", "2", "30.0 us"],
        ["@step", "40.0 us", "40.0 %", "1", "40.0 us"]], rows
    # The task in the body, not the loop, is the bar's node.
    click_bar(browser, 50000, 0)
    assert browser.text("#details div") == "task @step, launched 4"
    assert browser.run("return explorer.timeline.chosen()") == ["step_2"]
    line = browser.text("#path").split(":")[-2]
    browser.run("explorer.choose('n2')")
    assert browser.run("return explorer.timeline.chosen()") == ["step"]
    assert browser.text("#path").split(":")[-2] != line


def main():
    page, scenario = sys.argv[1:]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            browser.call("/url", {"url": "file://" + os.path.abspath(page)})
            globals()["check_" + scenario](browser)
            log = browser.call("/se/log", {"type": "browser"})
            assert not log, log
        finally:
            browser.close()
    print("the page works")


if __name__ == "__main__":
    main()
