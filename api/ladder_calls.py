"""The calls of the client that are about ladders."""

from collections.abc import Iterator

from api.transport import Json, Transport, segment


class LadderCalls(Transport):
    """One method a route of ladders."""

    def create_ladder(self, plan: Json) -> Json:
        """Make a ladder from the body of POST /ladders."""
        return self._post("/ladders", plan)

    def ladders(self) -> Iterator[Json]:
        """Yield all ladders, the newest first."""
        return self._walk("/ladders")

    def ladder(self, ladder_id: str) -> Json:
        """Return a ladder, its last season, and whether it stands still."""
        return self._get(_path(ladder_id))

    def seasons(self, ladder_id: str) -> list[Json]:
        """Return the seasons of a ladder, the first one first."""
        return self._items(f"{_path(ladder_id)}/seasons")

    def end_season(self, ladder_id: str) -> list[Json]:
        """Let the present season close and the next one begin; return all seasons."""
        items: list[Json] = self._post(f"{_path(ladder_id)}/seasons")["items"]
        return items

    def close_ladder(self, ladder_id: str) -> Json:
        """Let the present season be the last one."""
        return self._post(f"{_path(ladder_id)}/close")

    def members(self, ladder_id: str) -> list[Json]:
        """Return the bots on a ladder, in order of joining."""
        return self._items(f"{_path(ladder_id)}/members")

    def join_ladder(self, ladder_id: str, bots: list[str]) -> list[Json]:
        """Enter bots (ids or owner/name); return all members."""
        items: list[Json] = self._post(f"{_path(ladder_id)}/members", {"bots": bots})["items"]
        return items

    def leave_ladder(self, ladder_id: str, bot_id: str) -> None:
        """Take a bot off a ladder; what it has played stays."""
        self._send("DELETE", f"{_path(ladder_id)}/members/{segment(bot_id)}")

    def board(self, ladder_id: str, season: int | None = None) -> Json:
        """Return the standings of a season, by default of the last one."""
        return self._get(f"{_path(ladder_id)}/standings", season=season)

    def history(self, ladder_id: str, bot: str, season: int | None = None) -> Iterator[Json]:
        """Yield the online ratings of a bot (an id or owner/name) in a season, round by round."""
        return self._walk(f"{_path(ladder_id)}/history", bot=bot, season=season)

    def ladder_matches(self, ladder_id: str, season: int | None = None) -> Iterator[Json]:
        """Yield the matches of a season that are in the ratings, the last first."""
        return self._walk(f"{_path(ladder_id)}/matches", season=season)


def _path(ladder_id: str) -> str:
    return f"/ladders/{segment(ladder_id)}"
