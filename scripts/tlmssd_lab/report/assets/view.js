// SPDX-License-Identifier: BSD-3-Clause
// One picture of a run's tracks: rows, axis, highlights and arrows on a canvas, and what lies
// under a point of it.

const GUTTER = 118; // CSS pixels for the names of tracks
const AXIS = 22;
const HEAD = 17; // row with the name of a group
const MAX_SHAPES = 4000; // a frame, all views together
const NARROW = { "host requests": 0.38, planes: 0.5, dies: 0.7 }; // height of rows where many

class TimelineView {
  constructor(box) {
    this.box = box; // scrolls
    this.spacer = box.querySelector(".spacer");
    this.canvas = box.querySelector("canvas");
    this.context = this.canvas.getContext("2d");
    this.run = null;
    this.shapes = 0; // drawn in the last frame
    this.rows = [];
  }

  setRun(run, groups, rowHeight, maxShapes) {
    this.maxShapes = maxShapes;
    this.run = run;
    this.rows = [];
    let y = AXIS;
    for (const name of run ? groups : []) {
      const group = run.group(name);
      if (!group) continue;
      this.rows.push({ head: name, y, height: HEAD });
      y += HEAD;
      const share = group.tracks.length > 12 ? NARROW[name] ?? 1 : 1;
      const height = Math.max(4, Math.round(rowHeight * share));
      group.tracks.forEach((track, index) => {
        const named = height >= 9 || index % Math.ceil(9 / height) === 0;
        this.rows.push({ track, y, height, named });
        y += height;
      });
    }
    this.total = y + 4;
    this.spacer.style.height = `${this.total}px`;
  }

  get width() { return this.box.clientWidth; }

  get height() { return this.box.clientHeight; }

  get plotWidth() { return Math.max(50, this.width - GUTTER); }

  x(time, range) { return GUTTER + (time - range.from) / (range.to - range.from) * this.plotWidth; }

  timeAt(x, range) {
    return range.from + (x - GUTTER) / this.plotWidth * (range.to - range.from);
  }

  rowsInView() {
    const top = this.box.scrollTop;
    return this.rows.filter((row) => row.y + row.height > top + AXIS && row.y < top + this.height);
  }

  rowOf(track) { return this.rows.find((row) => row.track === track); }

  // The track and slice at a point of the canvas; slice -1 where nothing happens. Slices that are
  // narrower than four pixels are found by the nearest within reach.
  hit(x, y, range) {
    const line = y + this.box.scrollTop;
    const row = this.rows.find((one) => line >= one.y && line < one.y + one.height);
    if (!row || !row.track || x < GUTTER || y < AXIS) return null;
    const { track } = row;
    const time = this.timeAt(x, range);
    if (!track.group.ready) return { track, slice: -1, time };
    let slice = track.group.at(track, time);
    if (slice < 0) {
      const reach = 2 * (range.to - range.from) / this.plotWidth;
      const next = firstEndingAfter(track.group.end, track.first, track.last, time);
      if (next < track.last && track.group.start[next] - time <= reach) slice = next;
      else if (next > track.first && time - track.group.end[next - 1] <= reach) slice = next - 1;
    }
    return { track, slice, time };
  }

  draw(range, followed, selected, focusTrack) {
    const scale = window.devicePixelRatio || 1;
    const { canvas, context, width, height } = this;
    const [pixelsX, pixelsY] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== pixelsX || canvas.height !== pixelsY) {
      canvas.width = pixelsX;
      canvas.height = pixelsY;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = theme.canvas.paper;
    context.fillRect(0, 0, width, height);
    this.shapes = 0;
    if (!this.run) return;
    const rows = this.rowsInView();
    const { step, ticks } = ticksOf(range.from, range.to);
    context.fillStyle = theme.canvas.grid;
    for (const tick of ticks) context.fillRect(Math.round(this.x(tick, range)), AXIS, 1, height);
    this.drawRows(rows, range, scale);
    if (this.run.cutAt !== null) this.drawCut(range);
    if (followed) this.drawFollowed(followed, range);
    if (selected && selected.run === this.run) this.drawSelected(selected, range);
    this.drawGutter(rows, focusTrack);
    this.drawAxis(step, ticks, range);
  }

