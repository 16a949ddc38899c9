// SPDX-License-Identifier: BSD-3-Clause
// Tables that sort by a click or a key on their heading, and that can be copied as tab-separated text.

const NEXT_ORDER = { none: "ascending", ascending: "descending", descending: "none" };
const NUMBER = /^[-+]?[\d,]*\.?\d+(e[-+]?\d+)?( %)?$/i;

// What a cell is sorted by: a number where it is one, null where it is empty.
function sortKey(cell) {
  if (!cell) return null;
  if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
  const text = cell.textContent.trim();
  if (text === "" || text === "\u2013") return null;
  return NUMBER.test(text) ? parseFloat(text.replaceAll(",", "")) : text;
}

// Rows in that order; equal ones keep theirs, and empty cells are last.
function sortedRows(rows, column, order) {
  if (order === "none") return rows;
  const keyed = rows.map((row) => ({ row, key: sortKey(row.cells[column]) }));
  const numbers = keyed.every(({ key }) => key === null || typeof key === "number");
  const compare = numbers ? (a, b) => a - b
    : (a, b) => String(a).localeCompare(String(b), "en", { numeric: true });
  const sign = order === "ascending" ? 1 : -1;
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return sign * compare(a.key, b.key);
  });
  return keyed.map(({ row }) => row);
}

function tableText(table) {
  const line = (row) => Array.from(row.cells, (cell) => cell.textContent.trim().replace(/\s+/g, " ")).join("\t");
  return Array.from(table.rows, line).join("\n") + "\n";
}

// Puts text into the clipboard; false where the browser refuses.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { /* no permission, or no clipboard for pages from files */ }
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("aria-hidden", "true");
  area.className = "offscreen";
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  let done = false;
  try { done = document.execCommand("copy"); } catch { /* refused */ }
  area.remove();
  focused?.focus({ preventScroll: true });
  return done;
}

const copied = new Map(); // button -> its timer
function listenToCopy(button, text) {
  const label = button.textContent;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    button.textContent = await copyText(text()) ? "copied" : "not allowed";
    clearTimeout(copied.get(button));
    copied.set(button, setTimeout(() => { button.textContent = label; }, 2000));
  });
  button.hidden = false;
}

function addSorting(table) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  if (rows.length < 2) return;
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    const word = head.querySelector(".term"); // its explanation stays; one stop for keys is enough
    if (word) {
      button.setAttribute("aria-describedby", word.getAttribute("aria-describedby"));
      button.classList.add("term");
    }
    button.textContent = head.textContent;
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const order = NEXT_ORDER[head.getAttribute("aria-sort")];
      for (const other of heads) other.setAttribute("aria-sort", other === head ? order : "none");
      body.append(...sortedRows(rows, column, order));
    });
  });
}

function addTools(table) {
  if (!table.tHead || !table.tBodies.length) return;
  addSorting(table);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small copy-table";
  button.textContent = "copy table";
  button.setAttribute("aria-label", `Copy the table: ${table.caption?.textContent ?? ""}`);
  listenToCopy(button, () => tableText(table));
  const bar = document.createElement("div");
  bar.className = "table-tools";
  bar.append(button);
  (table.closest(".scroll") ?? table).before(bar);
}

for (const table of document.querySelectorAll("main table")) addTools(table);
for (const button of document.querySelectorAll("[data-copy]")) {
  listenToCopy(button, () => button.dataset.copy);
}
