#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tests/e2e/web.t tests, in TAP."""
import os
import re
import subprocess
import sys
import time
import urllib.request

from webdriver import Browser

TMP, HERE = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
GEN = [sys.executable, os.path.join(HERE, "..", "views_spans.py")]
count = failed = 0


def ok(good, name, note=""):
    global count, failed
    count += 1
    failed += not good
    print(("ok %d - %s" if good else "not ok %d - %s") % (count, name), flush=True)
    if not good:
        print("# " + str(note)[:300].replace("\n", " "), flush=True)


class Goexport:
    def __init__(self, *spans):
        self.log = open(os.path.join(TMP, "log"), "w+")
        self.p = subprocess.Popen([os.environ["GOEXPORT"], "--web", ":0"], stdin=subprocess.PIPE,
                                  stderr=self.log)
        self.url = None
        while not self.url and self.p.poll() is None:
            found = re.search(r"page is at (\S+)", open(self.log.name).read())
            self.url = found and found.group(1).rstrip("/")
            time.sleep(0.05)
        if spans:
            self.feed(*spans)

    def feed(self, *what):
        self.p.stdin.write(subprocess.run(GEN + list(what), stdout=subprocess.PIPE, check=True).stdout)
        self.p.stdin.flush()

    def end(self):
        self.p.stdin.close()
        self.p.terminate()
        return self.p.wait(20)


ODD = "00c0ffee000000000000000000000dd%d"
ROWS = "[...document.querySelectorAll('.row.trace:not(.head)')]"
SPANS = "[...document.querySelectorAll('.row.span')]"


def shown(b):
    return b.js("return document.querySelector('.rows').style.height.replace('px','') / 28")


def live(b, g):
    b.open(g.url + "/")
    ok(b.wait(ROWS + ".length > 10"), "traces are listed")
    ok(shown(b) == 300, "all of them", shown(b))
    ok(b.js("return %s.length" % ROWS) < 80, "but only those in sight are elements")
    g.feed("shop", "20", "0", "300")
    ok(b.wait("document.querySelector('.rows').style.height == '8960px'"), "new ones come by themselves",
       shown(b))
    b.keys("p")
    g.feed("shop", "10", "0", "320")
    ok(b.wait("/Paused, \\d+ changes/.test(document.querySelector('.traces .note').textContent)"), "a pause")
    ok(shown(b) == 320, "holds the list", shown(b))
    b.keys("p")
    ok(b.wait("document.querySelector('.rows').style.height == '9240px'"), "and lets it go on")
    ok(b.js("return document.querySelector('#status').textContent").find("live") >= 0, "it says that it is live")


def search(b, g):
    b.open(g.url + "/")
    b.wait(ROWS + ".length > 10")
    b.keys("/")
    b.keys("declined by the bank")
    ok(b.wait("location.search.includes('declined')"), "the search is in the address")
    ok(b.wait("/^\\d+ of 330 traces/.test(document.querySelector('.traces .note').textContent)"), "a search",
       b.js("return document.querySelector('.traces .note').textContent"))
    found = b.js("return %s.length" % ROWS)
    ok(0 < found < 40, "finds some", found)
    ok(b.js("return %s.every(r => r.classList.contains('failed'))" % ROWS), "all of which failed")
    b.open(g.url + "/?service=search&slower-than=20ms&sort=duration")
    ok(b.wait(ROWS + ".length > 3"), "a link with conditions")
    names = b.js("return %s.map(r => r.querySelector('.svc bdi').textContent)" % ROWS)
    ok(set(names) == {"search"}, "shows what it says", names[:3])
    ok(b.js("return document.querySelector('#f-service').value") == "search", "and the fields say so, too")
    b.open(g.url + "/?slower-than=nonsense")
    ok(b.wait("document.querySelector('.note.wrong')"), "a condition without sense is said")
    b.js("document.querySelector('.filters button:last-child').click()")
    ok(b.wait("location.search === '' && %s.length > 10" % ROWS), "clear")


