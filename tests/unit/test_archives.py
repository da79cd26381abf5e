"""Members out of archives, and archives that are not what they should be."""

import tarfile
from pathlib import Path

import pytest
from packed_files import tar

from attnmt.corpora.raw_text import extract
from attnmt.errors import InputError

TEXT = b"ein Haus\n" * 5000


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_only_wanted_members_are_written(tmp_path, form):
    long = "dev/" + "x" * 90 + "/newstest.en"
    contents = {"./dev/a.en": TEXT, "dev/unwanted": b"no", long: b"long\n", "top.de": b""}
    (tmp_path / "a.tgz").write_bytes(tar(contents, form=form))
    out = tmp_path / "out"
    extract(tmp_path / "a.tgz", ["dev/a.en", long, "top.de"], out)
    written = {path for path in out.rglob("*") if path.is_file()}
    assert {path.relative_to(out).as_posix(): path.read_bytes() for path in written} == {
        "dev/a.en": TEXT,
        long: b"long\n",
        "top.de": b"",
    }


def refused(archive: Path, content: bytes) -> str:
    """Return why an archive is refused."""
    archive.write_bytes(content)
    with pytest.raises(InputError) as error:
        extract(archive, ["b.en", "d.en", "c.en"], archive.parent / "out")
    return str(error.value)


def test_missing_members_and_damaged_archives_are_named(tmp_path):
    path, content = tmp_path / "a.tgz", tar({"b.en": TEXT, "c.en": bytes(range(256)) * 9})
    assert f"{path}: has no file d.en; check member" in refused(path, content)
    for damaged in (b"", content[:-500], content[9:]):
        assert f"{path}: cannot be unpacked: " in refused(path, damaged)
