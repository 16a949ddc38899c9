// SPDX-License-Identifier: BSD-3-Clause
// The timeline's controls: which runs, which range of time, which request; mouse and keyboard.

const ROW_HEIGHTS = [16, 13, 9];
const SHORTEST = 1000; // ps in view
const DEFAULT_GROUPS = ["host requests", "firmware", "channels", "dies"];

class TimelinePage {
  constructor(runs) {
    this.runs = runs;
    this.views = Array.from(document.querySelectorAll(".tl-box"), (box) => new TimelineView(box));
    this.range = { from: 0, to: 1 };
    this.followed = [null, null];
    this.number = null;
    this.selected = null;
    this.active = 0; // the view that keys act on
    this.focusTracks = [null, null];
    this.frame = 0;
    this.find = (id) => document.getElementById(`tl-${id}`);
    this.groupBoxes = Array.from(document.querySelectorAll("[data-group]"));
  }

  async open() {
    this.fillChoices();
    await this.showRuns();
    this.fit();
    this.draw();
    performance.mark("tlmssd-timeline-drawn");
    this.listen();
    document.getElementById("timeline-app").dataset.ready = "1";
    this.announce(`Timeline of ${this.shownRuns().map((run) => run.name).join(" and ")} is drawn.`);
    await this.details();
    performance.mark("tlmssd-timeline-details");
  }

  // Unpack what is shown by an overview only, a group at a time.
  async details() {
    const wanted = () => this.shownRuns().flatMap((run) => this.groups()
      .filter((name) => run.packed.has(name) && !run.ready(name)).map((name) => [run, name]));
    if (!wanted().length) return;
    const told = "The picture is an overview; its slices are being unpacked ...";
    this.announce(told);
    for (let next = wanted()[0]; next; [next] = wanted()) {
      const [run, name] = next;
      await run.load(name);
      this.draw();
      await pause();
    }
    if (this.find("status").textContent === told) this.announce("All slices are unpacked.");
  }

  // Do what needs the slices of the run: at once where they are there.
  async withDetails(act) {
    await this.details();
    act();
  }

  fillChoices() {
    this.views.forEach((_, place) => {
      const select = this.find(`run-${place}`);
      if (place > 0) select.append(element("option", "none", { value: "" }));
      for (const run of this.runs) select.append(element("option", run.name, { value: run.index }));
    });
    const [first, last] = (this.find("run-0").dataset.start ?? "").split(" ");
    if (this.runs.some((run) => String(run.index) === first)) this.find("run-0").value = first;
    this.find("run-1").value = this.runs.length > 1 ? last : "";
    const present = new Set(this.runs.flatMap((run) => run.groupNames()));
    for (const box of this.groupBoxes) {
      box.closest("label").hidden = !present.has(box.dataset.group);
      box.checked = DEFAULT_GROUPS.includes(box.dataset.group);
    }
  }

  runAt(place) {
    const value = this.find(`run-${place}`).value;
    return value === "" ? null : this.runs.find((run) => String(run.index) === value);
  }

  shownRuns() { return this.views.map((view) => view.run).filter((run) => run); }

  groups() {
    return this.groupBoxes.filter((box) => box.checked).map((box) => box.dataset.group);
  }

  // Get what is to be seen, then lay out the rows.
  async showRuns() {
    const groups = this.groups();
    const runs = this.views.map((_, place) => this.runAt(place));
    await Promise.all(runs.flatMap((run) => (run
      ? [run.show(groups.filter((name) => run.packed.has(name)))] : [])));
    const shown = Math.max(1, runs.filter((run) => run).length);
    this.views.forEach((view, place) => {
      const run = runs[place];
      const panel = view.box.closest(".tl-panel");
      panel.hidden = !run;
      this.find(`name-${place}`).textContent = run ? run.name : "";
      view.box.setAttribute("aria-label", run ? `Timeline of ${run.name}` : "no run");
      panel.querySelector(".cut").hidden = !run || run.cutAt === null;
      const share = shown > 1 ? 0.46 : 0.8; // both in one window, under each other
      const room = Math.max(260, Math.round(window.innerHeight * share));
      const chosen = Number(this.find("rows").value);
      for (const height of chosen ? [chosen] : ROW_HEIGHTS) { // the first that fits, else the last
        view.setRun(run, groups, height, MAX_SHAPES / shown);
        if (view.total + 2 <= room) break;
      }
      view.box.style.height = `${Math.min(view.total + 2, room)}px`;
    });
    this.showLegend(groups);
  }