def one_trace(b, g):
    b.open(g.url + "/?status=error")
    b.wait(ROWS + ".length > 3")
    b.keys("j", "Enter")
    ok(b.wait("%s.length == 6" % SPANS), "Enter opens a trace", b.js("return location.href"))
    link = b.js("return location.href")
    ok("trace=" in link, "which is in the address")
    text = b.js("return %s.map(r => r.getAttribute('aria-label'))" % SPANS)
    ok(text[0].startswith("shop, POST /checkout, server") and text[-1].startswith("payments, POST /charge"),
       "its spans in order", text)
    ok(b.js("return %s.map(r => r.getAttribute('aria-level')).join('')" % SPANS) == "123423", "as a tree")
    ok(b.js("return [...document.querySelectorAll('.hop')].map(h => h.getAttribute('aria-label').split(' ')[0]).join()")
       == "handed,called,found,called", "hops are marked")
    left = b.js("return %s.map(r => parseFloat(r.querySelector('.bar').style.left))" % SPANS)
    width = b.js("return %s.map(r => parseFloat(r.querySelector('.bar').style.width))" % SPANS)
    ok(left[0] == 0 and abs(width[0] - 100) < 0.1 and 0 < left[1] < left[2] < left[3] < left[4], "bars to scale", left)
    b.keys("e")
    ok(b.wait("document.querySelector('.side h2')"), "e goes to the next that failed, with its details")
    b.keys("End")
    ok(b.wait("document.querySelector('.side h2')?.textContent == 'POST /charge'"), "End to the last")
    side = b.js("return document.querySelector('.side').textContent")
    ok("card declined by the bank" in side and "*pay.DeclinedError" in side and "goroutine 103" in side,
       "details, attributes", side)
    link = b.js("return location.href")
    b.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    b.click(".side .copy[aria-label='Copy span id']")
    ok(b.wait("document.querySelector('#toast.shown')?.textContent == 'span id copied'"), "a copy button")
    pasted = b.cdp("Runtime.evaluate", expression="navigator.clipboard.readText()", awaitPromise=True)
    ok(pasted["result"].get("value") == re.search(r"span=([0-9a-f]{16})", link).group(1), "copies the id", pasted)
    b.js("document.querySelector('.list').focus()")
    b.keys("Home", "Left")
    ok(b.wait("%s.length == 1" % SPANS), "Left closes what is below")
    b.keys("Right")
    ok(b.wait("%s.length == 6" % SPANS), "Right opens it")
    b.keys("f")
    ok(b.wait("document.querySelectorAll('.box').length >= 4"), "f shows it as a flame")
    b.keys("Escape", "Escape")
    ok(b.wait("!location.search.includes('trace=') && %s.length" % ROWS), "Escape goes back")
    b.open(link)
    ok(b.wait("document.querySelector('.side h2')?.textContent == 'POST /charge' && %s.length == 6" % SPANS),
       "the link of a span shows the same")
    b.open(g.url + "/?trace=" + "1" * 32)
    ok(b.wait("/not in memory/.test(document.body.textContent)"), "a trace that is not there is said")


