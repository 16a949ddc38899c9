// SPDX-License-Identifier: BSD-3-Clause
// What belongs to one host request, found in the tracks of a run:
// its own slice; the flash operations that name it; their segments (the same operation tag on the
// die's channel while the operation is under way); what their planes' arrays do meanwhile; the
// firmware step that submitted each (the arrow starts in it); the link frame that ended it.

function numbersIn(text) { return text.match(/\d+/g)?.join("/") ?? ""; }

function findHost(run, number) {
  const group = run.group("host requests");
  if (!group) return null;
  const slice = group.columns.get("request").indexOf(number);
  return slice < 0 ? null : { track: group.trackOf(slice), slice };
}

function operationsOf(run, number) {
  const group = run.group("dies");
  if (!group || !group.columns.has("request")) return [];
  const { offsets, items } = group.columns.list("request");
  const found = [];
  for (let at = items.indexOf(number); at >= 0; at = items.indexOf(number, at + 1)) {
    const slice = firstEndingAfter(offsets, 0, offsets.length, at) - 1;
    if (found.at(-1)?.slice !== slice) found.push({ track: group.trackOf(slice), slice });
  }
  return found;
}

function segmentsOf(run, operation) {
  const group = run.group("channels");
  const { track: die, slice } = operation;
  const channel = group?.tracks.find(
    (track) => numbersIn(track.name) === numbersIn(die.name).split("/")[0]);
  if (!channel) return [];
  const tag = die.group.columns.get("tag")[slice];
  const tags = group.columns.get("tag");
  const [low, high] = inView(channel, die.group.start[slice], die.group.end[slice]);
  const found = [];
  for (let i = low; i < high; i++) if (tags[i] === tag) found.push({ track: channel, slice: i });
  return found;
}

function arraysOf(run, operation) {
  const group = run.group("planes");
  if (!group) return [];
  const { track: die, slice } = operation;
  const place = `${numbersIn(die.name)}/`;
  const planes = new Set(die.group.columns.value("planes", slice) ?? []);
  const found = [];
  for (const track of group.tracks) {
    const numbers = numbersIn(track.name);
    if (!numbers.startsWith(place) || !planes.has(Number(numbers.slice(place.length)))) continue;
    const [low, high] = inView(track, die.group.start[slice], die.group.end[slice]);
    for (let i = low; i < high; i++) found.push({ track, slice: i });
  }
  return found;
}

// The step during which the scheduler submitted something at this time.
function stepAt(run, time) {
  const group = run.group("firmware");
  if (!group) return null;
  const sched = group.columns.has("sched") ? group.columns.get("sched") : null;
  for (const track of group.tracks) {
    const slice = group.at(track, time);
    if (slice >= 0 && (!sched || sched[slice] > 0)) return { track, slice };
  }
  return null;
}

function lastFrameOf(run, host) {
  const group = run.group("link");
  const track = group?.tracks.find((one) => one.name === "to host");
  if (!track || !host) return null;
  const end = host.track.group.end[host.slice];
  const slice = firstEndingAfter(group.end, track.first, track.last, end - 1);
  return slice < track.last && group.end[slice] === end ? { track, slice } : null;
}

// {number, host, operations, arrows, parts}; parts: {track, slice} of everything, by time.
// null where the run has no such request.
function followRequest(run, number) {
  const host = findHost(run, number);
  const operations = operationsOf(run, number);
  if (!host && !operations.length) return null;
  const arrows = [];
  if (host && run.arrows) {
    const requests = run.arrows.get("request");
    const submits = run.arrows.get("submit");
    const slices = run.arrows.get("operation");
    const dies = run.group("dies");
    for (let a = requests.indexOf(host.slice); a >= 0; a = requests.indexOf(host.slice, a + 1)) {
      arrows.push({ fromTrack: host.track, submit: host.track.group.start[host.slice] + submits[a],
        track: dies.trackOf(slices[a]), slice: slices[a] });
    }
  }
  const parts = host ? [host] : [];
  for (const operation of operations) {
    parts.push(operation, ...segmentsOf(run, operation), ...arraysOf(run, operation));
  }
  const steps = arrows.map((arrow) => stepAt(run, arrow.submit));
  parts.push(...steps.filter((step) => step), ...[lastFrameOf(run, host)].filter((frame) => frame));
  const seen = new Set();
  const unique = parts.filter(({ track, slice }) => {
    const key = `${track.group.name}:${slice}`;
    return !seen.has(key) && seen.add(key);
  });
  const begun = ({ track, slice }) => track.group.start[slice];
  unique.sort((a, b) => begun(a) - begun(b));
  return { run, number, host, operations, arrows, parts: unique };
}

// Numbers of the requests that a slice belongs to.
function requestsAt(run, { track, slice }) {
  const { group } = track;
  if (group.name === "host requests") return [group.columns.value("request", slice)];
  if (group.name === "dies") return group.columns.value("request", slice) ?? [];
  const dies = run.group("dies");
  if (!dies) return [];
  const numbers = numbersIn(track.name);
  if (group.name === "channels") {
    const tag = group.columns.get("tag")[slice];
    const tags = dies.columns.get("tag");
    for (const die of dies.tracks) {
      if (numbersIn(die.name).split("/")[0] !== numbers) continue;
      const operation = dies.at(die, group.start[slice]);
      if (operation >= 0 && tags[operation] === tag) {
        return dies.columns.value("request", operation) ?? [];
      }
    }
  }
  if (group.name === "planes") {
    const die = dies.tracks.find((one) => numbers.startsWith(`${numbersIn(one.name)}/`));
    const operation = die ? dies.at(die, group.start[slice]) : -1;
    return operation < 0 ? [] : dies.columns.value("request", operation) ?? [];
  }
  if (group.name === "firmware" && run.arrows) return submittedIn(run, group, slice);
  return [];
}

function submittedIn(run, group, slice) {
  const hosts = run.group("host requests");
  if (!hosts) return [];
  const requests = run.arrows.get("request");
  const submits = run.arrows.get("submit");
  const found = new Set();
  for (let a = 0; a < requests.length; a++) {
    const time = hosts.start[requests[a]] + submits[a];
    if (time >= group.start[slice] && time < group.end[slice]) {
      found.add(hosts.columns.value("request", requests[a]));
    }
  }
  return Array.from(found);
}