  drawRows(rows, range, scale) {
    const tracks = rows.filter((row) => row.track);
    this.context.fillStyle = theme.canvas.head;
    for (const row of rows) {
      if (row.head) this.context.fillRect(0, row.y - this.box.scrollTop, this.width, HEAD - 1);
    }
    const budget = Math.floor(this.maxShapes / Math.max(1, tracks.length));
    const plot = this.plotWidth;
    for (const row of tracks) {
      const y = row.y - this.box.scrollTop;
      const { ready } = row.track.group;
      const [low, high] = ready ? inView(row.track, range.from, range.to) : [0, Infinity];
      this.context.fillStyle = theme.canvas.track;
      this.context.fillRect(GUTTER, y + row.height - 1, plot, 1);
      if (low === high) continue;
      if (high - low <= Math.min(budget, plot / 3)) {
        this.drawSlices(row, y, low, high, range);
      } else {
        const deviceWidth = Math.round(plot * scale);
        const deviceHeight = Math.round((row.height - 2) * scale);
        const image = new ImageData(deviceWidth, deviceHeight);
        (ready ? drawDense : drawOverview)(row.track, range.from, range.to, deviceWidth, deviceHeight,
          new Uint32Array(image.data.buffer));
        this.context.putImageData(image, Math.round(GUTTER * scale), Math.round((y + 1) * scale));
        this.shapes += 1;
      }
    }
  }

  drawSlices(row, y, low, high, range) {
    const { start, kinds } = row.track.group;
    for (let i = low; i < high; i++) {
      const [x0, x1] = this.span(row.track.group, i, range);
      this.context.fillStyle = this.pattern(kinds[i]);
      this.context.fillRect(x0, y + 1, Math.max(1, x1 - x0), row.height - 2);
      if (x1 - x0 > 4 && row.height < 8) {
        this.context.fillStyle = "rgba(0,0,0,0.6)";
        this.context.fillRect(x0, y + 1, 1, row.height - 2);
      } else if (x1 - x0 > 4) {
        this.context.strokeStyle = theme.canvas.slice;
        this.context.lineWidth = 0.8;
        this.context.strokeRect(x0 + 0.5, y + 1.5, x1 - x0 - 1, row.height - 3);
      }
      this.shapes += 1;
      if (x1 - x0 > 34 && row.height >= 11 && start[i] < range.to) {
        this.label(row.track.group, i, x0, x1, y, row.height);
      }
    }
  }

  // Left and right edge of a slice, clipped to the plot.
  span(group, i, range) {
    return [Math.max(GUTTER, this.x(group.start[i], range)),
      Math.min(this.width, this.x(group.end[i], range))];
  }

  label(group, i, x0, x1, y, height) {
    const { context } = this;
    const number = group.columns.has("request") && group.name === "host requests"
      ? ` ${group.columns.value("request", i)}` : "";
    const text = group.text(i) + number;
    context.font = `${Math.min(11, height - 3)}px system-ui, sans-serif`;
    const width = context.measureText(text).width;
    if (width + 8 > x1 - x0) return;
    context.fillStyle = "rgba(255,255,255,0.88)";
    context.fillRect(x0 + 3, y + 2, width + 4, height - 4);
    context.fillStyle = "#111";
    context.textBaseline = "middle";
    context.fillText(text, x0 + 5, y + height / 2 + 0.5);
  }

  pattern(kind) {
    this.patterns ??= KIND_CANVASES.map((tile) => this.context.createPattern(tile, "repeat"));
    return this.patterns[kind];
  }

  drawCut(range) {
    const x = Math.max(GUTTER, this.x(this.run.cutAt, range));
    if (x >= this.width) return;
    this.context.fillStyle = theme.canvas.cut;
    this.context.fillRect(x, AXIS, this.width - x, this.height);
  }

  // All else goes pale; the followed request's slices get a frame, and arrows.
  drawFollowed(followed, range) {
    const { context } = this;
    context.fillStyle = theme.canvas.fade;
    context.fillRect(GUTTER, AXIS, this.plotWidth, this.height);
    const { host } = followed;
    if (host) {
      context.fillStyle = theme.canvas.span;
      const [x0, x1] = this.span(host.track.group, host.slice, range);
      context.fillRect(x0, AXIS, Math.max(1, x1 - x0), this.height);
    }
    for (const { track, slice } of followed.parts) {
      const row = this.rowOf(track);
      if (!row) continue;
      const { group } = track;
      if (group.end[slice] < range.from || group.start[slice] > range.to) continue;
      const y = row.y - this.box.scrollTop;
      if (y + row.height < AXIS || y > this.height) continue;
      this.drawSlices(row, y, slice, slice + 1, range);
      const [x0, x1] = this.span(group, slice, range);
      context.strokeStyle = theme.canvas.frame;
      context.lineWidth = 2;
      context.strokeRect(x0 - 0.5, y, Math.max(2, x1 - x0) + 1, row.height - 1);
    }
    for (const arrow of followed.arrows) this.drawArrow(arrow, range);
  }

