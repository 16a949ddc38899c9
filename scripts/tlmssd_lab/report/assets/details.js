// SPDX-License-Identifier: BSD-3-Clause
// What the page says, in words, about a slice or a followed request. Text goes in as text only.

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const HIDDEN_COLUMNS = new Set(["gap", "turn", "duration", "start", "end", "name", "kind"]);

// [[key, text], ...] of what a slice carries.
function facts({ track, slice }) {
  const { columns } = track.group;
  const found = [];
  for (const [key, header] of Object.entries(columns.headers)) {
    if (HIDDEN_COLUMNS.has(key)) continue;
    const value = columns.value(key, slice);
    if (value === undefined || (Array.isArray(value) && !value.length)) continue;
    const label = header.unit === "ps" ? key.replace(/_us$/, "") : key;
    const text = header.unit === "ps" ? timeText(value)
      : Array.isArray(value) ? value.join(", ") : String(value);
    found.push([label, text]);
  }
  return found;
}

function factText(part, without) {
  return facts(part).filter(([key]) => key !== without)
    .map(([key, text]) => `${key} ${text}`).join("; ");
}

function sliceText({ track, slice }) {
  const { group } = track;
  const length = group.end[slice] - group.start[slice];
  return `${track.name}: ${group.text(slice)}, from ${timeText(group.start[slice])}, `
    + `for ${timeText(length)}`;
}

function followedText(followed, name) {
  const { host, number, operations } = followed;
  const count = `${operations.length} flash operation${operations.length === 1 ? "" : "s"}`;
  if (!host) return `${name}: request ${number} is outside the timeline; ${count} name it.`;
  const { group } = host.track;
  const length = group.end[host.slice] - group.start[host.slice];
  return `${name}: request ${number}, ${group.text(host.slice)} of `
    + `${group.columns.value("bytes", host.slice) ?? 0} bytes at LBA `
    + `${group.columns.value("lba", host.slice) ?? "?"}, ${host.track.name}, `
    + `took ${timeText(length)}; ${count}.`;
}

const MAX_ROWS = 200;

// A table of everything that belongs to the followed request; each row's button selects it.
function partsTable(followed, name, select) {
  const table = element("table");
  table.append(element("caption", `What belongs to request ${followed.number} in ${name}`));
  const head = element("tr");
  for (const title of ["after issue", "lasts", "track", "what", "more"]) {
    head.append(element("th", title, { scope: "col" }));
  }
  table.append(element("thead"));
  table.tHead.append(head);
  const body = element("tbody");
  const issue = followed.host ? followed.host.track.group.start[followed.host.slice] : 0;
  const hostEnd = followed.host ? followed.host.track.group.end[followed.host.slice] : Infinity;
  const arrowed = new Set(followed.arrows.map((arrow) => arrow.slice));
  for (const part of followed.parts.slice(0, MAX_ROWS)) {
    const { track, slice } = part;
    const { group } = track;
    const row = element("tr");
    const after = group.start[slice] - issue;
    const length = group.end[slice] - group.start[slice];
    row.append(element("td", after === 0 ? "0" : timeText(after, Math.abs(after)),
      { class: "n", "data-sort": after }));
    row.append(element("td", timeText(length), { class: "n", "data-sort": length }));
    row.append(element("td", track.name));
    const what = element("td");
    const button = element("button", group.text(slice), { type: "button", class: "link" });
    button.prepend(swatch(KIND_NAMES[group.kinds[slice]]));
    button.addEventListener("click", () => select(part));
    what.append(button);
    row.append(what);
    let more = factText(part, part.track.group.name === "dies" ? undefined : "request");
    if (group.name === "dies" && !arrowed.has(slice)) {
      const late = group.start[slice] >= hostEnd;
      more = `${late ? "after the request had ended; " : "no arrow; "}${more}`;
    }
    row.append(element("td", more, { class: "more" }));
    body.append(row);
  }
  table.append(body);
  if (followed.parts.length > MAX_ROWS) {
    table.caption.append(` (the first ${MAX_ROWS} of ${followed.parts.length})`);
  }
  return table;
}

// Whether two runs mean the same request by this number, and what it took in each.
function comparisonText([one, other]) {
  if (!one?.host || !other?.host) return "";
  const [a, b] = [one.host, other.host];
  const same = ["lba", "bytes"].every((key) => a.track.group.columns.value(key, a.slice)
    === b.track.group.columns.value(key, b.slice))
    && a.track.group.text(a.slice) === b.track.group.text(b.slice);
  if (!same) return "The two runs give this number to different requests.";
  const took = [a, b].map(({ track, slice }) => track.group.end[slice] - track.group.start[slice]);
  const difference = took[1] - took[0];
  if (difference === 0) return "The same request took the same time in both runs.";
  return `The same request took ${timeText(Math.abs(difference))} `
    + `${difference > 0 ? "longer" : "less"} in ${other.run.name} than in ${one.run.name}.`;
}
