// SPDX-License-Identifier: BSD-3-Clause
// What slices look like: Okabe-Ito colours, and a pattern each, so that colour is never needed.
// Which slice is of which kind is told by the packed column `kind` (kinds.py, in this order).

const PATTERNS = {
  plain: () => false,
  rising: (x, y) => (x + y) % 8 < 3,
  falling: (x, y) => (x - y + 800) % 8 < 3,
  cross: (x, y) => (x + y) % 8 < 1 || (x - y + 800) % 8 < 1,
  upright: (x) => x % 4 < 1,
  level: (x, y) => y % 4 < 1,
  dots: (x, y) => (x % 8 < 2 && y % 4 < 2) || ((x + 4) % 8 < 2 && (y + 2) % 4 < 2),
};

const KINDS = {
  read: { colour: "#7cc4f0", ink: "#56b4e9", pattern: "plain" },
  write: { colour: "#f0b429", ink: "#7a5200", pattern: "rising" },
  erase: { colour: "#d55e00", ink: "#5c1f00", pattern: "cross" },
  reset: { colour: "#e3aecb", ink: "#8c3d68", pattern: "upright" },
  gcRead: { colour: "#0072b2", ink: "#a9d6f2", pattern: "dots" },
  gcWrite: { colour: "#009e73", ink: "#00412f", pattern: "falling" },
  control: { colour: "#8a8f98", ink: "#8a8f98", pattern: "plain" },
  queue: { colour: "#f0e442", ink: "#8f8500", pattern: "level" },
  cache: { colour: "#f7f1a0", ink: "#b3a800", pattern: "dots" },
  hil: { colour: "#7cc4f0", ink: "#56b4e9", pattern: "plain" },
  buffer: { colour: "#f0b429", ink: "#7a5200", pattern: "rising" },
  ftl: { colour: "#009e73", ink: "#00412f", pattern: "falling" },
  sched: { colour: "#e3aecb", ink: "#8c3d68", pattern: "upright" },
};
const KIND_NAMES = Object.keys(KINDS);

const LEGEND = {
  "host requests": [["read", "READ"], ["write", "WRITE"], ["reset", "FLUSH"], ["erase", "TRIM"]],
  "link": [["write", "data frame"], ["control", "other frame"]],
  "firmware": [["hil", "mostly hil"], ["buffer", "mostly buffer"], ["ftl", "mostly ftl"],
    ["sched", "mostly sched"], ["control", "event loop"]],
  "channels": [["read", "data out"], ["write", "program (data in)"], ["erase", "erase"],
    ["control", "command, status"]],
  "dies": [["read", "READ"], ["write", "PROGRAM"], ["erase", "ERASE"], ["reset", "RESET"],
    ["gcRead", "READ by garbage collection"], ["gcWrite", "PROGRAM by garbage collection"]],
  "planes": [["read", "READ"], ["write", "PROGRAM"], ["erase", "ERASE"], ["reset", "RESET"],
    ["queue", "QUEUE"], ["cache", "CACHE"]],
};

// Indices of the kinds that occur, ascending.
function kindsPresent(kinds) {
  const met = new Uint8Array(KIND_NAMES.length);
  for (let i = 0; i < kinds.length; i++) met[kinds[i]] = 1;
  return KIND_NAMES.map((_, kind) => kind).filter((kind) => met[kind]);
}

const TILE = 16; // pixels: a power of two, and a multiple of every pattern's period

function rgba(colour) {
  const value = parseInt(colour.slice(1), 16);
  return 0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16);
}

// Tiles of TILE x TILE pixels, one a kind, as 32-bit colours (little endian, as canvas has them).
const KIND_TILES = KIND_NAMES.map((name) => {
  const { colour, ink, pattern } = KINDS[name];
  const tile = new Uint32Array(TILE * TILE);
  for (let y = 0; y < TILE; y++) {
    for (let x = 0; x < TILE; x++) {
      tile[y * TILE + x] = rgba(PATTERNS[pattern](x, y) ? ink : colour);
    }
  }
  return tile;
});

const KIND_CANVASES = KIND_TILES.map((tile) => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = TILE;
  const data = new ImageData(new Uint8ClampedArray(tile.buffer), TILE, TILE);
  canvas.getContext("2d").putImageData(data, 0, 0);
  return canvas;
});

function swatch(kind) {
  const element = document.createElement("span");
  element.className = "swatch";
  const url = KIND_CANVASES[KIND_NAMES.indexOf(kind)].toDataURL();
  element.style.backgroundImage = `url(${url})`;
  return element;
}
