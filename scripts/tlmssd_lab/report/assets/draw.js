// SPDX-License-Identifier: BSD-3-Clause
// Drawing of one track. Few slices in view: one shape each. Many: per pixel column the part of its
// time in which the track is busy, by kind, written straight into pixels. What is in view is found
// by binary search, so a frame costs about the same however long the run is.

const EDGE = 0xff4a4a4a;
const FULL = 255; // in the overview: busy all the time
const SUM_STEP = 64; // busy time is summed up every so many slices

// Busy time of each kind of the group in the track before its slices 0, 64, 128, ...
function busySums(track, place) {
  if (track.sums) return track.sums;
  const { start, end, kinds, present } = track.group;
  const count = track.last - track.first;
  const steps = Math.floor(count / SUM_STEP) + 1;
  const sums = present.map(() => new Float64Array(steps));
  const now = new Float64Array(present.length);
  for (let i = 0; i < count; i++) {
    if (i % SUM_STEP === 0) now.forEach((busy, k) => { sums[k][i / SUM_STEP] = busy; });
    now[place[kinds[track.first + i]]] += end[track.first + i] - start[track.first + i];
  }
  if (count % SUM_STEP === 0) now.forEach((busy, k) => { sums[k][steps - 1] = busy; });
  track.sums = sums;
  return sums;
}

// Add to `busy` the time of whole slices [low, high) of the track by kind.
function addWhole(track, low, high, busy, place) {
  const { start, end, kinds } = track.group;
  let i = low;
  if (high - low > 4 * SUM_STEP) {
    const sums = busySums(track, place);
    const firstStep = Math.ceil((low - track.first) / SUM_STEP);
    const lastStep = Math.floor((high - track.first) / SUM_STEP);
    for (; i < track.first + firstStep * SUM_STEP; i++) busy[place[kinds[i]]] += end[i] - start[i];
    for (let k = 0; k < busy.length; k++) busy[k] += sums[k][lastStep] - sums[k][firstStep];
    i = track.first + lastStep * SUM_STEP;
  }
  for (; i < high; i++) busy[place[kinds[i]]] += end[i] - start[i];
}

// First index at or after `low` whose slice ends after `time`; looks near `low` first.
function gallop(end, low, high, time) {
  let step = 1;
  let probe = low;
  while (probe < high && end[probe] <= time) {
    low = probe + 1;
    probe += step;
    step *= 2;
  }
  return firstEndingAfter(end, low, Math.min(probe, high), time);
}

// Fill `pixels` (width x height, 32 bit) with the busy part of each column, stacked from below.
function drawDense(track, from, to, width, height, pixels) {
  const { start, end, kinds, present } = track.group;
  const place = new Int8Array(KIND_NAMES.length);
  present.forEach((kind, index) => { place[kind] = index; });
  const busy = new Float64Array(present.length);
  const perColumn = (to - from) / width;
  let i = firstEndingAfter(end, track.first, track.last, from);
  for (let x = 0; x < width && i < track.last; x++) {
    const t0 = from + x * perColumn;
    const t1 = t0 + perColumn;
    if (start[i] >= t1) continue;
    busy.fill(0);
    const next = gallop(end, i, track.last, t1); // this one may reach into the next column
    let low = i;
    if (start[low] < t0 && low < next) {
      busy[place[kinds[low]]] += end[low] - t0;
      low += 1;
    }
    if (low < next) addWhole(track, low, next, busy, place);
    if (next < track.last && start[next] < t1) {
      busy[place[kinds[next]]] += t1 - Math.max(start[next], t0);
    }
    const edge = next < track.last && start[next] >= t0 && start[next] < t1
      && end[next] - start[next] > 3 * perColumn // a slice wide enough to be told apart begins,
      && next > track.first && start[next] - end[next - 1] < perColumn; // right after another
    i = next;
    paintColumn(pixels, x, width, height, busy, present, perColumn);
    if (edge) for (let y = 0; y < height; y++) pixels[y * width + x] = EDGE;
  }
}

// One column of pixels: the busy time of each kind, as part of the column's, stacked from below.
function paintColumn(pixels, x, width, height, busy, kinds, perColumn) {
  let base = 0;
  let bottom = height;
  for (let k = 0; k < kinds.length; k++) {
    if (busy[k] <= 0) continue;
    base += busy[k];
    const top = Math.max(0, Math.min(bottom - 1, Math.round(height * (1 - base / perColumn))));
    const tile = KIND_TILES[kinds[k]];
    for (let y = top, at = top * width + x; y < bottom; y++, at += width) {
      pixels[at] = tile[(y & (TILE - 1)) * TILE + (x & (TILE - 1))];
    }
    bottom = Math.max(top, 1);
  }
}

// The same from the run's overview, as long as the slices are not unpacked.
function drawOverview(track, from, to, width, height, pixels) {
  const { bins, width: binWidth, kinds, tracks } = track.group.overview;
  const parts = tracks.get(track);
  const busy = new Float64Array(kinds.length);
  const perColumn = (to - from) / width;
  for (let x = 0; x < width; x++) {
    const t0 = from + x * perColumn;
    const t1 = t0 + perColumn;
    const last = Math.min(bins, Math.ceil(t1 / binWidth));
    busy.fill(0);
    for (let bin = Math.max(0, Math.floor(t0 / binWidth)); bin < last; bin++) {
      const shared = Math.min(t1, (bin + 1) * binWidth) - Math.max(t0, bin * binWidth);
      for (let k = 0; k < kinds.length; k++) busy[k] += parts[k * bins + bin] / FULL * shared;
    }
    paintColumn(pixels, x, width, height, busy, kinds, perColumn);
  }
}

// Range [low, high) of the track's slices that are in view.
function inView(track, from, to) {
  const { start, end } = track.group;
  const low = firstEndingAfter(end, track.first, track.last, from);
  let first = low;
  let last = track.last;
  while (first < last) {
    const middle = (first + last) >>> 1;
    if (start[middle] >= to) last = middle; else first = middle + 1;
  }
  return [low, first];
}

// Picoseconds in the unit that fits `span`: "1.234 ms".
function timeText(time, span = Math.abs(time)) {
  if (time === 0) return "0";
  const units = [[1e12, "s"], [1e9, "ms"], [1e6, "\u00b5s"], [1e3, "ns"], [1, "ps"]];
  const [size, unit] = units.find(([limit]) => span >= limit) ?? units[4];
  const shown = time / size;
  const digits = unit === "ps" ? 0
    : Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(span / size))));
  return `${shown.toFixed(digits)} ${unit}`;
}

// Times of 4 to 10 round ticks in [from, to].
function ticksOf(from, to) {
  const raw = (to - from) / 8;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => power * factor >= raw);
  const ticks = [];
  for (let n = Math.ceil(from / step); n * step <= to; n++) ticks.push(n * step);
  return { step, ticks };
}

function tickText(time, step, to) {
  const units = [[1e12, "s"], [1e9, "ms"], [1e6, "\u00b5s"], [1e3, "ns"], [1, "ps"]];
  const [size, unit] = units.find(([limit]) => to >= limit) ?? units[4];
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  return `${(time / size).toFixed(Math.min(digits, 9))} ${unit}`;
}