  drawArrow({ fromTrack, submit, track, slice }, range) {
    const from = this.rowOf(fromTrack);
    const to = this.rowOf(track);
    if (!from || !to) return;
    const { context } = this;
    const top = this.box.scrollTop;
    const [x0, y0] = [this.x(submit, range), from.y + from.height - 1 - top];
    const [x1, y1] = [this.x(track.group.start[slice], range), to.y + to.height / 2 - top];
    if (Math.max(x0, x1) < GUTTER || Math.min(x0, x1) > this.width) return;
    context.save();
    context.beginPath();
    context.rect(GUTTER, AXIS, this.plotWidth, this.height);
    context.clip();
    context.strokeStyle = context.fillStyle = theme.canvas.frame;
    context.lineWidth = 1.4;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0, (y0 + y1) / 2, x1 - 30, y1, x1 - 6, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 7, y1 - 4);
    context.lineTo(x1 - 7, y1 + 4);
    context.fill();
    context.restore();
    this.shapes += 1;
  }

  drawSelected({ track, slice }, range) {
    const row = this.rowOf(track);
    if (!row) return;
    const [x0, x1] = this.span(track.group, slice, range);
    if (x1 < GUTTER || x0 > this.width) return;
    const { context } = this;
    const y = row.y - this.box.scrollTop;
    const place = [x0 - 2, y - 1, Math.max(2, x1 - x0) + 4, row.height + 1];
    context.strokeStyle = theme.canvas.halo;
    context.lineWidth = 4;
    context.strokeRect(...place);
    context.strokeStyle = theme.canvas.selected;
    context.lineWidth = 2;
    context.setLineDash([5, 3]);
    context.strokeRect(...place);
    context.setLineDash([]);
  }

  drawGutter(rows, focusTrack) {
    const { context } = this;
    context.fillStyle = theme.canvas.gutter;
    context.fillRect(0, AXIS, GUTTER, this.height);
    context.textBaseline = "middle";
    for (const row of rows) {
      const y = row.y - this.box.scrollTop;
      if (row.head) {
        context.fillStyle = theme.canvas.head;
        context.fillRect(0, y, GUTTER, row.height - 1);
        context.fillStyle = theme.canvas.ink;
        context.font = "600 11px system-ui, sans-serif";
        context.fillText(row.head, 6, y + row.height / 2);
        continue;
      }
      if (row.track === focusTrack) {
        context.fillStyle = theme.canvas.focus;
        context.fillRect(0, y, GUTTER, row.height);
      }
      if (!row.named && row.track !== focusTrack) continue;
      context.fillStyle = theme.canvas.name;
      context.font = `${Math.max(8, Math.min(11, row.height - 1))}px system-ui, sans-serif`;
      context.fillText(row.track.name, 14, y + row.height / 2 + 0.5);
    }
    context.fillStyle = theme.canvas.line;
    context.fillRect(GUTTER - 1, AXIS, 1, this.height);
  }

  drawAxis(step, ticks, range) {
    const { context } = this;
    context.fillStyle = theme.canvas.paper;
    context.fillRect(0, 0, this.width, AXIS);
    context.fillStyle = theme.canvas.ink;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    let free = GUTTER;
    for (const tick of ticks) {
      const x = this.x(tick, range);
      context.fillRect(Math.round(x), AXIS - 5, 1, 5);
      const text = tickText(tick, step, range.to);
      const left = Math.min(x + 3, this.width - context.measureText(text).width - 2);
      if (left < free) continue;
      context.fillText(text, left, AXIS / 2);
      free = left + context.measureText(text).width + 8;
    }
    context.font = "600 11px system-ui, sans-serif";
    context.fillText("time", 6, AXIS / 2);
    context.fillStyle = theme.canvas.line;
    context.fillRect(0, AXIS - 1, this.width, 1);
  }
}
