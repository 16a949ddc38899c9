// SPDX-License-Identifier: BSD-3-Clause
// The explanation of a word, on hover and on keyboard focus: the sentence that aria-describedby names.

const wordTip = {
  box: null,
  shown: null, // the word

  show(word) {
    const text = document.getElementById(word.getAttribute("aria-describedby"))?.textContent;
    if (!text) return;
    this.shown = word;
    this.box.textContent = text;
    this.box.hidden = false;
    const place = word.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.box;
    const left = Math.min(place.left, document.documentElement.clientWidth - offsetWidth - 8);
    const below = place.bottom + 2;
    const top = below + offsetHeight > window.innerHeight ? place.top - offsetHeight - 2 : below;
    this.box.style.left = `${Math.max(8, left)}px`;
    this.box.style.top = `${Math.max(4, top)}px`;
  },

  hide() {
    this.shown = null;
    this.box.hidden = true;
  },

  listen() {
    this.box = document.createElement("div");
    this.box.id = "word-tip";
    this.box.hidden = true;
    this.box.setAttribute("aria-hidden", "true"); // a reader's program follows aria-describedby itself
    document.body.append(this.box);
    const wordOf = (target) => (target instanceof Element ? target.closest("[aria-describedby^='term-']") : null);
    document.addEventListener("mouseover", (event) => {
      if (this.box.contains(event.target)) return; // the pointer may rest on the explanation
      const word = wordOf(event.target);
      if (word) this.show(word);
      else if (this.shown && this.shown !== document.activeElement) this.hide();
    });
    document.addEventListener("focusin", (event) => {
      const word = wordOf(event.target);
      if (word) this.show(word); else this.hide();
    });
    document.addEventListener("focusout", () => this.hide());
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.hide(); });
    document.addEventListener("scroll", () => { // may come after the hover or the key that shows a word
      if (!this.shown) return;
      if (this.shown === document.activeElement || this.shown.matches(":hover")) this.show(this.shown);
      else this.hide();
    }, { capture: true, passive: true });
    this.nameChart();
  },

  // The chart's legend has the same words; they are for the pointer, the line below it is for keys.
  nameChart() {
    const words = document.querySelectorAll("#stages .stage-line .term");
    const named = new Map(Array.from(words, (word) => [word.textContent, word.getAttribute("aria-describedby")]));
    for (const text of document.querySelectorAll("#stages svg text")) {
      const term = named.get(text.textContent.trim());
      if (term) text.setAttribute("aria-describedby", term);
    }
  },
};

wordTip.listen();
