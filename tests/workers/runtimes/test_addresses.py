"""Addresses: what may be registered, what may be connected to, in every spelling and both families."""

import ipaddress
import socket

import pytest

from workers.runtimes.addresses import (
    AddressRules,
    BadUrl,
    Refusals,
    RefusedAddress,
    check_url,
    current_refusals,
    gate,
)

PUBLIC = AddressRules()
PRIVATE = AddressRules(allow_private=True)

INNER = """
    0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.8 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1
    203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::a00:1
    64:ff9b:1::1 100::1 2001::1 2001:0:0:0:0:0:80ff:fffe 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1
    5f00::1 fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1
"""
OUTER = """
    1.1.1.1 8.8.8.8 93.184.216.34 172.32.0.1 2606:4700::1111 2a00:1450::1 ::ffff:8.8.8.8 64:ff9b::808:808
"""


@pytest.mark.parametrize("address", INNER.split())
def test_what_is_not_public_is_refused(address: str) -> None:
    assert PUBLIC.refusal(address, 443) is not None


@pytest.mark.parametrize("address", OUTER.split())
def test_what_is_public_is_allowed_on_the_usual_ports_only(address: str) -> None:
    assert PUBLIC.refusal(address, 443) is None
    assert "port 6379" in (PUBLIC.refusal(address, 6379) or "")


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd00::1", "::ffff:127.0.0.1"]
)
def test_the_operator_can_allow_private_addresses_on_any_port(address: str) -> None:
    assert PRIVATE.refusal(address, 9000) is None


@pytest.mark.parametrize("address", ["169.254.169.254", "224.0.0.1", "0.0.0.0", "fe80::1", "ff02::1"])
def test_special_addresses_stay_refused_when_private_ones_are_allowed(address: str) -> None:
    assert PRIVATE.refusal(address, 80) is not None


def test_the_operator_can_allow_one_network_and_port() -> None:
    rules = AddressRules(allowed=((ipaddress.ip_network("10.8.0.0/16"), 9000),))
    assert rules.refusal("10.8.3.4", 9000) is None
    assert rules.refusal("::ffff:10.8.3.4", 9000) is None
    assert rules.refusal("10.8.3.4", 9001) is not None
    assert rules.refusal("10.9.0.1", 9000) is not None


def test_the_gate_refuses_at_the_moment_of_connecting_and_says_why() -> None:
    refusals = Refusals()
    token = current_refusals.set(refusals)
    make = gate(PUBLIC)
    info = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))
    with pytest.raises(RefusedAddress, match=r"10\.0\.0\.1 is refused"):
        make(info)
    current_refusals.reset(token)
    assert refusals.reasons == [
        "10.0.0.1: it is not a public address (private, loopback, link-local or special)"
    ]


def test_the_gate_gives_a_socket_for_a_public_address() -> None:
    with gate(PUBLIC)((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 443))) as made:
        assert made.family == socket.AF_INET


@pytest.mark.parametrize(
    "url",
    [
        "https://bots.example.com/",
        "https://bots.example.com",
        "http://bots.example.com:8080/a/b/?key=v&x=1",
        "https://BOTS.example.com./path/",
        "https://my_bot.example.com:8443/",
        "http://8.8.8.8/",
        "http://[2606:4700::1111]:8080/",
        "https://xn--bcher-kva.example/",
    ],
)
def test_a_url_with_path_query_and_port_is_kept_as_given(url: str) -> None:
    assert check_url(url, PUBLIC).geturl() == url


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "scheme"),
        ("bots.example.com", "scheme"),
        ("ftp://bots.example.com/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("gopher://x/", "scheme"),
        ("https://", "no host"),
        ("https:///path", "no host"),
        ("https://user@bots.example.com/", "user information"),
        ("https://user:secret@bots.example.com/", "user information"),
        ("https://8.8.8.8@127.0.0.1/", "user information"),
        ("https://bots.example.com/#top", "fragment"),
        ("https://bots.example.com:22/", "port 22"),
        ("https://bots.example.com:99999/", "cannot be read"),
        ("https://bots.example.com:port/", "cannot be read"),
        ("https://[::1/", "cannot be read"),
        ("http://127.0.0.1/", "not a public address"),
        ("http://[::1]/", "not a public address"),
        ("http://[::ffff:127.0.0.1]/", "not a public address"),
        ("http://10.0.0.1:8080/", "not a public address"),
        ("http://0x7f.1/", "odd spelling"),
        ("http://0x7f000001/", "odd spelling"),
        ("http://2130706433/", "odd spelling"),
        ("http://127.1/", "odd spelling"),
        ("http://0177.0.0.1/", "odd spelling"),
        ("http://127.0.0.1./", "odd spelling"),
        ("http://１２７.0.0.1/", "plain ASCII"),
        ("http://bücher.example/", "plain ASCII"),
        ("http://bots example.com/", "plain ASCII"),
        ("http://bots.example.com\\@evil/", "plain ASCII"),
        ("http://bots.example.com/\r\nX: y", "plain ASCII"),
        ("http://-bots.example.com/", "neither a name nor an address"),
        ("http://bots..example.com/", "neither a name nor an address"),
        ("http://[fe80::1%25eth0]/", "not a public address"),
        ("https://" + "a" * 3000, "2000"),
    ],
)
def test_a_url_that_cannot_be_an_endpoint_is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(BadUrl) as caught:
        check_url(url, PUBLIC)
    assert reason in str(caught.value)


def test_a_private_url_can_be_registered_where_the_operator_allows_it() -> None:
    assert check_url("http://127.0.0.1:9000/bot", PRIVATE).port == 9000
    assert check_url("http://bot.svc.cluster.local:9000/", PRIVATE).hostname == "bot.svc.cluster.local"
    with pytest.raises(BadUrl, match="odd spelling"):
        check_url("http://127.1:9000/", PRIVATE)