  showLegend(groups) {
    const legend = this.find("legend");
    legend.replaceChildren();
    for (const name of groups) {
      if (!this.shownRuns().some((run) => run.packed.has(name))) continue;
      const list = element("ul");
      for (const [kind, text] of LEGEND[name] ?? []) {
        const item = element("li", text);
        item.prepend(swatch(kind));
        list.append(item);
      }
      const box = element("div");
      box.append(element("b", name), list);
      legend.append(box);
    }
  }

  whole() { return Math.max(1, ...this.shownRuns().map((run) => run.end)); }

  setRange(from, to) {
    const whole = this.whole();
    const span = Math.min(Math.max(to - from, SHORTEST), whole * 1.02);
    const middle = (from + to) / 2;
    const low = Math.min(Math.max(middle - span / 2, -0.01 * whole), whole * 1.01 - span);
    this.range = { from: low, to: low + span };
    this.redraw();
  }

  fit() { this.setRange(-0.01 * this.whole(), 1.01 * this.whole()); }

  zoom(factor, at = (this.range.from + this.range.to) / 2) {
    const { from, to } = this.range;
    this.setRange(at - (at - from) * factor, at + (to - at) * factor);
  }

  pan(part) {
    const span = this.range.to - this.range.from;
    this.setRange(this.range.from + part * span, this.range.to + part * span);
  }

  redraw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  draw() {
    this.views.forEach((view, place) => view.draw(this.range, this.followed[place], this.selected,
      place === this.active ? this.focusTracks[place] : null));
    const span = this.range.to - this.range.from;
    this.find("range").textContent = `Shown: ${timeText(this.range.from, this.range.to)} to `
      + `${timeText(this.range.to)}, ${timeText(span)} wide`;
  }

  announce(text) { this.find("status").textContent = text; }

  // Highlight a request in every shown run that has it. `frame`: move the range to it.
  async follow(number, { frame = false, place = this.active } = {}) {
    if (!this.shownRuns().every((run) => run.complete())) this.announce("Unpacking slices ...");
    await Promise.all(this.shownRuns().map((run) => run.loadAll()));
    this.number = number;
    this.followed = this.views.map((view) => (view.run ? followRequest(view.run, number) : null));
    const chosen = this.followed[place]?.host ?? this.followed.find((one) => one?.host)?.host;
    if (chosen && frame) {
      const { group } = chosen.track;
      const length = group.end[chosen.slice] - group.start[chosen.slice];
      const margin = 0.12 * length;
      this.setRange(group.start[chosen.slice] - margin, group.end[chosen.slice] + margin);
    }
    this.find("number").value = number;
    this.showFollowed();
    this.redraw();
  }

  showFollowed() {
    const details = this.find("details");
    details.replaceChildren();
    const found = this.followed.filter((one) => one);
    if (!found.length) {
      this.announce(`No shown run has a request ${this.number} in its timeline.`);
      return;
    }
    const texts = found.map((one) => followedText(one, one.run.name));
    if (found.length > 1) texts.push(comparisonText(found));
    this.announce(texts.join(" "));
    for (const one of found) {
      const box = element("div", undefined, { class: "scroll" });
      const table = partsTable(one, one.run.name, async (part) => {
        await this.reveal(part.track.group.name);
        this.select(this.placeOf(one.run), part);
      });
      box.append(table);
      const column = element("div");
      column.append(box);
      details.append(column);
      addTools(table);
    }
  }

  // Show a group of tracks that is hidden.
  async reveal(group) {
    const box = this.groupBoxes.find((one) => one.dataset.group === group);
    if (!box || box.checked) return;
    box.checked = true;
    await this.showRuns();
  }

