#!/usr/bin/env python3
"""Every bundled trace: its predicted counters equal the measured ones, and it survives export and import.

usage: bundled_traces.py BINARY TRACES
"""
import json
import pathlib
import subprocess
import sys
import tempfile

# Warps that update the same floats retry as often as their timing has it, and each run has its own.
DIFFERENT = {"histogram_weighted_float"}
MAX_BYTES_PER_EVENT = 4


def run(*arguments):
    return subprocess.run(arguments, capture_output=True)


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    traces = sorted(folder.glob("*.smt"))
    problems = [] if len(traces) >= 100 else [f"only {len(traces)} traces in {folder}"]
    total_bytes = total_events = 0
    for trace in traces:
        name = trace.stem
        diff = run(binary, "diff", trace, "--format", "json")
        agrees = diff.returncode == 0 and json.loads(diff.stdout)["agrees"]
        if agrees == (name in DIFFERENT):
            problems.append(f"{name}: diff exits {diff.returncode}\n{diff.stderr.decode()}")
        with tempfile.TemporaryDirectory() as scratch:
            text, back = pathlib.Path(scratch) / "a.jsonl", pathlib.Path(scratch) / "b.smt"
            again = pathlib.Path(scratch) / "c.jsonl"
            for arguments in ((binary, "export", trace, "-o", text),
                              (binary, "import", text, "-o", back),
                              (binary, "export", back, "-o", again)):
                done = run(*arguments)
                if done.returncode != 0:
                    problems.append(f"{name}: {arguments[1]} fails: {done.stderr.decode()}")
            if text.read_bytes() != again.read_bytes():
                problems.append(f"{name}: export, import, export changes the text")
            total_events += sum(line.startswith(b'{"op"') for line in text.read_bytes().splitlines())
        total_bytes += trace.stat().st_size
    print(f"{len(traces)} traces, {total_bytes} bytes, {total_events} events, "
          f"{total_bytes / max(total_events, 1):.2f} bytes an event")
    if total_bytes > MAX_BYTES_PER_EVENT * total_events:
        problems.append(f"more than {MAX_BYTES_PER_EVENT} bytes an event")
    print("\n".join(problems) or "all agree")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
