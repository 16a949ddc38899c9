// SPDX-License-Identifier: BSD-3-Clause
// Mouse, wheel, touch and keys of the timeline; the buttons of its toolbar.

const SLICE_KEYS = new Set(["ArrowUp", "ArrowDown", ",", "."]); // mean the slices in view

Object.assign(TimelinePage.prototype, {
  listen() {
    this.views.forEach((view, place) => this.listenToView(view, place));
    const buttons = {
      in: () => this.zoom(0.5), out: () => this.zoom(2), fit: () => this.fit(),
      left: () => this.pan(-0.3), right: () => this.pan(0.3),
      previous: () => this.step(-1), next: () => this.step(1), clear: () => this.stopFollowing(),
      frame: () => this.number !== null && this.follow(this.number, { frame: true }),
    };
    for (const [name, act] of Object.entries(buttons)) {
      this.find(name).addEventListener("click", act);
    }
    this.find("form").addEventListener("submit", (event) => {
      event.preventDefault();
      const number = Number(this.find("number").value);
      if (this.find("number").value !== "") this.follow(number, { frame: true });
    });
    const again = async () => {
      const whole = this.whole();
      await this.showRuns();
      this.details();
      if (this.whole() !== whole) this.setRange(this.range.from, this.range.to);
      if (this.number !== null) await this.follow(this.number);
      this.redraw();
    };
    for (const id of ["run-0", "run-1", "rows"]) this.find(id).addEventListener("change", again);
    for (const box of this.groupBoxes) box.addEventListener("change", again);
    const resized = new ResizeObserver(() => this.redraw()); // the window's, and by its corner
    for (const view of this.views) resized.observe(view.box);
    for (const button of document.querySelectorAll("[data-show-request]")) {
      button.addEventListener("click", () => this.jump(button));
    }
  },

  // From the table of worst requests to the timeline, at that request.
  async jump(button) {
    const index = button.dataset.showRun;
    if (!this.views.some((view) => String(view.run?.index) === index)) {
      this.find("run-0").value = index;
      await this.showRuns();
    }
    const place = this.views.findIndex((view) => String(view.run?.index) === index);
    this.active = place;
    await this.follow(Number(button.dataset.showRequest), { frame: true, place });
    document.getElementById("timeline").scrollIntoView();
    const view = this.views[place];
    view.box.focus({ preventScroll: true });
    const host = this.followed[place]?.host;
    if (host) this.scrollTo(view, host.track);
  },

  listenToView(view, place) {
    const { box, canvas } = view;
    box.addEventListener("scroll", () => this.redraw());
    box.addEventListener("focus", () => { this.active = place; this.redraw(); });
    box.addEventListener("keydown", (event) => {
      if (event.altKey || event.metaKey) return;
      if (this.key(event, view, place)) event.preventDefault();
    });
    canvas.addEventListener("wheel", (event) => this.wheel(event, view), { passive: false });
    this.listenToPointer(view, place);
  },

  // The wheel zooms once the timeline has the focus (a click), so that a page being scrolled
  // does not get stuck in it; with Ctrl always. Over the names it scrolls the rows.
  wheel(event, view) {
    const { x } = point(event, view);
    if (x < GUTTER || (document.activeElement !== view.box && !event.ctrlKey)) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.pan((event.deltaX || event.deltaY) * lines / view.plotWidth);
    } else {
      const strength = Math.max(-1, Math.min(1, event.deltaY * lines / 100));
      this.zoom(2 ** (strength * 0.5), view.timeAt(x, this.range));
    }
  },

  listenToPointer(view, place) {
    const { box, canvas } = view;
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      box.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      drag = { ...point(event, view), range: { ...this.range }, scroll: box.scrollTop,
        moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = point(event, view);
      if (!drag) { this.tooltip(view, event, now); return; }
      if (Math.abs(now.x - drag.x) + Math.abs(now.y - drag.y) > 4) drag.moved = true;
      if (!drag.moved) return;
      this.tooltip(null);
      const span = drag.range.to - drag.range.from;
      const shift = (drag.x - now.x) / view.plotWidth * span;
      box.scrollTop = drag.scroll + drag.y - now.y;
      this.setRange(drag.range.from + shift, drag.range.to + shift);
    });
    const end = (event) => {
      const was = drag;
      drag = null;
      if (!was || was.moved || event.type === "pointercancel") return;
      const { x, y } = point(event, view);
      const { range } = this;
      const choose = () => {
        const part = view.hit(x, y, range);
        if (part) this.choose(place, part);
      };
      if (view.hit(x, y, range)?.track.group.ready === false) this.withDetails(choose);
      else choose();
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => this.tooltip(null));
  },

  tooltip(view, event, at) {
    const tip = this.find("tip");
    const part = view?.hit(at.x, at.y, this.range);
    tip.hidden = !part || part.slice < 0;
    if (tip.hidden) return;
    tip.replaceChildren(element("b", sliceText(part)), element("br"), factText(part));
    tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8)}px`;
  },

  // Whether the key means something here.
  key(event, view, place) {
    const acts = {
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      _: () => this.zoom(2), 0: () => this.fit(), Home: () => this.fit(),
      ArrowLeft: () => this.pan(event.shiftKey ? -0.9 : -0.15),
      ArrowRight: () => this.pan(event.shiftKey ? 0.9 : 0.15),
      ArrowUp: () => this.otherTrack(view, place, -1),
      ArrowDown: () => this.otherTrack(view, place, 1),
      ",": () => this.otherSlice(view, place, -1), ".": () => this.otherSlice(view, place, 1),
      n: () => this.step(1), p: () => this.step(-1), Escape: () => this.stopFollowing(),
      f: () => this.number !== null && this.follow(this.number, { frame: true }),
      Enter: () => this.selected && this.choose(place, this.selected),
    };
    const act = event.ctrlKey ? undefined : acts[event.key];
    const whole = this.groups().every((name) => !view.run.packed.has(name) || view.run.ready(name));
    if (act && SLICE_KEYS.has(event.key) && !whole) this.withDetails(act);
    else if (act) act();
    return Boolean(act);
  },

  otherTrack(view, place, direction) {
    const rows = view.rows.filter((row) => row.track);
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.track === this.focusTracks[place]);
    const next = at < 0 ? (direction > 0 ? 0 : rows.length - 1)
      : Math.min(rows.length - 1, Math.max(0, at + direction));
    const { track } = rows[next];
    this.select(place, { track, slice: nearestSlice(track, this.cursor(), this.range) });
  },

  otherSlice(view, place, direction) {
    const track = this.focusTracks[place] ?? view.rows.find((row) => row.track)?.track;
    if (!track) return;
    const mine = this.selected?.track === track ? this.selected.slice : -1;
    const next = mine < 0 ? nearestSlice(track, this.cursor(), this.range) : mine + direction;
    if (next >= track.first && next < track.last) this.select(place, { track, slice: next });
    else this.announce(`${track.name}: no further slice.`);
  },

  // The time that the keyboard looks at.
  cursor() {
    const { from, to } = this.range;
    if (this.selected) {
      const { group } = this.selected.track;
      const start = Math.max(from, group.start[this.selected.slice]);
      const end = Math.min(to, group.end[this.selected.slice]);
      if (start <= end) return (start + end) / 2;
    }
    return (from + to) / 2;
  },
});

// The track's slice in view that is nearest to the time, -1 where none is in view.
function nearestSlice(track, time, range) {
  const [low, high] = inView(track, range.from, range.to);
  if (low === high) return -1;
  const { start, end } = track.group;
  const next = Math.min(high - 1, firstEndingAfter(end, low, high, time));
  if (next === low || start[next] <= time) return next;
  return start[next] - time < time - end[next - 1] ? next : next - 1;
}

function point(event, view) {
  const place = view.canvas.getBoundingClientRect();
  return { x: event.clientX - place.left, y: event.clientY - place.top };
}

function startTimeline() {
  const data = document.getElementById("timeline-data");
  const message = document.getElementById("tl-status");
  if (!data || !message) return; // no run has a timeline
  if (typeof DecompressionStream === "undefined") {
    message.textContent = "The timeline needs a browser with DecompressionStream "
      + "(Chrome 80, Firefox 113, Safari 16.4 or later). All else on this page works without.";
    return;
  }
  const runs = JSON.parse(data.textContent).map((packed) => new RunTimeline(packed.index, packed));
  const page = new TimelinePage(runs);
  window.tlmssdTimeline = page;
  theme.changed.push(() => page.draw());
  page.open().catch((error) => {
    message.textContent = `The timeline could not be opened: ${error}`;
    throw error;
  });
}

startTimeline();
