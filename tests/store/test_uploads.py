"""Uploads: what is accepted and how it is described, and every way to be refused with its reason."""

import io
import stat
import struct
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.sources import Style
from store.uploads import MAX_ENTRIES, MAX_UPLOAD_BYTES, BadUpload, Kind, UploadTooLarge, inspect

FUNCTION = b"def act(observation):\n    return 0\n"
CLASS = b"class Bot:\n    def __init__(self, *a): pass\n    def act(self, observation): return 0\n"
PLAIN = stat.S_IFREG | 0o644


def packed(*entries: tuple[str, bytes], mode: int = PLAIN, flags: int = 0) -> bytes:
    """An archive with bot.py before these entries, which get the mode."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", FUNCTION)
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = mode << 16
            archive.writestr(info, content)
    return out.getvalue()


def renamed(name: bytes, *, replaced: bytes = b"placeholder", flag: int | None = None) -> bytes:
    """An archive in which one entry's name has been overwritten, byte for byte."""
    data = packed((replaced.decode(), b"x")).replace(replaced, name.ljust(len(replaced), b"_"))
    if flag is None:
        return data
    at = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)
    return data[: at + 8] + struct.pack("<H", flag) + data[at + 10 :]


def lying_about_size(content: bytes, claimed: int) -> bytes:
    """An archive whose headers claim another size than inflating gives."""
    return packed(("big", content)).replace(struct.pack("<I", len(content)), struct.pack("<I", claimed))


