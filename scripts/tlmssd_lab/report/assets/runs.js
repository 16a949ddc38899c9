// SPDX-License-Identifier: BSD-3-Clause
// Runs and their groups of tracks: an overview at once where there is one, the slices when they are unpacked.

// One group of tracks. Slices are numbered through the group; those of a track follow one another.
// Until it is `ready` only its tracks are known, and where the run has one its overview.
class Group {
  constructor(packed) {
    this.name = packed.name;
    this.packed = packed;
    this.ready = false;
    this.overview = null;
    let first = 0;
    this.tracks = packed.tracks.map(([name, count]) => {
      const track = { group: this, name, first, last: first + count };
      first = track.last;
      return track;
    });
  }

  // `others`: groups that times of this one refer to, by name.
  async unpack(bytes, others) {
    const count = this.packed.slices;
    this.columns = new Columns(this.packed.columns, count, bytes);
    const { start, end, gap, turn, duration } = this.packed.columns;
    this.start = start ? await this.referred(start, others, true) : new Float64Array(count);
    this.end = end ? await this.referred(end, others) : new Float64Array(count);
    const gaps = gap ? this.columns.get("gap") : null;
    await pause();
    for (const key of duration?.as === "sum" ? duration.of : []) {
      this.columns.get(key);
      await pause();
    }
    const durations = duration ? this.columns.get("duration") : null;
    await pause();
    if (turn) this.takeTurns(turn, durations);
    else this.follow(gaps, durations);
    await pause();
    this.kinds = new Uint8Array(this.columns.get("kind"));
    await pause();
    this.present = kindsPresent(this.kinds);
    for (const key of ["gap", "duration", "kind"]) this.columns.unpacked.delete(key);
    this.ready = true;
  }

  // On each track a slice follows the one before.
  follow(gaps, durations) {
    for (const track of this.tracks) {
      for (let i = track.first, now = 0; i < track.last; i++) {
        if (gaps) this.start[i] = now + gaps[i];
        if (durations) this.end[i] = this.start[i] + durations[i];
        now = this.end[i];
      }
    }
  }

  // All slices of the group, one after another in time.
  takeTurns(turn, durations) {
    const tracks = this.columns.unpack(turn.tracks);
    const gaps = this.columns.unpack(turn.gaps);
    const next = this.tracks.map((track) => track.first);
    for (let k = 0, now = 0; k < gaps.length; k++) {
      const i = next[tracks[k]]++;
      this.start[i] = now + gaps[k];
      now = this.end[i] = this.start[i] + durations[i];
    }
  }

  // Times that are told by those of another group (references.py).
  async referred({ group, edge, tracks, steps, rests }, others, kept = false) {
    const near = others.get(group);
    const values = near[edge];
    const step = this.columns.unpack(steps);
    await pause();
    const rest = this.columns.unpack(rests);
    const times = new Float64Array(this.packed.slices);
    const slices = kept ? new Uint32Array(this.packed.slices) : null;
    if (kept) this.columns.near = { group: near, slices, tracks: this.tracks };
    this.tracks.forEach((track, place) => {
      let at = track.first < track.last ? near.tracks[tracks[place]].first : 0;
      for (let i = track.first; i < track.last; i++) {
        at += step[i];
        times[i] = values[at] + rest[i];
        if (slices) slices[i] = at;
      }
    });
    await pause();
    return times;
  }

  text(i) { return this.columns.value("name", i); }

  trackOf(i) { return this.tracks.find((track) => i >= track.first && i < track.last); }

  // The slice of the track that is under way at the time, else -1.
  at(track, time) {
    const i = firstEndingAfter(this.end, track.first, track.last, time);
    return i < track.last && this.start[i] <= time ? i : -1;
  }
}

// First index in [low, high) with values[index] > wanted, else high; values ascend.
function firstEndingAfter(values, low, high, wanted) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] > wanted) high = middle; else low = middle + 1;
  }
  return low;
}

// A run's timeline; groups are unpacked when they are first shown, those of a run with an overview
// once that is drawn.
class RunTimeline {
  constructor(index, packed) {
    this.index = index;
    this.name = packed.name;
    this.end = packed.end;
    this.cutAt = packed.cut_at;
    this.overview = packed.overview;
    this.packed = new Map(packed.groups.map((group) => [group.name, group]));
    this.packedArrows = packed.arrows;
    this.groups = new Map();
    this.loading = new Map();
    this.arrows = null;
  }

  groupNames() { return Array.from(this.packed.keys()); }

  group(name) { return this.groups.get(name); }

  ready(name) { return this.groups.get(name)?.ready ?? false; }

  complete() { return this.arrows !== null && this.groupNames().every((name) => this.ready(name)); }

  // Make groups that can be drawn: by the overview where there is one, else in full.
  async show(names) {
    if (this.overview && !this.groups.size) await this.openOverview();
    if (!this.overview) await Promise.all(names.map((name) => this.load(name)));
  }

  async openOverview() {
    const bytes = await inflate(document.getElementById(`overview-${this.index}`).textContent);
    let at = 0;
    for (const { name, kinds } of this.overview.groups) {
      const group = new Group(this.packed.get(name));
      const size = this.overview.bins * kinds.length;
      group.overview = { bins: this.overview.bins, width: this.end / this.overview.bins, kinds,
        tracks: new Map(group.tracks.map((track, i) => [
          track, bytes.subarray(at + i * size, at + (i + 1) * size)])) };
      at += size * group.tracks.length;
      this.groups.set(name, group);
    }
  }

  load(name) {
    if (!this.loading.has(name)) this.loading.set(name, this.unpackGroup(name));
    return this.loading.get(name);
  }

  async unpackGroup(name) {
    const packed = this.packed.get(name);
    const parents = ["start", "end"].map((key) => packed.columns[key]?.group).filter((one) => one);
    await Promise.all(parents.map((parent) => this.load(parent)));
    const bytes = await inflate(await blobText(`${this.index}-${name}`));
    const group = this.groups.get(name) ?? new Group(packed);
    await group.unpack(bytes, this.groups);
    this.groups.set(name, group);
  }

  async loadAll() {
    for (const name of this.groupNames()) await this.load(name);
    if (!this.arrows) {
      const bytes = await inflate(await blobText(`${this.index}-arrows`));
      const arrows = new Columns(this.packedArrows.columns, this.packedArrows.count, bytes);
      const { request } = this.packedArrows.columns;
      if (request.as === "cause") arrows.unpacked.set("request", this.causes(arrows, request.items));
      this.arrows = arrows;
    }
  }

  // The host request that each arrow comes from: its operation names it, as which of several?
  causes(arrows, header) {
    const numbers = this.group("host requests").columns.get("request");
    const slices = new Uint32Array(numbers.reduce((most, number) => Math.max(most, number), 0) + 1);
    for (let i = 0; i < numbers.length; i++) slices[numbers[i]] = i;
    const named = this.group("dies").columns.list("request");
    const operations = arrows.get("operation");
    const places = arrows.unpack(header);
    const found = new Float64Array(arrows.count);
    for (let a = 0; a < found.length; a++) {
      found[a] = slices[named.items[named.offsets[operations[a]] + places[a]]];
    }
    return found;
  }
}

// The packed slices come after this script in the page.
const parsed = new Promise((resume) => {
  if (document.readyState !== "loading") resume();
  else document.addEventListener("DOMContentLoaded", resume);
});

async function blobText(name) {
  await parsed;
  return document.getElementById(`blob-${name.replaceAll(" ", "-")}`).textContent;
}