  placeOf(run) { return Math.max(0, this.views.findIndex((view) => view.run === run)); }

  stopFollowing() {
    this.number = null;
    this.followed = [null, null];
    this.selected = null;
    this.find("details").replaceChildren();
    this.announce("No request is followed.");
    this.redraw();
  }

  // The request before or after the followed one, by the firmware's numbers.
  async step(direction) {
    const run = this.views[this.active].run ?? this.shownRuns()[0];
    const group = run.group("host requests");
    if (!group) return;
    if (!group.ready) await run.load(group.name);
    run.sortedNumbers ??= Float64Array.from(group.columns.get("request")).sort();
    const numbers = run.sortedNumbers;
    const middle = (this.range.from + this.range.to) / 2;
    let next;
    if (this.number === null) {
      const nearest = group.start.reduce((best, start, i) => (
        Math.abs(start - middle) < Math.abs(group.start[best] - middle) ? i : best), 0);
      next = group.columns.get("request")[nearest];
    } else {
      const at = firstEndingAfter(numbers, 0, numbers.length, this.number);
      const mine = firstEndingAfter(numbers, 0, at, this.number - 1);
      next = direction > 0 ? numbers[at] : numbers[mine - 1];
    }
    if (next === undefined) this.announce("There is no further request.");
    else this.follow(next, { frame: true });
  }

  // Select one slice, and show what is known about it.
  select(place, part) {
    this.active = place;
    this.focusTracks[place] = part.track;
    const view = this.views[place];
    this.selected = part.slice < 0 ? null : { ...part, run: view.run };
    this.scrollTo(view, part.track);
    if (this.selected) {
      const { group } = part.track;
      const [start, end] = [group.start[part.slice], group.end[part.slice]];
      if (end < this.range.from || start > this.range.to) {
        const half = (this.range.to - this.range.from) / 2;
        this.setRange((start + end) / 2 - half, (start + end) / 2 + half);
      }
      this.announce(`${sliceText(part)}; ${factText(part)}.`);
    } else {
      this.announce(`${part.track.name}: nothing here.`);
    }
    this.redraw();
  }

  scrollTo(view, track) {
    const row = view.rowOf(track);
    if (!row) return;
    const top = view.box.scrollTop;
    if (row.y - HEAD < top + AXIS) view.box.scrollTop = row.y - AXIS - HEAD;
    else if (row.y + row.height > top + view.height) {
      view.box.scrollTop = row.y + row.height - view.height + 4;
    }
  }

  // Click or Enter: select the slice and follow its request.
  async choose(place, part) {
    if (!part.track.group.ready) return;
    this.select(place, part);
    if (part.slice < 0) return;
    const { run } = this.views[place];
    await run.loadAll();
    const numbers = requestsAt(run, part);
    if (numbers.length && !numbers.includes(this.number)) await this.follow(numbers[0], { place });
    const others = numbers.length > 1 ? ` It serves requests ${numbers.join(", ")}.` : "";
    const none = numbers.length ? "" : " No request is named by it.";
    this.announce(`${sliceText(part)}; ${factText(part)}.${others}${none} ${numbers.length
      ? this.followed.filter((one) => one).map((one) => followedText(one, one.run.name)).join(" ")
      : ""}`);
  }

  // What is on the screen, for tests and for the browser's console.
  state() {
    return {
      from: this.range.from, to: this.range.to, number: this.number,
      runs: this.views.map((view) => view.run?.name ?? null),
      shapes: this.views.reduce((sum, view) => sum + view.shapes, 0),
      selected: this.selected && describe(this.selected),
      followed: this.followed.map((one) => one && { parts: one.parts.map(describe),
        arrows: one.arrows.map((arrow) => [arrow.submit, arrow.track.group.start[arrow.slice]]) }),
    };
  }
}

function describe({ track, slice }) {
  return { group: track.group.name, track: track.name, name: track.group.text(slice),
    start: track.group.start[slice], end: track.group.end[slice] };
}
