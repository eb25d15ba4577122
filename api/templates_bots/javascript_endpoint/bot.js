// An endpoint on Node's standard library alone: `node bot.js [PORT]`; port 8080 when left out, 0 for any.
//
// The secret that signs all requests is the content of `secret.txt` beside this file, or of the file that
// FUDABA_SECRET_FILE names. `fudaba bot submit URL --secret-file secret.txt` writes it.
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");

const GAMES = ["seiten", "sakura", "sutda", "hachinin_meri", "hana_awase", "minhwatu"];
const MAX_BATCH = 16;
const HELLO = { fudaba: 1, name: "my endpoint", games: GAMES, max_batch: MAX_BATCH };
const MOST_BYTES = 16 * 1024 * 1024;
const OLDEST_SECONDS = 300;

/** Return one of the texts in `observation.legal`, the first of the best. Put your own play here. */
function act(observation) {
  return observation.legal.reduce((best, action) =>
    worth(action, observation) > worth(best, observation) ? action : best,
  );
}

/** Return how good an action looks, for example "play:3-k1+3-rib", "bid:20" or "pass". */
function worth(action, observation) {
  if (action === "give_up" || action === "open") return -1;
  const flower = action.split(":", 2).at(1)?.split("-")[0];
  const middle = observation.ba ?? observation.table ?? [];
  const takes = action.includes("+") || middle.some((card) => card.split("-")[0] === flower);
  return takes ? 1 : 0;
}

/** Return an action for each request; one that throws is left out, which is a fault for it alone. */
function actions(requests) {
  const found = {};
  for (const request of requests) {
    try {
      found[request.id] = act(request.observation);
    } catch (error) {
      console.error(error);
    }
  }
  return found;
}

/**
 * Return the secret, empty while there is none; it is read anew each time, so that it can be rotated.
 * The arena asks a new endpoint again for ten minutes when it answers 401, until it has its secret.
 */
async function secret() {
  const file = process.env.FUDABA_SECRET_FILE || path.join(__dirname, "secret.txt");
  return (await fs.promises.readFile(file, "utf8").catch(() => "")).trim();
}

/** Return whether the arena has signed this body within the last minutes. */
async function isFromTheArena(headers, body) {
  const key = await secret();
  const timestamp = headers["fudaba-timestamp"] || "";
  const mac = crypto.createHmac("sha256", key).update(`${timestamp}.`).update(body).digest("hex");
  const expected = Buffer.from("v1=" + mac);
  const given = Buffer.from(headers["fudaba-signature"] || "");
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < OLDEST_SECONDS;
  if (key === "" || !isRecent) return false;
  return given.length === expected.length && crypto.timingSafeEqual(given, expected);
}

/** Return the body of a request, null when it is too large. */
async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Send a JSON object. */
function reply(response, status, content) {
  const data = Buffer.from(JSON.stringify(content));
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": data.length });
  response.end(data);
}

/** Answer the handshake (GET) or decide (POST). */
async function handle(request, response) {
  if (request.method === "GET") return reply(response, 200, HELLO);
  const body = await bodyOf(request);
  if (body === null) return reply(response, 413, { error: "the body is too large" });
  if (!(await isFromTheArena(request.headers, body))) {
    return reply(response, 401, { error: "the signature is missing, wrong or too old" });
  }
  return reply(response, 200, { actions: actions(JSON.parse(body).requests) });
}

/** Return a server that is not listening yet. */
function makeServer() {
  const server = http.createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error(error);
      if (!response.headersSent) reply(response, 500, { error: "the bot failed" });
    });
  });
  server.keepAliveTimeout = 60_000; // Longer than the arena keeps a connection that is not in use.
  return server;
}

module.exports = { GAMES, MAX_BATCH, act, makeServer };

if (require.main === module) {
  const server = makeServer();
  server.listen(Number(process.argv[2] ?? 8080), () => {
    console.log(`listening on port ${server.address().port}`);
  });
}
