#!/usr/bin/env python3
"""Races in recorded kernels: every racy one is found, nothing is said about right ones.

Right are the fixed kernels of tools/kernels/races and all bundled kernels. A racy one has to show
the kind that pairs.txt (`smemsim-races list`) names, with at least that severity and with a source
line on each side.

usage: race_traces.py BINARY TRACES
"""
import json
import pathlib
import subprocess
import sys

SEVERITIES = ["hint", "info", "warning", "error"]
FEWEST_PAIRS = 30


def findings(binary, trace, problems):
    done = subprocess.run([binary, "races", trace, "--format", "json"], capture_output=True)
    if done.returncode != 0:
        problems.append(f"{trace.name}: races exits {done.returncode}\n{done.stderr.decode()}")
        return []
    return [each for launch in json.loads(done.stdout)["launches"] for each in launch["findings"]]


def told(found):
    return ", ".join(f"{each['severity']} {each['kind']} {each['first']['place']}" for each in found)


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    right = sorted(folder.glob("*.smt")) + sorted((folder / "races").glob("*_fixed.smt"))
    for trace in right:
        found = findings(binary, trace, problems)
        if found:
            problems.append(f"{trace.name}: false alarm: {told(found)}")

    racy = 0
    for line in (folder / "races" / "pairs.txt").read_text().splitlines():
        name, kind, severity, ends, _ = line.split(None, 4)
        if ends != "runs":
            continue
        trace = folder / "races" / f"{name}_racy.smt"
        for each in (trace, folder / "races" / f"{name}_fixed.smt"):
            if not each.exists():
                problems.append(f"{each.name} is missing")
        if not trace.exists():
            continue
        racy += 1
        found = findings(binary, trace, problems)
        least = SEVERITIES.index(severity)
        hits = [each for each in found
                if each["kind"] == kind and SEVERITIES.index(each["severity"]) >= least]
        if not hits:
            problems.append(f"{trace.name}: no {severity} {kind}, only: {told(found) or 'nothing'}")
        for hit in hits:
            sides = [side for side in (hit["first"], hit["second"]) if side]
            if any(not side["line"] and side["operation"] != "exit" for side in sides):
                problems.append(f"{trace.name}: {kind} without source line")
    if racy < FEWEST_PAIRS or len(right) < racy + 100:
        problems.append(f"only {racy} racy and {len(right)} right traces in {folder}")
    print(f"{racy} racy and {len(right)} right traces")
    print("\n".join(problems) or "all as they should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
