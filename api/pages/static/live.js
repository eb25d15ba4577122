// Keeps the part of a page that changes while matches are played up to date: told by events, else by asking.
"use strict";
(() => {
  const SECONDS = 3;
  const tournament = /\/tournaments\/([0-9a-f-]{36})/.exec(location.pathname);
  let timer = 0;
  let source = null;

  const isRunning = () => document.getElementById("live")?.dataset.running === "1";

  async function refresh() {
    const url = new URL(location.href);
    url.searchParams.set("part", "live");
    const answer = await fetch(url, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const old = document.getElementById("live");
    const focused = document.activeElement;
    if (old.contains(focused) && focused.matches("a")) return; // whoever follows a link is not disturbed
    old.outerHTML = await answer.text();
    if (!isRunning()) stop();
  }

  function stop() {
    clearInterval(timer);
    source?.close();
  }

  function poll() {
    clearInterval(timer);
    timer = setInterval(() => document.hidden || refresh().catch(() => {}), SECONDS * 1000);
  }

  if (!isRunning()) return;
  poll();
  if (!tournament || !window.EventSource) return;
  source = new EventSource(`/api/v1/tournaments/${tournament[1]}/stream`);
  source.addEventListener("open", () => clearInterval(timer));
  source.addEventListener("progress", () => refresh().catch(() => {}));
  source.addEventListener("error", poll);
})();