def odd(b, g):
    g.feed("odd")
    b.open(g.url + "/?trace=" + ODD % 2)
    ok(b.wait("%s.length == 3" % SPANS), "a trace with forty idle seconds")
    left = b.js("return %s.map(r => parseFloat(r.querySelector('.bar').style.left))" % SPANS)
    width = b.js("return %s.map(r => parseFloat(r.querySelector('.bar').style.width))" % SPANS)
    gap = b.js("return [...document.querySelectorAll('.axis .gap')].map(g => [parseFloat(g.style.left), parseFloat(g.style.width)])")
    ok(len(gap) == 1 and abs(width[0] - gap[0][0]) < 0.1 and abs(left[1] - sum(gap[0])) < 0.1, "which are cut to a strip", (left, width, gap))
    ok(abs(width[1] / width[0] - 1.5) < 0.01 and abs(width[2] / width[1] - 1 / 6) < 0.01 and abs(left[1] + width[1] - 100) < 0.1,
       "bars before and behind it on one scale", (left, width))
    ok("40.0\u202fs of idle time cut out" in b.js("return document.querySelector('.tracehead').textContent"), "and it is said")
    b.keys("j", "z")
    ok(b.wait("parseFloat(%s[1].querySelector('.bar').style.width) > 99.9 && !document.querySelector('.axis .gap')" % SPANS), "z: one span as wide as all")
    b.keys("z")
    ok(b.wait("document.querySelector('.axis .gap')"), "and back")
    b.open(g.url + "/?trace=" + ODD % 1)
    ok(b.wait("%s.length == 4" % SPANS), "a host three hours behind")
    left = b.js("return %s.map(r => parseFloat(r.querySelector('.bar').style.left))" % SPANS)
    ok(left == [0, 10, 20, 30], "does not stretch the trace", left)
    ok("50.0\u202fms" in b.js("return document.querySelector('.tracehead').textContent"), "nor what it took")
    ok("clock +3 h 0 m" in b.js("return %s[2].getAttribute('aria-label')" % SPANS), "and is said, also to a screen reader")
    b.keys("/")
    b.keys("items")
    ok(b.wait("document.querySelectorAll('.row.notfound').length == 2"), "/ finds in the trace")
    b.keys("Enter", "Enter")
    ok(b.wait("document.querySelector('.side h2')?.textContent == 'GET /items'"), "Enter goes on to the next")
    b.open(g.url + "/")
    b.wait(ROWS + ".length > 5")
    took = b.js("return %s.filter(r => r.textContent.includes('/order')).map(r => r.querySelector('.took').textContent)" % ROWS)
    ok(took == ["50.0\u202fms"], "nor in the list", took)


def views(b, g):
    b.open(g.url + "/?view=routes")
    ok(b.wait("document.querySelectorAll('tbody tr').length == 5"), "requests by route")
    b.js("document.querySelector('th.c-p99 button').click()")
    ok(b.wait("document.querySelector('tbody .c-service').textContent == 'search'"), "sorted by p99")
    b.js("document.querySelector('.pick').click()")
    ok(b.wait("document.querySelectorAll('.histogram rect').length > 4"), "a histogram")
    ok("by=" in b.js("return location.search") and "pick=" in b.js("return location.search"), "in the address")
    b.js("document.querySelector('.picked a').click()")
    ok(b.wait("%s.length == 4" % SPANS), "leads to the slowest trace")
    b.keys("3")
    ok(b.wait("document.querySelectorAll('.graph .node').length == 6"), "the service graph")
    ok(b.js("return document.querySelectorAll('.graph .edge').length") == 4, "with its calls")
    ok(b.js("return [...document.querySelectorAll('.edge title')].some(t => /^shop calls payments: \\d+ times/.test(t.textContent))"),
       "in words, too")
    b.keys("4")
    ok(b.wait("/ringfull\\d+/.test(document.querySelector('.health')?.textContent)"), "what was lost")
    b.keys("?")
    ok(b.wait("document.querySelector('dialog[open]')"), "help")
    b.keys("Escape")


def tree_of(b):
    """What a screen reader gets: (role, name, properties) of all that is not left out."""
    b.cdp("Accessibility.enable")
    nodes = b.cdp("Accessibility.getFullAXTree")["nodes"]
    return [(n["role"]["value"], n.get("name", {}).get("value", ""),
             {p["name"]: p["value"].get("value") for p in n.get("properties", [])})
            for n in nodes if not n["ignored"]]


