"""pytest --noclobber: every compilation of a test is recorded, and a test whose compilation is refuted fails.

`--noclobber-out DIR` keeps the recordings, one folder a test; `--noclobber-fail-on unknown` fails tests whose compilations
are not all proved. Inductor's caches are off while a test runs: what comes from a cache is not compiled, and cannot be seen.
PyTorch is imported when the first test starts.

The fixture `noclobber_fuzz` runs a campaign of a bounded number of seeds and fails the test where it convicts:

    def test_my_pass(noclobber_fuzz):
        noclobber_fuzz(noclobber.torch.fuzz_pass, my_pass)

`--noclobber-seeds N` (50) says how many, `--noclobber-out DIR` keeps what is found.
"""
from __future__ import annotations

import pathlib
import re
import tempfile
from collections.abc import Callable

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("noclobber", "storage reuse in what torch.compile makes")
    group.addoption("--noclobber", action="store_true", help="record every compilation of a test and check it")
    group.addoption("--noclobber-out", metavar="DIR", help="keep the recordings here, one folder a test")
    group.addoption("--noclobber-seeds", type=int, default=50, metavar="N", help="programs of a campaign of noclobber_fuzz (default: 50)")
    group.addoption("--noclobber-fail-on", choices=("refuted", "unknown"), default="refuted",
                    help="what fails a test (default: refuted)")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--noclobber"):
        config.pluginmanager.register(_Watched(config), "noclobber-watched")


@pytest.fixture
def noclobber_fuzz(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Callable:
    """Runs a campaign, `noclobber_fuzz(noclobber.fuzz, my_pass)`, and returns it; the test fails where it convicts."""
    kept = request.config.getoption("--noclobber-out")
    folder = pathlib.Path(kept) / _slug(request.node.nodeid) if kept else tmp_path / "noclobber"

    def run(campaign: Callable, *args: object, **options: object) -> object:
        options = {"count": request.config.getoption("--noclobber-seeds"), "out": folder} | options
        try:
            return campaign(*args, **options).raise_if_convicted()
        except AssertionError as error:
            pytest.fail(str(error), pytrace=False)
    return run


def _slug(nodeid: str) -> str:
    return re.sub(r"[^\w.\-]+", "_", nodeid)


class _Watched:
    """The hooks of a run with --noclobber."""

    def __init__(self, config: pytest.Config):
        self.fail_on = config.getoption("--noclobber-fail-on")
        self.out = config.getoption("--noclobber-out")
        self.counts = {"proved": 0, "refuted": 0, "unknown": 0}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item):
        from . import recorder, torch

        folder = pathlib.Path(self.out or tempfile.mkdtemp(prefix="noclobber-")) / _slug(item.nodeid)
        with torch.watch(folder, fresh=True) as watching:
            outcome = yield
        if not watching.checks and not watching.problems:
            return
        records = watching.run()
        for record in records:
            self.counts[record["status"]] += 1
        if outcome.excinfo is None:
            try:
                recorder.judge(records, self.fail_on, folder)
            except AssertionError as error:
                pytest.fail(str(error), pytrace=False)

    def pytest_terminal_summary(self, terminalreporter) -> None:
        terminalreporter.write_line("noclobber: " + ", ".join(f"{n} {s}" for s, n in self.counts.items()))
