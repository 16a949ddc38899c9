// SPDX-License-Identifier: BSD-3-Clause
// Light and dark: the reader's choice, else the system's. Paper is light always.

const THEME_KEY = "tlmssd-report-theme";
const SYSTEM_DARK = window.matchMedia("(prefers-color-scheme: dark)");

// Colours of the canvas, which has no style sheet.
const CANVAS_COLOURS = {
  light: { paper: "#fff", grid: "#e8eaee", head: "#e3e7ee", track: "#f1f2f5", gutter: "#f7f8fa",
    ink: "#1d2733", name: "#3b4654", line: "#c3c9d2", focus: "#fbd7ec", fade: "rgba(255,255,255,0.66)",
    span: "rgba(0,0,0,0.045)", frame: "#000", halo: "#fff", selected: "#c4007a", cut: "rgba(120,120,120,0.25)",
    slice: "rgba(0,0,0,0.55)" },
  dark: { paper: "#1a2028", grid: "#2a323d", head: "#2d3744", track: "#262e38", gutter: "#161b22",
    ink: "#e3e8ef", name: "#c2cad4", line: "#4a5563", focus: "#5c2145", fade: "rgba(26,32,40,0.74)",
    span: "rgba(255,255,255,0.07)", frame: "#fff", halo: "#000", selected: "#ff7ac6", cut: "rgba(160,160,160,0.25)",
    slice: "rgba(0,0,0,0.75)" },
};

const theme = {
  canvas: CANVAS_COLOURS.light,
  printing: false,
  changed: [], // functions to call after a change

  // A page from a file may have no storage; then the choice lasts as long as the page.
  remembered() {
    try {
      const name = window.localStorage.getItem(THEME_KEY);
      return Object.hasOwn(CANVAS_COLOURS, name ?? "") ? name : "";
    } catch { return ""; }
  },

  remember(name) {
    try {
      if (name) window.localStorage.setItem(THEME_KEY, name);
      else window.localStorage.removeItem(THEME_KEY);
    } catch { /* no storage: nothing to do */ }
  },

  // "light" or "dark"
  name() {
    if (this.printing) return "light";
    return document.documentElement.dataset.theme ?? (SYSTEM_DARK.matches ? "dark" : "light");
  },

  apply() {
    this.canvas = CANVAS_COLOURS[this.name()];
    for (const act of this.changed) act();
  },

  choose(name) {
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    this.apply();
  },

  listen() {
    const box = document.getElementById("theme");
    const choice = box.querySelector("select");
    choice.value = this.remembered();
    this.choose(choice.value);
    box.hidden = false;
    choice.addEventListener("change", () => {
      this.remember(choice.value);
      this.choose(choice.value);
    });
    SYSTEM_DARK.addEventListener("change", () => this.apply());
    for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) {
      window.addEventListener(event, () => { this.printing = printing; this.apply(); });
    }
  },
};

theme.listen();
