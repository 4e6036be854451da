#!/usr/bin/env python3
"""What the program prints on terminals and into pipes, and with which exit status it ends."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

BINARY = os.path.abspath(sys.argv.pop(1))
COLOR = re.compile(r"\x1b\[[0-9;]*[mK]")

TRACE = "\n".join(json.dumps(line) for line in [
    {"launch": {"kernel": "void transpose<float, 32>(float*, const float*, std::integral_constant<int, 4>)",
                "grid": [64, 64, 1], "block": [32, 8, 1], "static_shared": 8192}},
    {"site": {"index": 0, "function": "_Z9transpose", "pc": 272, "instruction": "LDS R5, [R2+0x1080]",
              "file": "/home/user/projects/kernels/transpose.cu", "line": 1024}},
    {"op": "ld", "bytes": 4, "base": 0, "stride": 128, "site": 0},
    {"op": "st", "bytes": 16, "base": 0, "stride": 16, "site": "/home/user/projects/kernels/transpose.cu:99"},
    {"op": "ldmatrix", "bytes": 16, "matrices": 4, "base": 0, "stride": 256, "site": "gemm.cu:5"},
]) + "\n"


def clean_environment(**extra):
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "TERM")}
    return {**environment, "TERM": "xterm", **extra}


class Terminal(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.trace = os.path.join(self.directory.name, "t.jsonl")
        with open(self.trace, "w", encoding="utf-8") as file:
            file.write(TRACE)

    def on_terminal(self, *arguments, columns=100, **extra):
        """(exit status, what a terminal of that width shows)"""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = subprocess.Popen([BINARY, *arguments], stdin=slave, stdout=slave, stderr=slave,
                                   env=clean_environment(**extra), close_fds=True)
        os.close(slave)
        out = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            out += part
        os.close(master)
        return process.wait(timeout=60), out.decode().replace("\r\n", "\n")

    def piped(self, *arguments, **extra):
        return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60, check=False,
                              env=clean_environment(**extra))

    def test_every_width_fits(self):
        for arguments in (["report", self.trace], ["report", self.trace, "--site", "1"], ["--help"],
                          ["report", self.trace, "--site", "2"], ["report", "--help"], ["machines"]):
            for columns in (60, 72, 80, 100, 132, 200):
                # The picture of 32 banks and a counter's name cannot be narrower than they are.
                least = 80 if "--site" in arguments or arguments[0] == "report" else columns
                status, text = self.on_terminal(*arguments, columns=columns)
                self.assertEqual(status, 0)
                for line in COLOR.sub("", text).splitlines():
                    self.assertLessEqual(len(line), max(columns, least), f"{arguments} at {columns}: {line}")

    def test_narrow_reports_keep_what_matters(self):
        _, text = self.on_terminal("report", self.trace, columns=60)
        plain = COLOR.sub("", text)
        for word in ("excess", "wavefronts", "ways", "site", "32.0 / 32"):
            self.assertIn(word, plain)
        self.assertNotIn("executed", plain.split("Nsight")[0].split("excess")[-1])

    def test_color_only_where_wanted(self):
        self.assertRegex(self.on_terminal("report", self.trace)[1], COLOR)
        self.assertNotRegex(self.on_terminal("report", self.trace, NO_COLOR="1")[1], COLOR)
        self.assertRegex(self.on_terminal("report", self.trace, NO_COLOR="")[1], COLOR)
        self.assertNotRegex(self.on_terminal("report", self.trace, TERM="dumb")[1], COLOR)
        self.assertNotRegex(self.on_terminal("report", self.trace, "--color", "never")[1], COLOR)
        self.assertNotRegex(self.piped("report", self.trace).stdout, COLOR)
        self.assertRegex(self.piped("report", self.trace, "--color", "always", NO_COLOR="1").stdout, COLOR)
        self.assertNotRegex(self.on_terminal("report", self.trace, "--format", "json")[1], COLOR)

    def test_piped_output_is_whole(self):
        text = self.piped("report", self.trace, COLUMNS="60").stdout
        self.assertIn("/home/user/projects/kernels/transpose.cu:1024", text)
        self.assertIn("std::integral_constant<int, 4>)", text)
        self.assertNotIn("...", text)

    def test_same_bytes_every_time(self):
        for format_ in ("text", "json", "csv"):
            first = self.piped("report", self.trace, "--format", format_).stdout
            self.assertEqual(first, self.piped("report", self.trace, "--format", format_).stdout)

    def test_output_file_equals_pipe(self):
        path = os.path.join(self.directory.name, "out.txt")
        done = self.piped("report", self.trace, "-o", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), self.piped("report", self.trace).stdout)

    def test_trace_from_standard_input(self):
        done = subprocess.run([BINARY, "report", "-", "--format", "csv"], input=TRACE, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, self.piped("report", self.trace, "--format", "csv").stdout)

    def test_exit_statuses(self):
        broken = os.path.join(self.directory.name, "broken.jsonl")
        with open(broken, "w", encoding="utf-8") as file:
            file.write('{"op":"ld"\n')
        for status, arguments in (
                (0, ["report", self.trace]), (0, ["--help"]), (0, ["--version"]), (0, ["help", "report"]),
                (0, ["report", self.trace, "--fail-on", "excess > 1000"]),
                (1, ["report", self.trace, "--fail-on", "excess > 0"]),
                (2, []), (2, ["frobnicate"]), (2, ["report"]), (2, ["report", self.trace, "--nonsense"]),
                (2, ["report", self.trace, "--top", "many"]), (2, ["report", self.trace, "--site", "99"]),
                (2, ["report", self.trace, "--fail-on", "nonsense > 0"]), (3, ["report", broken]),
                (4, ["report", "/nonexistent/trace.smt"]),
                (4, ["report", self.trace, "-o", "/nonexistent/report.txt"])):
            done = self.piped(*arguments)
            self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}")
            if status not in (0, 1) and arguments:
                self.assertTrue(done.stderr.startswith("smemsim: error: "), done.stderr)
                self.assertEqual(done.stdout, "")

    def test_no_arguments_show_help(self):
        self.assertIn("Commands:", self.piped().stderr)

    def test_results_and_messages_are_apart(self):
        done = self.piped("report", self.trace, "--format", "json", "--fail-on", "excess > 0")
        self.assertEqual(json.loads(done.stdout)["schema"], "smemsim/report/1")
        self.assertIn("check failed", done.stderr)

    def test_closed_pipe_is_no_error(self):
        many = os.path.join(self.directory.name, "many.jsonl")
        with open(many, "w", encoding="utf-8") as file:
            for site in range(3000):
                file.write(json.dumps({"op": "ld", "bytes": 4, "base": 0, "stride": 128, "site": f"s{site}"}) + "\n")
        done = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" report "$1" --top 0 | head -n 1', BINARY, many],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 1)

    def test_unwritable_output_is_an_error(self):
        for redirection in (">/dev/full", ">&-"):
            done = subprocess.run(["bash", "-c", f'"$0" report "$1" {redirection}', BINARY, self.trace],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 4, redirection)
            self.assertIn("smemsim: error: standard output: cannot write", done.stderr)

    def test_interrupt(self):
        process = subprocess.Popen([BINARY, "report", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def test_hostile_names_do_not_reach_the_terminal(self):
        with open(self.trace, "w", encoding="utf-8") as file:
            file.write(json.dumps({"launch": {"kernel": "evil\x1b]0;title\x07\x1b[31m"}}) + "\n")
            file.write(json.dumps({"op": "ld", "bytes": 4, "base": 0, "stride": 4, "site": "\x1b[2Jx.cu:1"}) + "\n")
        for arguments in ([], ["--site", "1"], ["--format", "csv"], ["--format", "json"]):
            text = self.piped("report", self.trace, *arguments).stdout
            self.assertNotIn("\x1b", text)


if __name__ == "__main__":
    unittest.main()
