"""Members out of archives, and archives that are not what they should be."""

import tarfile
from pathlib import Path
from typing import Any

import pytest
from packed_files import tar

from attnmt.corpora.archives import extract
from attnmt.errors import InputError

TEXT = b"ein Haus\n" * 5000


def pack(path: Path, contents: dict[str, bytes], **how: Any) -> Path:
    path.write_bytes(tar(contents, **how))
    return path


def refused(archive: Path, *wanted: str) -> str:
    """Return why an archive is refused."""
    with pytest.raises(InputError) as error:
        extract(archive, wanted, archive.parent / "out")
    assert str(error.value).startswith(f"{archive}: ")
    return str(error.value)


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_only_wanted_members_are_written(tmp_path, form):
    long = "dev/" + "x" * 90 + "/newstest.en"
    contents = {"./dev/a.en": TEXT, "dev/unwanted": b"no", long: b"long\n", "top.de": b"", "x": b""}
    archive = pack(tmp_path / "a.tgz", contents, form=form, type=tarfile.SYMTYPE, linkname="top.de")
    out = tmp_path / "out"
    extract(archive, ["dev/a.en", long, "top.de"], out)
    written = {path for path in out.rglob("*") if path.is_file()}
    assert {path.relative_to(out).as_posix(): path.read_bytes() for path in written} == {
        "dev/a.en": TEXT,
        long: b"long\n",
        "top.de": b"",
    }


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE])
def test_a_member_that_is_not_a_plain_file_is_refused(tmp_path, kind):
    archive = pack(tmp_path / "a.tgz", {"b.en": TEXT, "a.en": b""}, type=kind, linkname="b.en")
    assert "a.en is not a plain file" in refused(archive, "b.en", "a.en")


def test_missing_members_and_archives_are_named(tmp_path):
    archive = pack(tmp_path / "a.tgz", {"a.en": b"1", "b.en": b""})
    assert "has no c.en, d.en; check member" in refused(archive, "b.en", "d.en", "c.en")
    assert "cannot be unpacked: No such file" in refused(tmp_path / "b.tgz", "a.en")


@pytest.mark.parametrize("kept", [slice(0), slice(-500), slice(9, None)])
def test_an_archive_that_is_damaged_is_refused(tmp_path, kept):
    archive = pack(tmp_path / "a.tgz", {"a.en": TEXT, "b.en": bytes(range(256)) * 9})
    archive.write_bytes(archive.read_bytes()[kept])
    assert "cannot be unpacked: " in refused(archive, "a.en", "b.en")
