"""A client of the API: one method a route, JSON as dicts, every problem as an ApiError."""

import json
import time
from collections.abc import Iterator
from typing import IO, Any

import requests

from api.ladder_calls import LadderCalls
from api.transport import (
    CONNECT_SECONDS,
    PIECE_BYTES,
    PREFIX,
    READ_SECONDS,
    ApiError,
    Json,
    StillWaiting,
    Unreachable,
    given,
    segment,
    session_to,
)

__all__ = [
    "CONNECT_SECONDS",
    "PREFIX",
    "READ_SECONDS",
    "ApiError",
    "Client",
    "Json",
    "StillWaiting",
    "Unreachable",
    "session_to",
]


_POLL_SECONDS = 2.0


class Client(LadderCalls):
    """The API at `url`, with a token where one is needed; a context manager that closes its connections."""

    def ready(self) -> Json:
        """Return that the service is ready; ApiError names what is missing."""
        return self._get("/readyz")

    def me(self) -> Json:
        """Return the account that the token belongs to."""
        return self._get("/accounts/me")

    def create_account(self, name: str, role: str = "participant", *, invitation: str | None = None) -> Json:
        """Create an account; the answer holds its token, which is shown this once."""
        return self._post("/accounts", given(name=name, role=role, invitation=invitation))

    def invite(self, *, uses: int = 1, days: int = 30) -> Json:
        """Make an invitation to so many accounts; the answer holds its text, which is shown this once."""
        return self._post("/invitations", {"uses": uses, "days": days})

    def invitations(self) -> Iterator[Json]:
        """Yield all invitations, the newest first."""
        return self._walk("/invitations")

    def revoke_invitation(self, invitation_id: str) -> None:
        """End an invitation."""
        self._send("DELETE", f"/invitations/{segment(invitation_id)}")

    def tokens(self) -> Iterator[Json]:
        """Yield one's own tokens, without their texts, the newest first."""
        return self._walk("/tokens")

    def rotate_token(self, token_id: str) -> Json:
        """End a token and make another one in its place."""
        return self._post(f"/tokens/{segment(token_id)}/rotate")

    def issue_token(self, account_id: str | None = None) -> Json:
        """Make another token, one's own unless an organiser names another account."""
        return self._post("/tokens", {} if account_id is None else {"account_id": account_id})

    def revoke_token(self, token_id: str) -> None:
        """Revoke a token."""
        self._send("DELETE", f"/tokens/{segment(token_id)}")

    def create_webhook(self, url: str, events: list[str]) -> Json:
        """Make a webhook; the answer holds its secret, which is shown this once."""
        return self._post("/webhooks", {"url": url, "events": events})

    def webhooks(self) -> Iterator[Json]:
        """Yield one's own webhooks, the newest first."""
        return self._walk("/webhooks")

    def webhook(self, webhook_id: str) -> Json:
        """Return one of one's own webhooks."""
        return self._get(f"/webhooks/{segment(webhook_id)}")

    def rotate_webhook_secret(self, webhook_id: str) -> str:
        """Give a webhook another secret and return it."""
        return str(self._post(f"/webhooks/{segment(webhook_id)}/secret")["secret"])

    def change_webhook(self, webhook_id: str, **change: Any) -> Json:
        """Change a webhook: its url, events, is_off."""
        return self._json(self._send("PATCH", f"/webhooks/{segment(webhook_id)}", json=change))

    def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook with the log of its deliveries."""
        self._send("DELETE", f"/webhooks/{segment(webhook_id)}")

    def test_webhook(self, webhook_id: str) -> Json:
        """Send a ping to a webhook and return the delivery, which has not been made yet."""
        return self._post(f"/webhooks/{segment(webhook_id)}/test")

    def deliveries(self, webhook_id: str) -> Iterator[Json]:
        """Yield what a webhook was told, the newest first."""
        return self._walk(f"/webhooks/{segment(webhook_id)}/deliveries")

    def games(self) -> list[Json]:
        """Return all games."""
        return self._items("/games")

    def game(self, game_id: str) -> Json:
        """Return one game with its options and notation."""
        return self._get(f"/games/{segment(game_id)}")

    def submit_module(self, name: str, filename: str, content: bytes, games: list[str] | None = None) -> Json:
        """Submit the bytes of a .py or .zip file as a bot, or as another version of it."""
        meta = json.dumps({"name": name, "games": games or []})
        files = {"meta": (None, meta, "application/json"), "file": (filename, content)}
        return self._json(self._send("POST", "/bots", files=files))

    def submit_endpoint(
        self,
        name: str,
        url: str,
        *,
        max_batch: int | None = None,
        max_in_flight: int | None = None,
        games: list[str] | None = None,
    ) -> Json:
        """Submit an endpoint as a bot, or as another version of it; the first answer holds its secret."""
        declared = {"name": name, "url": url, "max_batch": max_batch, "max_in_flight": max_in_flight}
        body = {key: value for key, value in declared.items() if value is not None}
        return self._post("/bots", {**body, "games": games or []})

    def bots(self, owner: str | None = None) -> Iterator[Json]:
        """Yield all bots, or those of one account by name, the newest first."""
        return self._walk("/bots", owner=owner)

    def bot(self, bot_id: str) -> Json:
        """Return one bot."""
        return self._get(f"/bots/{segment(bot_id)}")

    def change_bot(
        self,
        bot_id: str,
        *,
        visibility: str | None = None,
        is_off: bool | None = None,
        games: list[str] | None = None,
    ) -> Json:
        """Change who may know of a bot, switch it off and on, or let it play other games."""
        change = given(visibility=visibility, is_off=is_off, games=games)
        return self._json(self._send("PATCH", f"/bots/{segment(bot_id)}", json=change))

    def delete_bot(self, bot_id: str) -> None:
        """Delete a bot for good; what it has played stays."""
        self._send("DELETE", f"/bots/{segment(bot_id)}")

    def source(self, bot_id: str, number: int) -> bytes:
        """Return the file that a version of a module was made from."""
        return self._send("GET", f"/bots/{segment(bot_id)}/versions/{number}/source").content

    def versions(self, bot_id: str) -> Iterator[Json]:
        """Yield the versions of a bot, the newest first."""
        return self._walk(f"/bots/{segment(bot_id)}/versions")

    def version(self, bot_id: str, number: int) -> Json:
        """Return one version of a bot."""
        return self._get(f"/bots/{segment(bot_id)}/versions/{number}")

    def qualification(self, bot_id: str, number: int) -> Json:
        """Return how far the qualification of a version is, and its report."""
        return self._get(f"/bots/{segment(bot_id)}/versions/{number}/qualification")

    def wait_qualified(self, bot_id: str, number: int, *, wait_seconds: float = 120.0) -> Json:
        """Return the qualification of a version once it is decided, either way; raises StillWaiting."""
        deadline = time.monotonic() + wait_seconds
        while (found := self.qualification(bot_id, number))["state"] == "qualifying":
            if time.monotonic() > deadline:
                raise StillWaiting(f"version {number} is not qualified after {wait_seconds:g} s")
            time.sleep(0.2)
        return found

    def activate(self, bot_id: str, number: int) -> Json:
        """Make a qualified version the one that plays."""
        return self._post(f"/bots/{segment(bot_id)}/versions/{number}/activate")

    def rotate_secret(self, bot_id: str) -> str:
        """Give an endpoint another secret and return it."""
        return str(self._post(f"/bots/{segment(bot_id)}/secret")["secret"])

    def faults(self, bot_id: str) -> Iterator[Json]:
        """Yield the faults of a bot with their evidence, the newest first."""
        return self._walk(f"/bots/{segment(bot_id)}/faults")

    def logs(self, bot_id: str) -> Iterator[Json]:
        """Yield what a bot printed, the newest first."""
        return self._walk(f"/bots/{segment(bot_id)}/logs")

    def create_tournament(self, plan: Json) -> Json:
        """Create a draft from the body of POST /tournaments."""
        return self._post("/tournaments", plan)

    def plan_tournament(self, plan: Json) -> Json:
        """Return what a plan would play; nothing is stored."""
        return self._json(self._send("POST", "/tournaments", params={"dry_run": "true"}, json=plan))

    def tournaments(self, state: str | None = None) -> Iterator[Json]:
        """Yield tournaments, the newest first."""
        return self._walk("/tournaments", state=state)

    def tournament(self, tournament_id: str) -> Json:
        """Return a tournament and how far it is."""
        return self._get(f"/tournaments/{segment(tournament_id)}")

    def entrants(self, tournament_id: str) -> list[Json]:
        """Return the entrants of a tournament, in order of entry."""
        return self._items(f"/tournaments/{segment(tournament_id)}/entrants")

    def events(self, tournament_id: str) -> list[Json]:
        """Return the events of a tournament and how far each is."""
        return self._items(f"/tournaments/{segment(tournament_id)}/events")

    def enter(self, tournament_id: str, bots: list[str]) -> list[Json]:
        """Enter bots (ids or owner/name) into a draft; return all entrants."""
        entered = self._post(f"/tournaments/{segment(tournament_id)}/entrants", {"bots": bots})
        items: list[Json] = entered["items"]
        return items

    def start(self, tournament_id: str) -> Json:
        """Start a draft."""
        return self._post(f"/tournaments/{segment(tournament_id)}/start")

    def cancel(self, tournament_id: str) -> Json:
        """End a tournament before its time."""
        return self._post(f"/tournaments/{segment(tournament_id)}/cancel")

    def pause(self, tournament_id: str) -> Json:
        """Stop a running tournament for a while."""
        return self._post(f"/tournaments/{segment(tournament_id)}/pause")

    def resume(self, tournament_id: str) -> Json:
        """Go on with a paused tournament."""
        return self._post(f"/tournaments/{segment(tournament_id)}/resume")

    def clone(self, tournament_id: str, name: str | None = None, *, with_entrants: bool = True) -> Json:
        """Make a draft with the events and rules of a tournament."""
        how = given(name=name, with_entrants=with_entrants)
        return self._post(f"/tournaments/{segment(tournament_id)}/clone", how)

    def withdraw(self, tournament_id: str, entrant: int, rule: str = "forfeit") -> Json:
        """Take an entrant (by number) out of a tournament: by `forfeit` of the rest, or `drop` of all."""
        body = {"entrant": entrant, "rule": rule}
        return self._post(f"/tournaments/{segment(tournament_id)}/withdrawals", body)

    def withdrawals(self, tournament_id: str) -> list[Json]:
        """Return who has left a tournament, and from which block on."""
        return self._items(f"/tournaments/{segment(tournament_id)}/withdrawals")

    def preview_rerun(self, tournament_id: str, choice: Json) -> Json:
        """Return what playing the chosen matches again would do; nothing is done."""
        path = f"/tournaments/{segment(tournament_id)}/reruns"
        return self._json(self._send("POST", path, params={"dry_run": "true"}, json=choice))

    def rerun(self, tournament_id: str, choice: Json) -> Json:
        """Have the chosen matches played again; the choice is the body of POST .../reruns, with `reason`."""
        return self._post(f"/tournaments/{segment(tournament_id)}/reruns", choice)

    def reruns(self, tournament_id: str) -> list[Json]:
        """Return the re-runs of a tournament, the first one first."""
        return self._items(f"/tournaments/{segment(tournament_id)}/reruns")

    def undo_rerun(self, tournament_id: str, number: int) -> Json:
        """Let the results count again that a re-run took out."""
        return self._post(f"/tournaments/{segment(tournament_id)}/reruns/{number}/undo")

    def change_tournament(self, tournament_id: str, **change: Any) -> Json:
        """Change a draft: its name, entries_close_at, entries_per_owner, weight."""
        return self._json(self._send("PATCH", f"/tournaments/{segment(tournament_id)}", json=change))

    def audit(self, tournament_id: str | None = None) -> Iterator[Json]:
        """Yield what was done to a tournament, or by all organisers, the newest first."""
        return self._walk(
            "/audit" if tournament_id is None else f"/tournaments/{segment(tournament_id)}/audit"
        )

    def progress(self, tournament_id: str) -> Iterator[Json]:
        """Yield how far a tournament is at every change until it is over; asks again and again if it must."""
        try:
            for event in self._listen(f"/tournaments/{segment(tournament_id)}/stream"):
                yield json.loads(event)
        except ApiError as error:
            if error.status != 503:
                raise
            yield from self._poll(tournament_id)

    def _poll(self, tournament_id: str) -> Iterator[Json]:
        shown: Json = {}
        while shown.get("state") not in ("finished", "cancelled"):
            found = self.tournament(tournament_id)
            if found != shown:
                shown = found
                yield {**found, "tournament_id": found["id"]}
            time.sleep(_POLL_SECONDS)

    def crosstable(self, tournament_id: str, event: int = 0) -> Json:
        """Return the cross-table of one event."""
        return self._get(f"/tournaments/{segment(tournament_id)}/crosstable", event=event)

    def standings(self, tournament_id: str, event: int | None = None) -> Json:
        """Return the standings: over all events and of every event, or of one."""
        return self._get(f"/tournaments/{segment(tournament_id)}/standings", event=event)

    def standings_csv(self, tournament_id: str, event: int | None = None) -> str:
        """Return the standings over all events, or of one, as CSV."""
        path = f"/tournaments/{segment(tournament_id)}/standings"
        return self._send("GET", path, params=given(event=event, format="csv")).text

    def editions(self, tournament_id: str) -> list[Json]:
        """Return the editions of the final standings, the first one first."""
        return self._items(f"/tournaments/{segment(tournament_id)}/editions")

    def edition(self, tournament_id: str, number: int) -> Json:
        """Return one edition with its tables."""
        return self._get(f"/tournaments/{segment(tournament_id)}/editions/{number}")

    def record(self, tournament_id: str, file: IO[bytes]) -> None:
        """Write the record of what is over, also of a season, to a file; Unreachable when it breaks off."""
        with self._send("GET", f"/tournaments/{segment(tournament_id)}/record", stream=True) as answer:
            try:
                for piece in answer.iter_content(PIECE_BYTES):
                    file.write(piece)
            except requests.RequestException as error:
                raise Unreachable(f"{answer.url} broke off: {error}") from error

    def matches(
        self, tournament_id: str, *, event: int | None = None, entrant: int | None = None
    ) -> Iterator[Json]:
        """Yield the finished matches of a tournament, by event and number."""
        return self._walk(f"/tournaments/{segment(tournament_id)}/matches", event=event, entrant=entrant)

    def match(self, match_id: str) -> Json:
        """Return a finished match."""
        return self._get(f"/matches/{segment(match_id)}")

    def replay(self, match_id: str, seat: int | None = None) -> Json:
        """Return a finished match step by step, as one seat saw it or as every seat did."""
        return self._get(f"/matches/{segment(match_id)}/replay", seat=seat)
