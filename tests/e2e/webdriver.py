# SPDX-License-Identifier: Apache-2.0
"""A small client of the W3C WebDriver protocol, for chromedriver and a headless chromium."""
import base64
import json
import os
import re
import shutil
import subprocess
import time
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "Up": "\ue013", "Left": "\ue012",
        "Right": "\ue014", "End": "\ue010", "Home": "\ue011", "Tab": "\ue004"}


class Browser:
    def __init__(self, tmp, width=1280, height=800, dark=False):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
        self.session = None
        for line in iter(self.driver.stdout.readline, b""):
            found = re.search(rb"on port (\d+)", line)
            if found and b"started" in line:
                self.url = "http://127.0.0.1:%d" % int(found.group(1))
                break
        profile = os.path.join(tmp, "profile-%d" % self.driver.pid)
        args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--disable-extensions", "--disable-background-networking",
                "--disable-component-update", "--no-proxy-server", "--hide-scrollbars",
                "--user-data-dir=" + profile, "--window-size=%d,%d" % (width, height)]
        got = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {
                "args": args, "binary": shutil.which("chromium")},
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + got["sessionId"]
        self.emulate(width, height, dark)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(e.read().decode()[:500]) from None

    def cdp(self, command, **params):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": params})

    def emulate(self, width, height, dark=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def js(self, code, *args):
        return self.call("POST", self.session + "/execute/sync", {"script": code, "args": list(args)})

    def wait(self, code, seconds=20):
        """Until the expression is true; what it is then, else what it was last."""
        end = time.time() + seconds
        while True:
            got = self.js("return (" + code + ")")
            if got or time.time() > end:
                return got
            time.sleep(0.1)

    def keys(self, *names):
        actions = []
        for name in names:
            for key in ([KEYS[name]] if name in KEYS else name):
                actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", self.session + "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": actions}]})

    def click(self, selector):
        element = self.call("POST", self.session + "/element", {"using": "css selector", "value": selector})
        self.call("POST", self.session + "/element/" + element[ELEMENT] + "/click", {})

    def messages(self):
        """What the browser complained about since the last call."""
        return [m["message"] for m in self.call("POST", self.session + "/se/log", {"type": "browser"})]

    def shot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def close(self):
        if self.session:
            try:
                self.call("DELETE", self.session)
            except (OSError, RuntimeError):
                pass
        os.killpg(self.driver.pid, 15)
        self.driver.wait()