def reader(b, g):
    """Every view, by chromium's tree of accessibility."""
    trace = "/?trace=%s" % ODD % 1
    for path, role, want in (("/", "listbox", "Traces, newest first"), (trace, "tree", "Spans of the trace"),
                             (trace + "&span=0000000dd1000001", "complementary", "Span"),
                             (trace + "&mode=flame", "group", "Flame view: time by caller"),
                             ("/?view=routes&pick=shop+POST+/checkout+server", "image", "Durations: half of"),
                             ("/?view=services", "region", "Service graph"), ("/?view=health", "heading", "Lost on the way")):
        b.open(g.url + path)
        b.wait("document.querySelector('.rows > *, .box, .histogram, .graph, .card')")
        time.sleep(0.3)
        nodes = tree_of(b)
        ok(any(r == role and n.startswith(want) for r, n, _ in nodes), "%s: %s '%s'" % (path, role, want), nodes)
        mute = [(r, p) for r, n, p in nodes if not n and (p.get("focusable") or r in ("button", "link", "image", "treeitem", "option"))
                and r not in ("RootWebArea", "generic", "none", "main")]
        ok(not mute, path + ": nothing that can be used or seen is without a name", mute)
    b.open(g.url + trace)
    b.wait("%s.length == 4" % SPANS)
    items = [(n, p) for r, n, p in tree_of(b) if r == "treeitem"]
    ok([p.get("level") for _, p in items] == [1, 2, 3, 4], "spans have levels", items)
    ok(items[0][1].get("expanded") is True and items[3][1].get("expanded") is None, "and can be closed", items)
    ok(items[2][0].startswith("cart, GET /items, server, 30.0"), "and are named in words", items)


def tabbing(b, g):
    """All by Tab alone: everything that can be used is met, in order, and it shows."""
    b.open(g.url + "/")
    b.wait(ROWS + ".length > 10")
    met = []
    for _ in range(24):
        b.keys("Tab")
        met.append(b.js("""const e = document.activeElement, s = getComputedStyle(e.matches('.list') ? e.querySelector('.current') || e : e);
            return [e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent, s.outlineStyle != 'none']"""))
    names = [n for n, _ in met]
    for a, z in zip(["Skip to content", "gotap", "Traces", "Health", "Search", "Service", "Pause", "Traces, newest first"],
                    ["gotap", "Traces", "Health", "Search", "Service", "Pause", "Traces, newest first", None]):
        place = names.index(a) if a in names else None
        after = names.index(z) if z in names else 99
        ok(place is not None and place < after, "Tab comes to: " + a, names)
    dark = [n for n, seen in met if not seen and n and n != "gotap Traces"]
    ok(not [n for n in dark if n in ("Skip to content", "gotap", "Traces", "Pause", "Clear")], "and where it is can be seen", dark)


def access(b, g):
    b.open(g.url + "/")
    b.wait(ROWS + ".length > 10")
    ok(b.js("""return [...document.querySelectorAll('input,select,button,[tabindex="0"]')].filter(e =>
        !e.getAttribute('aria-label') && !e.labels?.length && !e.textContent.trim()).map(e => e.outerHTML)""") == [],
       "everything that takes keys has a name")
    ok(b.js("return document.querySelectorAll('main').length == 1 && document.documentElement.lang == 'en' && "
            "document.querySelectorAll('nav[aria-label]').length > 0"), "landmarks")
    b.keys("j", "j")
    ok(b.wait("document.getElementById(document.querySelector('.list').getAttribute('aria-activedescendant'))"
              "?.getAttribute('aria-posinset') == '2'"), "the current row is said")
    b.emulate(400, 800)
    ok(b.wait("document.documentElement.scrollWidth <= 400"), "nothing is wider than 400 pixels")
    b.emulate(1280, 800)


def contrast(b, g):
    """The contrast of text and background, as WCAG counts it."""
    code = """const lum = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255).map(x =>
        x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2] };
        const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const bg = lum(getComputedStyle(document.documentElement).backgroundColor);
        return ['.time', '.what', '.target', '.code', '.note', '#tabs a', '.failed .code', '.filters span'].map(s =>
            document.querySelector(s)).filter(Boolean).map(e => ratio(lum(getComputedStyle(e).color), bg))"""
    for dark in (False, True):
        b.emulate(1280, 800, dark)
        b.open(g.url + "/?status=error")
        b.wait(ROWS + ".length > 3")
        worst = min(b.js(code))
        ok(worst >= 4.5, "text is easy to read, %s" % ("dark" if dark else "light"), worst)
    b.emulate(1280, 800)


