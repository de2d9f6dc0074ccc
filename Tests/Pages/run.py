"""Runs the tests of the inspector's page in Chromium. tools/test-pages says how."""

import argparse
import faulthandler
import os
import pathlib
import shutil
import sys
import threading
import traceback

from playwright.sync_api import sync_playwright

import modules
import server

HERE = pathlib.Path(__file__).resolve().parent
# Seconds after which the run is given up, wherever it hangs: many times what it takes.
LIMIT, QUICK_LIMIT = 1800, 600


def arguments():
    parser = argparse.ArgumentParser(prog="tools/test-pages")
    parser.add_argument("--modules", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def give_up():
    faulthandler.dump_traceback(all_threads=True)
    print("FAILED: the tests of the page hang")
    server.Server.kill_all()
    os._exit(1)


def main():
    given = arguments()
    watchdog = threading.Timer(QUICK_LIMIT if given.quick or given.modules else LIMIT, give_up)
    watchdog.daemon = True
    watchdog.start()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    failed = 0
    count = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shown = None
        tests = list(modules.tests(browser))
        if not given.modules:
            import pictures
            import sockets
            import views

            program = (given.program or server.program()).resolve()
            # The last of these ends the server, and what is silent for long is dropped meanwhile.
            talking = sockets.Sockets(program)
            tests += sockets.tests(talking)
            shown = views.Views(browser, program)
            tests += views.quick(shown) if given.quick else [*views.tests(shown), *pictures.readme_tests(shown)]
            if given.pictures:
                tests += pictures.tests(shown, given.pictures)
        for name, test in tests:
            if given.names and not any(part in name for part in given.names):
                continue
            count += 1
            try:
                test()
            except Exception as error:  # One failure must not hide the others.
                failed += 1
                print(f"FAILED {name}: {error}")
                if not isinstance(error, AssertionError):
                    traceback.print_exc()
        if shown:
            shown.stop()
            talking.stop()
        server.Server.kill_all()
        browser.close()
    print(f"{count - failed} of {count} tests of the page passed")
    return 1 if failed or not count else 0


sys.exit(main())