BAD_FILES = {
    "empty": (b"", "bot.py", "is empty"),
    "empty_zip_file": (b"", "bot.zip", "is empty"),
    "other_suffix": (FUNCTION, "bot.txt", "neither a .py nor a .zip"),
    "no_suffix": (FUNCTION, "bot", "neither"),
    "folder": (FUNCTION, "bots/", "neither"),
    "compiled": (b"\xa7\r\r\n", "bot.pyc", "neither"),
    "zip_that_is_none": (FUNCTION, "bot.zip", "not a zip archive"),
    "zip_cut_short": (packed()[:-30], "bot.zip", "not a zip archive"),
    "zip_in_disguise": (packed(), "bot.py", "ends in .zip"),
    "zip_beginning_only": (b"PK\3\4" + bytes(100), "bot.zip", "not a zip archive"),
    "empty_archive": (b"PK\5\6" + bytes(18), "bot.zip", "no bot.py"),
}
BAD_SOURCES = {
    "no_entry_point": (b"x = 1\n", "neither a function act"),
    "helper_only": (b"def helper(o): return 0\nclass Helper: pass\n", "neither a function act"),
    "both_entry_points": (FUNCTION + CLASS, "keep one"),
    "entry_point_inside": (b"def f():\n    def act(o): return 0\n", "neither a function act"),
    "method_missing": (
        b"class Bot:\n    def play(self, o): return 0\n",
        "line 1: class Bot has no method act",
    ),
    "bot_is_a_function": (b"def Bot(): pass\n", "line 1: Bot is a function"),
    "act_is_a_class": (b"class act: pass\n", "line 1: act is a class"),
    "act_is_async": (b"\nasync def act(o): return 0\n", "line 2: act is async"),
    "too_many_parameters": (b"def act(a, b): return 0\n", "line 1: act cannot be called"),
    "no_parameter": (b"def act(): return 0\n", "act(observation)"),
    "keyword_only": (b"def act(o, *, deep): return 0\n", "cannot be called"),
    "method_without_observation": (b"class Bot:\n    def act(self): return 0\n", "line 2"),
    "syntax_error": (b"def act(o):\n    return (\n", "line 2"),
    "python_2": (b"def act(o):\n    print 'x'\n", "line 2"),
    "indentation": (b"def act(o):\nreturn 0\n", "line 2"),
    "nul": (b"x = 1\n# \0\n" + FUNCTION, "line 2: a NUL"),
    "latin_1": (b"# ok\n# \xe9\n" + FUNCTION, "line 2: byte 0xe9 is not UTF-8"),
    "coding_line": (b"# -*- coding: latin-1 -*-\n# \xe9\n" + FUNCTION, "coding line says iso-8859-1"),
    "unknown_coding": (b"# coding: klingon\n" + FUNCTION, "only utf-8"),
    "mark_and_coding": (b"\xef\xbb\xbf# coding: latin-1\n" + FUNCTION, "only utf-8"),
    "utf_16": ("def act(o): return 0".encode("utf-16"), "not UTF-8"),
    "deep_nest": (b"x = " + b"(" * 5000 + b")" * 5000 + b"\n" + FUNCTION, "nest"),
    "deep_minus": (b"x = " + b"-" * 200_000 + b"1\n" + FUNCTION, "nested too deeply"),
}
BAD_ARCHIVES = {
    "no_bot": (packed().replace(b"bot.py", b"bat.py"), "no bot.py"),
    "parent": (packed(("../evil.py", b"x")), "'.' or '..'"),
    "parent_inside": (packed(("a/../../evil.py", b"x")), "'.' or '..'"),
    "here": (packed(("./a", b"x")), "'.' or '..'"),
    "absolute": (packed(("/etc/passwd", b"x")), "absolute"),
    "drive": (packed(("C:/evil", b"x")), "absolute"),
    "backslash": (renamed(b"a\\b"), "backslash"),
    "double_slash": (packed(("a//b", b"x")), "empty part"),
    "nul_in_a_name": (renamed(b"a\0b"), "control character"),
    "newline_in_a_name": (packed(("a\nb", b"x")), "control character"),
    "latin_1_name": (renamed(b"\xe9t\xe9"), "not marked as UTF-8"),
    "broken_utf_8_name": (renamed(b"\xe9t\xe9", flag=0x800), "not UTF-8"),
    "long_name": (packed(("x" * 200, b"x")), "too long"),
    "long_path": (packed(("/".join(["folder" * 10] * 6), b"x")), "too long"),
    "deep": (packed(("a/" * 20 + "b", b"x")), "deeper than"),
    "link": (packed(("a", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777), "not a plain file"),
    "device": (packed(("a", b""), mode=stat.S_IFCHR | 0o666), "not a plain file"),
    "pipe": (packed(("a", b""), mode=stat.S_IFIFO | 0o666), "not a plain file"),
    "socket": (packed(("a", b""), mode=stat.S_IFSOCK | 0o666), "not a plain file"),
    "case_twice": (packed(("A.txt", b"1"), ("a.txt", b"2")), "occurs twice"),
    "composed_twice": (packed(("\u00e9", b"1"), ("e\u0301", b"2")), "occurs twice"),
    "file_and_folder": (packed(("a", b"1"), ("a/b", b"2")), "lies in a file"),
    "folder_and_file": (packed(("a/b", b"1"), ("a", b"2")), "file and a folder"),
    "encrypted": (packed(("a", b"x")).replace(b"\x14\0\0\0\x08\0", b"\x14\0\1\0\x08\0"), "encrypted"),
    "wrong_checksum": (
        packed(("a", b"xyz")).replace(struct.pack("<I", zlib.crc32(b"xyz")), b"\0\0\0\0"),
        "read",
    ),
}
TOO_LARGE = {
    "bomb": (packed(("a", bytes(64 << 20))), "inflates to more"),
    "many_small_bombs": (packed(*((f"a{n}", bytes(1 << 20)) for n in range(40))), "inflates to more"),
    "size_understated": (lying_about_size(bytes(64 << 20), 100), ""),
    "thousands_of_entries": (packed(*((f"f{n}", b"") for n in range(MAX_ENTRIES + 1))), "too many entries"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_is_not_what_it_says_is_refused(name: str) -> None:
    data, filename, reason = BAD_FILES[name]
    with pytest.raises(BadUpload) as caught:
        inspect(data, filename)
    assert reason in str(caught.value)
    assert caught.value.code == "bad_upload"


@pytest.mark.parametrize("name", BAD_SOURCES)
def test_a_source_without_an_entry_point_is_refused_with_its_line(name: str) -> None:
    source, reason = BAD_SOURCES[name]
    with pytest.raises(BadUpload, match=r"^bot\.py: ") as caught:
        inspect(source, "mine.py")
    assert reason in str(caught.value)


@pytest.mark.parametrize("name", BAD_ARCHIVES)
def test_an_archive_with_a_hostile_entry_is_refused_by_name(name: str) -> None:
    data, reason = BAD_ARCHIVES[name]
    with pytest.raises(BadUpload) as caught:
        inspect(data, "bot.zip")
    assert reason in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_inflates_beyond_the_limits_is_refused_by_counting(name: str) -> None:
    data, reason = TOO_LARGE[name]
    with pytest.raises(BadUpload) as caught:
        inspect(data, "bot.zip")
    assert reason in str(caught.value)


def test_a_file_beyond_the_limit_is_too_large() -> None:
    with pytest.raises(UploadTooLarge):
        inspect(b"#" * (MAX_UPLOAD_BYTES + 1), "bot.py")


@pytest.mark.parametrize(
    ("source", "style"),
    [
        (FUNCTION, Style.FUNCTION),
        (CLASS, Style.CLASS),
        (b"\xef\xbb\xbf" + FUNCTION, Style.FUNCTION),
        (b"# coding: utf-8\n" + FUNCTION, Style.FUNCTION),
        (b"try:\n    import numpy\nexcept ImportError:\n    pass\n" + FUNCTION, Style.FUNCTION),
        (b"if True:\n    def act(o): return 0\nelse:\n    x = 1\n", Style.FUNCTION),
        (b"act = lambda o: 0\n", Style.FUNCTION),
        (b"from helper import act\n", Style.FUNCTION),
        (b"from helper import Brain as Bot\n", Style.CLASS),
        (b"import helper\nclass Bot(helper.Base): pass\n", Style.CLASS),
        (b"class Bot:\n    @staticmethod\n    def act(o): return 0\n", Style.CLASS),
        (FUNCTION + b"def helper(): pass\nclass Last: pass\n", Style.FUNCTION),
        (b"def act(observation, *more, deep=1): return 0\n", Style.FUNCTION),
        (b"def act(o):\n    return '\\d'\n", Style.FUNCTION),
        (FUNCTION.replace(b"\n", b"\r\n"), Style.FUNCTION),
    ],
)
def test_the_entry_point_is_found_by_its_name(source: bytes, style: Style) -> None:
    upload = inspect(source, "My Bot.PY")
    assert (upload.kind, upload.style) == (Kind.PY, style)
    assert upload.files == {"bot.py": source}


def test_litter_is_ignored_and_listed() -> None:
    litter = (
        "__MACOSX/._bot.py",
        ".DS_Store",
        "__pycache__/bot.cpython-311.pyc",
        "data/Thumbs.db",
        ".git/config",
    )
    upload = inspect(packed(("data/weights.bin", b"\1\2"), *((name, b"x") for name in litter)), "b.zip")
    assert upload.ignored == litter
    assert upload.files == {"bot.py": FUNCTION, "data/weights.bin": b"\1\2"}


def test_a_zip_inside_is_plain_data() -> None:
    inner = packed(("bomb", bytes(1 << 20)))
    assert inspect(packed(("inner.zip", inner)), "b.zip").files["inner.zip"] == inner


def test_names_in_other_scripts_are_kept() -> None:
    assert "花/札.bin" in inspect(packed(("花/札.bin", b"x")), "b.zip").files


def test_a_bot_in_a_folder_is_refused_with_the_place() -> None:
    data = packed().replace(b"bot.py", b"a/b.py")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mybot/bot.py", FUNCTION)
    with pytest.raises(BadUpload, match=r"only 'mybot/bot\.py'; move it there"):
        inspect(out.getvalue(), "b.zip")
    with pytest.raises(BadUpload, match=r"no bot\.py"):
        inspect(data, "b.zip")


def test_equal_bytes_have_equal_hashes_whatever_the_name() -> None:
    assert inspect(FUNCTION, "a.py").sha256 == inspect(FUNCTION, "b.py").sha256
    assert inspect(FUNCTION, "a.py").sha256 != inspect(CLASS, "a.py").sha256


@given(st.binary(max_size=300), st.sampled_from(["b.py", "b.zip"]))
def test_any_bytes_are_accepted_or_refused_and_nothing_else(data: bytes, filename: str) -> None:
    try:
        inspect(data, filename)
    except BadUpload as error:
        assert str(error)


@given(st.data())
def test_a_damaged_archive_is_accepted_or_refused_and_nothing_else(data: st.DataObject) -> None:
    archive = bytearray(packed(("a/b", b"content" * 20), ("c", b"")))
    for _ in range(data.draw(st.integers(1, 4))):
        archive[data.draw(st.integers(0, len(archive) - 1))] = data.draw(st.integers(0, 255))
    try:
        inspect(bytes(archive), "b.zip")
    except BadUpload as error:
        assert str(error)