def big(b):
    b.emulate(1280, 800)
    g = Goexport("big", "10000")
    b.open(g.url + "/?trace=00c0ffee000000000000000000000b16")
    ok(b.wait("document.querySelector('.rows')?.style.height == '240000px'"), "ten thousand spans",
       b.js("return document.querySelector('.rows')?.style.height"))
    ok(b.js("return %s.length" % SPANS) < 90, "of which few are elements")
    b.keys("End")
    ok(b.wait("%s.some(r => r.getAttribute('aria-posinset') == '10000')" % SPANS), "End goes to the last")
    b.keys("Home", "e")
    ok(b.wait("document.querySelector('.failure')"), "e finds the next that failed")
    b.keys("f")
    ok(b.wait("document.querySelectorAll('.box').length > 5"), "as a flame")
    ok(b.js("return document.querySelectorAll('.box').length") < 3000, "of boxes that can be seen")
    g.feed("shop", "10000")
    b.open(g.url + "/")
    ok(b.wait("document.querySelector('.rows')?.style.height == '280000px'"), "ten thousand traces", shown(b))
    b.open("about:blank")
    ok(g.end() == 0, "goexport ends well")


def huge(b):
    """A trace of a hundred thousand spans, and some more than are kept."""
    g = Goexport("big", "100500")
    b.open(g.url + "/")
    ok(b.wait("/100k|101k/.test(%s[0]?.querySelector('.n').textContent)" % ROWS, 60), "a trace of 100,500 spans",
       b.js("return document.querySelector('.rows')?.textContent"))
    b.keys("j", "Enter")
    ok(b.wait("parseFloat(document.querySelector('.rows')?.style.height) == 2400000", 60), "opens with a hundred thousand")
    ok("500 not kept" in b.js("return document.querySelector('.tracehead').textContent"), "and says what is not kept")
    b.keys("End")
    ok(b.wait("%s.some(r => r.getAttribute('aria-posinset') == '100000')" % SPANS), "goes to its end")
    ok(b.js("return %s.length" % SPANS) < 90, "with few elements")
    b.keys("f")
    ok(b.wait("document.querySelectorAll('.box').length > 5", 60), "as a flame")
    b.open(g.url + "/?view=health")
    ok(b.wait("/500 spans of traces that are too long/.test(document.querySelector('.health')?.textContent)"), "health counts them")
    b.open("about:blank")
    ok(g.end() == 0, "goexport ends well")


def hostile(b):
    g = Goexport("hostile")
    for path in ("/", "/?trace=00c0ffee000000000000000000000666&span=0000000666000001", "/?view=routes",
                 "/?view=services", "/?view=health", "/?trace=00c0ffee000000000000000000000666&mode=flame",
                 "/?trace=00c0ffee000000000000000000000667", "/?trace=00c0ffee000000000000000000000668",
                 "/?trace=00c0ffee00000000000000000000066c"):
        b.open(g.url + path)
        b.wait("document.querySelector('.rows > *, .box, tbody tr, .graph, .card, .side h2')")
        time.sleep(0.5)
        bad = b.js("return document.title.includes('owned') || document.querySelectorAll('main script, main img, main iframe').length"
                   " || document.querySelectorAll('a[href^=\"javascript\"]').length")
        ok(not bad, "markup of a target stays text: " + path, bad)
        if path == "/":
            took = b.js("return [...document.querySelectorAll('.trace .took')].map(x => [x.innerText.trim(), x.scrollWidth > x.clientWidth])")
            ok("584\u202fy" in [t for t, _ in took] and not any(cut for _, cut in took), "durations of centuries are not cut", took)
            left = b.js("return [...new Set([...document.querySelectorAll('.mini')].map(x => x.getBoundingClientRect().left))]")
            ok(len(left) == 1, "bars of the list begin at one place", left)
    b.open(g.url + "/?trace=00c0ffee000000000000000000000666&span=0000000666000001")
    b.wait("document.querySelector('.side h2')")
    text = b.js("return document.querySelector('.side h2').textContent")
    ok("<script>" in text and "\u241b[31m" in text and "\u27e8202e\u27e9" in text, "and can be read", text)
    ok(not re.search("[\u0000-\u0008\u202e\u200b]", b.js("return document.body.textContent")), "no control character is left")
    b.open(g.url + "/?trace=00c0ffee000000000000000000000667")
    ok(b.wait("%s.length == 4" % SPANS), "parents in a ring: every span once")
    ok("ring" in b.js("return document.querySelector('.list').textContent"), "and it is said")
    b.open(g.url + "/?service=%3Cscript%3Edocument.title%3D%22owned%22%3C/script%3E&words=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E")
    time.sleep(0.5)
    ok("owned" not in b.js("return document.title"), "nor does an address do anything")
    g.feed("shop", "60")
    b.open(g.url + "/?view=services")
    ok(b.wait("document.querySelectorAll('.graph .edge').length >= 6"), "calls that cross each other")
    over = b.js("const r = [...document.querySelectorAll('.graph .edge text')].map(x => [x.textContent, x.getBoundingClientRect()]);"
                "return r.flatMap(([s, a], i) => r.slice(i + 1).filter(([, c]) => a.left < c.right && c.left < a.right &&"
                " a.top + 4 < c.bottom && c.top + 4 < a.bottom).map(([t]) => s + ' over ' + t))")
    ok(not over, "and whose words do not lie on each other", over)
    b.open("about:blank")
    ok(g.end() == 0, "goexport ends well")


