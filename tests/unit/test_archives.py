"""Members out of archives, and archives that are not what they should be."""

import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnmt.corpora.archives import extract
from attnmt.errors import InputError

TEXT = b"ein Haus\n" * 5000


def member(name: str, content: bytes = b"", **more: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in more.items():
        setattr(info, key, value)
    return info, content


def pack(
    path: Path, *members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT
) -> Path:
    with tarfile.open(path, "w:gz", format=form) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return path


def refused(archive: Path, *wanted: str) -> str:
    """Return why an archive is refused; nothing may be left behind."""
    out = archive.parent / "out"
    with pytest.raises(InputError) as error:
        extract(archive, {name: out / f"{i}.txt" for i, name in enumerate(wanted)})
    assert [path for path in out.rglob("*") if path.is_file()] == []
    assert sorted(path.name for path in archive.parent.iterdir()) in (
        [archive.name],
        ["a.tgz", "out"],
    )
    assert str(error.value).startswith(f"{archive}: ")
    return str(error.value)


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_wanted_members_go_where_they_are_named(tmp_path: Path, form: int) -> None:
    long = "dev/" + "x" * 90 + "/newstest.en"
    archive = pack(
        tmp_path / "a.tgz",
        member("./dev", type=tarfile.DIRTYPE),
        member("./dev/a.en", TEXT),
        member("dev/unwanted", b"no"),
        member("dev/link", type=tarfile.SYMTYPE, linkname="a.en"),
        member(long, b"long\n"),
        member("top.de", b""),
        form=form,
    )
    targets = {"dev/a.en": tmp_path / "x/1", long: tmp_path / "2", "top.de": tmp_path / "3"}
    extract(archive, targets)
    assert [path.read_bytes() for path in targets.values()] == [TEXT, b"long\n", b""]
    files = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {archive, *targets.values()}


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.dictionaries(st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3})?", fullmatch=True), st.binary()))
def test_members_of_any_name_and_content_come_out_whole(
    tmp_path_factory: pytest.TempPathFactory, contents: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    archive = pack(folder / "a.tgz", *(member(*item) for item in contents.items()))
    targets = {name: folder / "out" / str(i) for i, name in enumerate(contents)}
    extract(archive, targets)
    assert {name: path.read_bytes() for name, path in targets.items()} == contents


@pytest.mark.parametrize(
    "kind",
    [
        {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"},
        {"type": tarfile.LNKTYPE, "linkname": "b.en"},
        {"type": tarfile.DIRTYPE},
    ],
    ids=["symbolic link", "hard link", "folder"],
)
def test_a_member_that_is_not_a_plain_file_is_refused(tmp_path: Path, kind: dict[str, Any]) -> None:
    archive = pack(tmp_path / "a.tgz", member("b.en", TEXT), member("a.en", **kind))
    assert "a.en is not a plain file" in refused(archive, "b.en", "a.en")


def test_missing_members_are_named(tmp_path: Path) -> None:
    archive = pack(tmp_path / "a.tgz", member("a.en", b"1"), member("b.en"))
    assert "has no c.en, d.en; check member" in refused(archive, "b.en", "d.en", "c.en")


@pytest.mark.parametrize("lost", [200, 500])
def test_an_archive_that_is_cut_is_refused(tmp_path: Path, lost: int) -> None:
    archive = pack(tmp_path / "a.tgz", member("a.en", TEXT), member("b.en", bytes(range(256)) * 9))
    archive.write_bytes(archive.read_bytes()[:-lost])
    assert "cannot be unpacked: " in refused(archive, "a.en", "b.en")


@pytest.mark.parametrize(
    "content", [b"", b"no archive", gzip.compress(b"no archive" * 99, mtime=0)]
)
def test_a_file_that_is_not_an_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tgz").write_bytes(content)
    refused(tmp_path / "a.tgz", "a.en")


def test_a_missing_archive_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.tgz: cannot be unpacked: No such file"):
        extract(tmp_path / "a.tgz", {"a.en": tmp_path / "a.en"})


def test_what_stood_there_stays_if_the_archive_is_refused(tmp_path: Path) -> None:
    archive = pack(tmp_path / "a.tgz", member("a.en", b"new"))
    (tmp_path / "a.en").write_bytes(b"old")
    with pytest.raises(InputError):
        extract(archive, {"a.en": tmp_path / "a.en", "b.en": tmp_path / "b.en"})
    assert (tmp_path / "a.en").read_bytes() == b"old"
