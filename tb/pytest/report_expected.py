# SPDX-License-Identifier: BSD-3-Clause
"""What a report has to show of a request, worked out from the timeline file and not by the page's code."""
import functools
import gzip
import json

from test_timeline import picoseconds


@functools.lru_cache(maxsize=2)  # of files that no test changes
def slices_of(folder):
    """{(group, track): [(name, start, end, args)]}, arrows [(host track, submit, die, start)]."""
    text = gzip.decompress((folder / "timeline.json.gz").read_bytes())
    groups, tracks, slices, ends, arrows = {}, {}, {}, {}, []
    events = json.loads(text, parse_float=str)["traceEvents"]
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            groups[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            tracks[event["tid"]] = (groups[event["pid"]], event["args"]["name"])
        elif event["ph"] == "X":
            start = picoseconds(event["ts"])
            slices.setdefault(tracks[event["tid"]], []).append(
                (event["name"], start, start + picoseconds(event["dur"]), event["args"]))
        elif event["ph"] == "f":
            ends[event["id"]] = (tracks[event["tid"]][1], picoseconds(event["ts"]))
    for event in events:
        if event["ph"] == "s":
            arrows.append((tracks[event["tid"]][1], picoseconds(event["ts"]), *ends[event["id"]]))
    return slices, arrows


def parts_of(folder, number):
    """What docs/guides/timeline.md says belongs to a request: {(track, name, start, end)}, arrows."""
    slices, arrows = slices_of(folder)
    parts = set()
    host_track = host = None
    for (group, track), entries in slices.items():
        for name, start, end, args in entries:
            if group == "host requests" and args["request"] == number:
                host_track, host = track, (start, end)
                parts.add((track, name, start, end))
            if group != "dies" or number not in args.get("request", ()):
                continue
            parts.add((track, name, start, end))
            place = track.split()[1]
            for name2, start2, end2, args2 in slices["channels", f"channel {place.split('/')[0]}"]:
                if args2["tag"] == args["tag"] and start2 >= start and end2 <= end:
                    parts.add((f"channel {place.split('/')[0]}", name2, start2, end2))
            for plane in args["planes"]:
                for name2, start2, end2, _ in slices["planes", f"plane {place}/{plane}"]:
                    if start2 < end and end2 > start:
                        parts.add((f"plane {place}/{plane}", name2, start2, end2))
    mine = [(submit, begun) for track, submit, _, begun in arrows
            if track == host_track and host[0] <= submit <= host[1]]
    for submit, _ in mine:
        parts |= {("core 0", name, start, end)
                  for name, start, end, _ in slices["firmware", "core 0"] if start <= submit < end}
    parts |= {("to host", name, start, end)
              for name, start, end, _ in slices["link", "to host"] if end == host[1]}
    return parts, sorted(mine)


def shown_parts(followed):
    return {(p["track"], p["name"], p["start"], p["end"]) for p in followed["parts"]}


def a_request(folder, kind):
    """Number, track, start and end of a request in the middle of the run that went to flash."""
    slices, _ = slices_of(folder)
    named = {number for (group, _), entries in slices.items() if group == "dies"
             for *_, args in entries for number in args.get("request", ())}
    found = sorted((start, args["request"], track, end)
                   for (group, track), entries in slices.items() if group == "host requests"
                   for name, start, end, args in entries
                   if name == kind and args["request"] in named)
    start, number, track, end = found[len(found) // 2]
    return number, track, start, end