def away(b):
    g = Goexport("shop", "20")
    b.open(g.url + "/")
    b.wait(ROWS + ".length > 5")
    g.end()
    ok(b.wait("/away/.test(document.querySelector('#status').textContent)"), "when goexport has gone the page says so")
    ok(b.js("return %s.length" % ROWS) > 5, "and keeps what it has")


def shots(b, g):
    trace = re.search(r'"id":"(\w+)"', urllib.request.urlopen(
        g.url + "/api/traces?status=error&service=payments&limit=1").read().decode()).group(1)
    span = re.findall(r'"id":"(\w{16})"', urllib.request.urlopen(g.url + "/api/trace/" + trace).read().decode())[-1]
    seen = set()
    for name, path in (("traces", "/"), ("trace", "/?trace=%s" % trace), ("span", "/?trace=%s&span=%s" % (trace, span)),
                       ("flame", "/?trace=%s&mode=flame" % trace), ("routes", "/?view=routes&pick=shop+POST+/checkout+server"),
                       ("services", "/?view=services"), ("health", "/?view=health"), ("gap", "/?trace=%s" % ODD % 2),
                       ("skew", "/?trace=%s" % ODD % 1), ("wide", "/?trace=%s" % ODD % 3), ("keys", "/?status=error&service=shop")):
        for dark in (False, True):
            for width in (1280, 400):
                b.emulate(width, 800, dark)
                b.open(g.url + path)
                b.wait("document.querySelector('.rows > *, .box, .histogram, .graph, .card')")
                if name == "span":
                    b.wait("document.querySelector('.side h2')")
                if name == "keys":
                    b.keys("?")
                time.sleep(0.2)
                file = os.path.join(os.environ["SHOTS"], "%s-%s-%d.png" % (name, "dark" if dark else "light", width))
                b.shot(file)
                seen.add(open(file, "rb").read())
                wide = b.js("return document.documentElement.scrollWidth")
                if wide > width:
                    ok(False, "%s fits into %d pixels" % (name, width), wide)
    ok(len(seen) == 44, "44 screenshots, each another", len(seen))


browser = Browser(TMP)
try:
    main = Goexport("shop", "300")
    for test in (live, search, one_trace, views, odd, reader, tabbing, access, contrast, shots):
        test(browser, main)
    browser.open("about:blank")
    ok(main.end() == 0, "goexport ends well")
    big(browser)
    huge(browser)
    hostile(browser)
    complaints = [m for m in browser.messages() if "favicon" not in m and "400 (Bad" not in m and "404 (Not" not in m]
    ok(not complaints, "the browser had no complaint", complaints)
    away(browser)
finally:
    browser.close()
print("1..%d" % count)
sys.exit(failed != 0)
