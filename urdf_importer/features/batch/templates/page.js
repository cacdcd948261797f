
"use strict";
(function () {
  const main = document.querySelector("main");
  const cards = Array.from(main.children);
  const buttons = Array.from(document.querySelectorAll("button[data-show]"));
  const search = document.getElementById("search");
  const sort = document.getElementById("sort");
  const shown = document.getElementById("shown");
  let status = "all";

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const card of cards) {
      const fits = (status === "all" || card.dataset.status === status) &&
        words.every((word) => card.dataset.search.includes(word));
      card.hidden = !fits;
      count += fits;
    }
    shown.textContent = count === cards.length ? "" : count + " of " + cards.length + " shown";
  }

  function order() {
    const key = sort.value;
    const sorted = cards.slice();
    if (key === "name") sorted.sort((a, b) => a.dataset.name.localeCompare(b.dataset.name));
    if (key === "status") sorted.sort((a, b) => a.dataset.status.localeCompare(b.dataset.status));
    if (key === "time") sorted.sort((a, b) => b.dataset.time - a.dataset.time);
    main.append(...sorted);
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      status = button.dataset.show;
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
      filter();
    });
  }
  search.addEventListener("input", filter);
  sort.addEventListener("change", order);
}());
