// Steps through a match without loading the page anew: buttons, slider, keys, and playing by itself.
"use strict";
(() => {
  const player = document.getElementById("player");
  const form = player.querySelector("form");
  const slider = form.elements.step;
  const seat = form.elements.seat;
  const speed = player.querySelector("[data-speed] select");
  const play = player.querySelector('[data-go="play"]');
  const last = Number(player.dataset.last);
  const kept = new Map();
  let step = Number(player.dataset.step);
  let timer = 0;

  player.querySelectorAll("[hidden]").forEach((part) => part.removeAttribute("hidden"));
  player.querySelector("[data-submit]").hidden = true;

  const address = (to, part) => `?step=${to}&seat=${seat.value}${part ? "&part=board" : ""}`;

  function load(to) {
    const url = address(to, true);
    if (!kept.has(url)) {
      const loading = fetch(url).then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)));
      loading.catch(() => kept.delete(url));
      kept.set(url, loading);
    }
    return kept.get(url);
  }

  async function show(to) {
    step = Math.min(last, Math.max(0, to));
    slider.value = step;
    const wanted = address(step);
    const html = await load(step);
    if (address(step) !== wanted) return; // another step was asked for meanwhile
    document.getElementById("view").outerHTML = html;
    history.replaceState(null, "", wanted);
    const links = { first: 0, back: Math.max(0, step - 1), forward: Math.min(last, step + 1), last };
    for (const [name, target] of Object.entries(links)) {
      player.querySelector(`[data-go="${name}"]`).href = address(target);
    }
    if (step < last) load(step + 1).catch(() => {});
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function start() {
    play.textContent = "Stop";
    const tick = async () => {
      if (step >= last) return stop();
      await show(step + 1).catch(stop);
      if (timer) timer = setTimeout(tick, Number(speed.value));
    };
    timer = setTimeout(tick, step >= last ? 0 : Number(speed.value) / 4);
  }

  const moves = {
    first: () => show(0),
    back: () => show(step - 1),
    forward: () => show(step + 1),
    last: () => show(last),
    play: () => (timer ? stop() : start()),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };

  player.addEventListener("click", (event) => {
    const target = event.target.closest("[data-go], [data-step-link]");
    if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (target.dataset.go !== "play") stop();
    if (target.dataset.go) moves[target.dataset.go]();
    else show(Number(target.dataset.stepLink));
  });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  seat.addEventListener("change", () => show(step));
  form.addEventListener("submit", (event) => { event.preventDefault(); show(Number(slider.value)); });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("select, textarea, input:not([type=range])");
    const isPressing = event.key === " " && event.target.closest("button, a, summary");
    const name = keys[event.key];
    if (!name || isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (name !== "play") stop();
    moves[name]();
  });
})();
