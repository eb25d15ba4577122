// Plays the endpoint on this machine, as the arena does with a submission: `node --test`.
"use strict";

const assert = require("node:assert");
const { execFile } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, before, test } = require("node:test");

const { GAMES, MAX_BATCH, act, makeServer } = require("./bot.js");

const SECRET = "the secret of the test";
const FUDABA = process.env.FUDABA || "fudaba"; // The command, if it is not on the PATH.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bot-"));
const server = makeServer();

before(() => {
  process.env.FUDABA_SECRET_FILE = path.join(folder, "secret.txt");
  fs.writeFileSync(process.env.FUDABA_SECRET_FILE, SECRET);
  return new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
});

after(() => {
  server.close();
  server.closeAllConnections();
  fs.rmSync(folder, { recursive: true });
});

/** Return the exit code of `fudaba bot test` and its report. */
function tryOut(secret) {
  const url = `http://127.0.0.1:${server.address().port}/`;
  const given = ["bot", "test", url, "--secret", secret, "--max-batch", String(MAX_BATCH), "--json"];
  return new Promise((resolve, reject) => {
    execFile(FUDABA, given, { maxBuffer: 16 << 20 }, (error, output) => {
      if (error && typeof error.code !== "number") return reject(error);
      return resolve({ code: error ? error.code : 0, report: JSON.parse(output) });
    });
  });
}

test("it takes something when it can", () => {
  assert.equal(act({ legal: ["play:2-k1", "play:3-k1"], ba: ["3-rib"] }), "play:3-k1");
});

test("it qualifies in every game", async () => {
  const { code, report } = await tryOut(SECRET);
  assert.deepEqual([code, report.reason], [0, null]);
  assert.deepEqual(report.matches.map((match) => match.game), GAMES);
});

test("it answers nobody but the arena", async () => {
  const { code, report } = await tryOut("another secret");
  assert.deepEqual([code, report.matches[0].faults[0].code], [1, "http_status"]);
});
