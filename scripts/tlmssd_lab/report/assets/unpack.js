// SPDX-License-Identifier: BSD-3-Clause
// The other half of pack.py and encode.py: from text in the page to typed arrays.
// Times are picoseconds in doubles: exact up to 2^53 ps, 2.5 hours.

const MISSING = -(2 ** 52);

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(text) {
  const stream = new Blob([bytesOfBase64(text)]).stream();
  const plain = stream.pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

function unpackIntegers(bytes, header, count) {
  if (header.as === "const") return new Float64Array(count).fill(header.base);
  const values = joinPlanes(bytes, header, count);
  if (header.as === "plain") return unpackPlain(values, header);
  if (header.as === "delta") return unpackDelta(values);
  const texts = Float64Array.from(header.values);
  const looked = new Float64Array(count);
  for (let i = 0; i < count; i++) looked[i] = texts[values[i]];
  return looked;
}

// The first three planes fit in 32-bit integers, which are faster.
function joinPlanes(bytes, { at, planes, as }, count) {
  const low = new Int32Array(count);
  for (let plane = 0; plane < Math.min(planes, 3); plane++) {
    const part = bytes.subarray(at + plane * count, at + (plane + 1) * count);
    const shift = 8 * plane;
    for (let i = 0; i < count; i++) low[i] |= part[i] << shift;
  }
  if (planes <= 3 && as !== "delta") return low;
  const values = Float64Array.from(low);
  for (let plane = 3; plane < planes; plane++) {
    const part = bytes.subarray(at + plane * count, at + (plane + 1) * count);
    const weight = 256 ** plane;
    for (let i = 0; i < count; i++) values[i] += part[i] * weight;
  }
  return values;
}

function unpackPlain(offsets, header) {
  if (header.base === 0 && !header.missing) return offsets;
  const values = new Float64Array(offsets.length);
  for (let i = 0; i < values.length; i++) {
    values[i] = header.missing && offsets[i] === 0 ? MISSING : offsets[i] + header.base;
  }
  return values;
}

function unpackDelta(zigzags) {
  let last = 0;
  for (let i = 0; i < zigzags.length; i++) {
    const z = zigzags[i];
    last += z % 2 ? -(z + 1) / 2 : z / 2;
    zigzags[i] = last;
  }
  return zigzags;
}

// Columns of one group or of the arrows; each is unpacked when it is first asked for.
class Columns {
  constructor(headers, count, bytes) {
    this.headers = headers;
    this.count = count;
    this.bytes = bytes;
    this.unpacked = new Map();
  }

  has(key) { return key in this.headers; }

  get(key) {
    if (!this.unpacked.has(key)) {
      this.unpacked.set(key, unpackIntegers(this.bytes, this.headers[key], this.count));
    }
    return this.unpacked.get(key);
  }

  // {offsets, items}: the list of slice i is items[offsets[i]] to items[offsets[i + 1] - 1].
  list(key) {
    if (!this.unpacked.has(key)) {
      const counts = unpackIntegers(this.bytes, this.headers[key].counts, this.count);
      const offsets = new Uint32Array(this.count + 1);
      for (let i = 0; i < this.count; i++) offsets[i + 1] = offsets[i] + counts[i];
      const items = unpackIntegers(this.bytes, this.headers[key].items, offsets[this.count]);
      this.unpacked.set(key, { offsets, items });
    }
    return this.unpacked.get(key);
  }

  // What slice i says under the key: a number, a text, a list of numbers, or undefined.
  value(key, i) {
    const header = this.headers[key];
    if (!header) return undefined;
    if (header.counts) {
      const { offsets, items } = this.list(key);
      return Array.from(items.subarray(offsets[i], offsets[i + 1]));
    }
    const value = this.get(key)[i];
    if (header.texts) return header.texts[value] ?? undefined;
    return value === MISSING ? undefined : value;
  }
}

// One group of tracks. Slices are numbered through the group; those of a track follow one another.
class Group {
  constructor(packed, bytes) {
    this.name = packed.name;
    this.columns = new Columns(packed.columns, packed.slices, bytes);
    this.start = new Float64Array(packed.slices);
    this.end = new Float64Array(packed.slices);
    const gaps = this.columns.get("gap");
    const durations = this.columns.get("duration");
    let i = 0;
    this.tracks = packed.tracks.map(([name, count]) => {
      const track = { group: this, name, first: i, last: i + count };
      for (let now = 0; i < track.last; i++) {
        this.start[i] = now + gaps[i];
        now = this.end[i] = this.start[i] + durations[i];
      }
      return track;
    });
    this.kinds = kindsOf(this);
    this.present = kindsPresent(this.kinds);
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

// A run's timeline; groups are unpacked when they are first shown.
class RunTimeline {
  constructor(index, packed) {
    this.index = index;
    this.name = packed.name;
    this.end = packed.end;
    this.cutAt = packed.cut_at;
    this.packed = new Map(packed.groups.map((group) => [group.name, group]));
    this.packedArrows = packed.arrows;
    this.groups = new Map();
    this.loading = new Map();
    this.arrows = null;
  }

  groupNames() { return Array.from(this.packed.keys()); }

  group(name) { return this.groups.get(name); }

  load(name) {
    if (!this.loading.has(name)) this.loading.set(name, this.unpackGroup(name));
    return this.loading.get(name);
  }

  async unpackGroup(name) {
    const packed = this.packed.get(name);
    const bytes = await inflate(blobText(`${this.index}-${name}`));
    this.groups.set(name, new Group(packed, bytes));
  }

  async loadAll() {
    await Promise.all(this.groupNames().map((name) => this.load(name)));
    if (!this.arrows) {
      const bytes = await inflate(blobText(`${this.index}-arrows`));
      this.arrows = new Columns(this.packedArrows.columns, this.packedArrows.count, bytes);
    }
  }
}

function blobText(name) {
  return document.getElementById(`blob-${name.replaceAll(" ", "-")}`).textContent.trim();
}
