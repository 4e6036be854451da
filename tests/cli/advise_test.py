#!/usr/bin/env python3
"""Advice applied gives what it promised: the addresses of exported traces are moved by hand as each
proposal says, and `report` of the changed trace has to take the promised wavefronts.

usage: advise_test.py BINARY TRACES
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY, TRACES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
del sys.argv[1:]

NAMES = ["transpose_naive", "matmul_float4_naive", "matmul_tensor_naive", "fft_radix8_naive", "records_structs",
         "micro_atomic_same_bank", "scan_blelloch_naive", "double_column_naive", "micro_copy_ca4_strided"]


def smemsim(*arguments, **extra):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, timeout=120, check=False, **extra)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr.decode()}")
    return done.stdout.decode()


def moved(change, offset):
    """The offset from the start of the array after the change, as docs/advise.md describes it."""
    if change["kind"] == "padding":
        row = offset // change["pitch_bytes"]
        return offset + row * change["pad_bytes"]
    if change["kind"] == "row_xor":
        row, column = divmod(offset, change["pitch_bytes"])
        chunk, inside = divmod(column, change["chunk_bytes"])
        chunk ^= row // change["rows_per_step"] % change["modulus"]
        return row * change["pitch_bytes"] + chunk * change["chunk_bytes"] + inside
    bits = change["swizzle_bytes"]
    field = offset >> (bits["base"] + bits["shift"]) & ((1 << bits["bits"]) - 1)
    return offset ^ field << bits["base"]


def addresses(event):
    if "addr" in event:
        lanes = event["addr"]
        return lanes if isinstance(lanes, list) else [lanes]
    active = int(event.get("active", "0xffffffff"), 16)
    return [event["base"] + event["stride"] * lane if active >> lane & 1 else None for lane in range(32)]


def apply(lines, array, proposal):
    """The lines of an exported trace with the array laid out as the proposal says."""
    places = {(s["function"], s["pc"]) for s in array["sites"]}
    operations = {s["operation"] for s in array["sites"]}
    sites, out = set(), []
    for line in lines:
        record = json.loads(line)
        if "launch" in record:
            record["launch"]["static_shared"] = record["launch"].get("static_shared", 0) + proposal["extra_bytes"]
        elif "site" in record and isinstance(record["site"], dict):
            if (record["site"]["function"], record["site"]["pc"]) in places:
                sites.add(record["site"]["index"])
        elif record.get("op") in operations and record.get("site") in sites:
            lanes = [None if a is None else array["base"] + moved(proposal["change"], a - array["base"])
                     for a in addresses(record)]
            for key in ("base", "stride", "active"):
                record.pop(key, None)
            record["addr"] = lanes
        out.append(json.dumps(record))
    return "\n".join(out) + "\n"


class Advice(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)

    def test_every_proposal_keeps_its_promise(self):
        kinds, proposals = set(), 0
        for name in NAMES:
            trace, changed = self.path / "now.jsonl", self.path / "changed.jsonl"
            smemsim("export", TRACES / f"{name}.smt", "-o", trace)
            lines = trace.read_text().splitlines()
            before = json.loads(smemsim("report", trace, "--format", "json"))
            advice = json.loads(smemsim("advise", trace, "--format", "json", "--top", 0, "--no-cycles"))
            for array in advice["kernels"][0]["arrays"]:
                for proposal in array["proposals"]:
                    changed.write_text(apply(lines, array, proposal))
                    after = json.loads(smemsim("report", changed, "--format", "json"))
                    with self.subTest(trace=name, array=array["base"], change=proposal["change"]):
                        self.assertEqual(before["total"]["wavefronts"] - after["total"]["wavefronts"],
                                         array["wavefronts"] - proposal["wavefronts"])
                        self.assertEqual(before["total"]["executed"], after["total"]["executed"])
                    kinds.add(proposal["change"]["kind"])
                    proposals += 1
        self.assertEqual(kinds, {"padding", "row_xor", "swizzle"})
        self.assertGreater(proposals, 20)

    def test_a_text_and_its_trace_get_the_same_first_proposal(self):
        text = "__shared__ float tile[32][32]; tile[threadIdx.x][threadIdx.y]"
        trace = self.path / "text.smt"
        smemsim("explain", text, "--block", "32,32", "-o", trace)
        of_text = json.loads(smemsim("advise", "--expr", text, "--block", "32,32", "--format", "json"))
        of_trace = json.loads(smemsim("advise", trace, "--format", "json"))
        first = [advice["kernels"][0]["arrays"][0]["proposals"][0] for advice in (of_text, of_trace)]
        self.assertEqual(first[0]["change"], first[1]["change"])
        self.assertEqual(first[0]["cycles"], first[1]["cycles"])
        self.assertEqual([one["confidence"] for one in first], ["checked", "assumed"])

    def test_standard_input_is_read_once_only(self):
        with open(TRACES / "transpose_naive.smt", "rb") as file:
            advice = json.loads(smemsim("advise", "-", "--format", "json", stdin=file))
        self.assertIn("cycles are not predicted", advice["notes"][0])
        kernel = advice["kernels"][0]
        self.assertIsNone(kernel["cycles"])
        self.assertIsNone(kernel["arrays"][0]["proposals"][0]["cycles"])

    def test_all_first_proposals_together(self):
        advice = json.loads(smemsim("advise", TRACES / "attention_naive.smt", "--format", "json"))
        cycles = advice["kernels"][0]["cycles"]
        self.assertGreater(cycles["arrays"], 1)
        for array in advice["kernels"][0]["arrays"]:
            for proposal in array["proposals"]:
                self.assertEqual(proposal["cycles"]["before"], cycles["before"])
                self.assertLess(cycles["after"], proposal["cycles"]["after"])


if __name__ == "__main__":
    unittest.main()
