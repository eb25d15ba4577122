"""A record is right by the page that describes it, as somebody else would check it."""

import pytest
from support import twin_ledger
from support.ledgers import a_record


@pytest.mark.slow
def test_a_record_can_be_checked_by_its_page_alone() -> None:
    lines = twin_ledger.parsed(b"".join(a_record()))
    header = lines[0]
    twin_ledger.require_bound(lines)
    endpoints = {
        line["number"] for line in lines if line["kind"] == "entrant" and line["bot_kind"] == "endpoint"
    }
    matches = [line for line in lines if line["kind"] == "match"]
    for match in matches:
        twin_ledger.require_seated(header, match)
        twin_ledger.require_dealt(header, match, endpoints)
    for line in lines:
        if line["kind"] == "standings" and line["event"] != "overall":
            own = [match for match in matches if match["event"] == line["event"]]
            twin_ledger.require_counted(header["events"][line["event"]], own, line["rows"])
