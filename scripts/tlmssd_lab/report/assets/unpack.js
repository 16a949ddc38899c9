// SPDX-License-Identifier: BSD-3-Clause
// The other half of pack.py and encode.py: from text in the page to typed arrays.
// Times are picoseconds in doubles: exact up to 2^53 ps, 2.5 hours.

const MISSING = -(2 ** 52);

const PIECE = 1 << 22; // characters that are decoded at a time, a multiple of 16

// Lets the browser draw and listen between two pieces of long work.
function pause() { return new Promise((resume) => { setTimeout(resume); }); }

// The other half of dense.py: each two characters are 13 bits.
const DIGITS = new Uint8Array(127);
for (let code = 33, digit = 0; code < 127; code++) {
  if (!"<&\\".includes(String.fromCharCode(code))) DIGITS[code] = digit++;
}

function bytesOfText(text) {
  const bytes = new Uint8Array(Math.floor(text.length / 16) * 13);
  for (let i = 0, at = 0, bits = 0, held = 0; i < text.length; i += 2) {
    bits = (bits << 13) | (DIGITS[text.charCodeAt(i)] * 91 + DIGITS[text.charCodeAt(i + 1)]);
    for (held += 13; held >= 8; at++) {
      held -= 8;
      bytes[at] = bits >> held;
    }
    bits &= (1 << held) - 1;
  }
  return bytes;
}

async function inflate(text) {
  const pieces = [];
  const first = text.indexOf(" ") + 1;
  let left = Number(text.slice(0, first));
  for (let at = first; at < text.length; at += PIECE) {
    if (at > first) await pause();
    const bytes = bytesOfText(text.slice(at, at + PIECE));
    pieces.push(bytes.subarray(0, left));
    left -= Math.min(left, bytes.length);
  }
  const plain = new Blob(pieces).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

function unpackIntegers(bytes, header, count) {
  if (header.as === "const") return new Float64Array(count).fill(header.base);
  const values = joinPlanes(bytes, header, count);
  if (header.as === "plain") return unpackPlain(values, header);
  if (header.as === "delta") return unpackDelta(values);
  return looked(header.values, values, count);
}

function looked(values, indices, count) {
  const table = new Float64Array(values);
  const found = new Float64Array(count);
  for (let i = 0; i < count; i++) found[i] = table[indices[i]];
  return found;
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
  const values = new Float64Array(low);
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
      const values = this.unpack(this.headers[key]);
      for (const [slice, value] of this.headers[key].except ?? []) values[slice] = value;
      this.unpacked.set(key, values);
    }
    return this.unpacked.get(key);
  }

  unpack(header) {
    if (header.as === "map") {
      return looked(header.values, this.get(header.of), this.count);
    }
    if (header.as === "there") {
      const { group, slices } = this.near;
      return looked(group.columns.get(header.key), slices, this.count);
    }
    if (header.as === "row") return this.rows(header);
    if (header.as !== "sum") return unpackIntegers(this.bytes, header, this.count);
    const sums = new Float64Array(this.count);
    for (const key of header.of) {
      const values = this.get(key);
      for (let i = 0; i < sums.length; i++) if (values[i] > 0) sums[i] += values[i] * header.times;
    }
    return sums;
  }

  // From the rows of the slices that starts are told by: that of the track's plane.
  rows({ shift, mask, planes_of: planesOf }) {
    const { group, slices, tracks } = this.near;
    const rows = group.columns.list("rows");
    const planes = group.columns.list("planes");
    const found = new Float64Array(this.count);
    tracks.forEach((track, place) => {
      for (let i = track.first; i < track.last; i++) {
        let item = rows.offsets[slices[i]];
        while (planes.items[item] !== planesOf[place]) item += 1;
        found[i] = (rows.items[item] >>> shift) & mask;
      }
    });
    return found;
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

  // One value, without unpacking the column for it where the encoding allows.
  one(header, key, i) {
    if (this.unpacked.has(key) || header.except
      || !["const", "dict", "plain", "map"].includes(header.as)) {
      return this.get(key)[i];
    }
    if (header.as === "const") return header.base;
    if (header.as === "map") {
      return header.values[this.one(this.headers[header.of], header.of, i)];
    }
    let value = 0;
    for (let plane = header.planes - 1; plane >= 0; plane--) {
      value = value * 256 + this.bytes[header.at + plane * this.count + i];
    }
    if (header.as === "dict") return header.values[value];
    return header.missing && value === 0 ? MISSING : value + header.base;
  }

  // What slice i says under the key: a number, a text, a list of numbers, or undefined.
  value(key, i) {
    const header = this.headers[key];
    if (!header) return undefined;
    if (header.counts) {
      const { offsets, items } = this.list(key);
      return Array.from(items.subarray(offsets[i], offsets[i + 1]));
    }
    const value = this.one(header, key, i);
    if (header.texts) return header.texts[value] ?? undefined;
    return value === MISSING ? undefined : value;
  }
}
