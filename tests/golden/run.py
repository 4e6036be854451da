#!/usr/bin/env python3
"""Golden tests: whole commands with their input and every byte that they print.

A .test file is a list of sections. A section begins with a line "== NAME" and lasts to the next one:
  == about      one or two sentences on what the file is for
  == file NAME  a file that the commands find in their directory
  == run        a command line; `smemsim` is the program under test
  == status, == stdout, == stderr     what the run before them must give (absent = 0, empty)

  run.py --binary build/release/smemsim                     runs every test
  run.py --binary ... tests/golden/report_padded.test       runs one
  run.py --binary ... --update                              rewrites what the runs give
"""
import argparse
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
RESULTS = ("status", "stdout", "stderr")


def parse(text):
    """[(heading, body)], each body with its final newline."""
    parts = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)
    if parts[0].strip():
        raise ValueError("text before the first '== NAME' line")
    return [(parts[i].strip(), parts[i + 1]) for i in range(1, len(parts), 2)]


def execute(binary, command, directory):
    words = shlex.split(command)
    if not words or words[0] != "smemsim":
        raise ValueError(f"a command must begin with smemsim: {command}")
    environment = {k: v for k, v in os.environ.items() if k in ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS")}
    words = [w.replace("$TRACES", str(ROOT / "traces")) for w in words[1:]]
    done = subprocess.run([binary, *words], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120, check=False)
    show = lambda data: data.decode("utf-8", "backslashreplace").replace(str(ROOT) + "/", "")
    return {"status": f"{done.returncode}\n", "stdout": show(done.stdout), "stderr": show(done.stderr)}


def terminated(text):
    return text if not text or text.endswith("\n") else text + "\n"


def run_file(binary, path, update):
    """Problems as text, one for each run that differs."""
    sections = parse(path.read_text(encoding="utf-8"))
    problems, out = [], []
    with tempfile.TemporaryDirectory() as directory:
        for heading, body in sections:
            if heading.startswith("file "):
                file = pathlib.Path(directory) / heading[5:]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(body, encoding="utf-8")
        index = 0
        while index < len(sections):
            heading, body = sections[index]
            index += 1
            if heading in RESULTS:
                raise ValueError(f"'== {heading}' without '== run'")
            out.append((heading, body))
            if heading != "run":
                continue
            expected = {"status": "0\n", "stdout": "", "stderr": ""}
            while index < len(sections) and sections[index][0] in RESULTS:
                expected[sections[index][0]] = sections[index][1]
                index += 1
            actual = execute(binary, body.strip(), directory)
            for name in RESULTS:
                actual[name] = terminated(actual[name])
                # An empty line before the next section is layout.
                if actual[name].rstrip("\n") != expected[name].rstrip("\n"):
                    problems.append(f"$ {body.strip()}\n" + "".join(difflib.unified_diff(
                        expected[name].splitlines(True), actual[name].splitlines(True),
                        f"expected {name}", f"actual {name}")))
                if actual[name].rstrip("\n") not in ("", "0"):
                    out.append((name, actual[name]))
    if update:
        text = "".join(f"== {heading}\n{body.rstrip(chr(10))}\n\n" for heading, body in out)
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("tests", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    tests = arguments.tests or sorted(HERE.glob("*.test"))
    if not tests:
        sys.exit("no golden tests found")
    failed = 0
    for path in tests:
        problems = run_file(arguments.binary.resolve(), path, arguments.update)
        if problems and arguments.update:
            print(f"updated {path.name}")
        elif problems:
            failed += 1
            print(f"FAILED {path.name}")
            print("\n".join(problems))
    if failed:
        sys.exit(f"{failed} of {len(tests)} golden tests failed; if the new output is right: "
                 "tests/golden/run.py --binary PROGRAM --update")
    print(f"{len(tests)} golden tests passed")


if __name__ == "__main__":
    main()
