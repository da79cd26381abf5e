"""Pages that are one file each: a template of ``page_parts/`` with its style and its scripts inside.

A policy in the page forbids the browser to fetch anything and to run any other script.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

PARTS = Path(__file__).with_name("page_parts")


def render(template: str, *, styles: Sequence[str], scripts: Sequence[str], **values: Any) -> str:
    """Return a page. All text in ``values`` is escaped; a dataclass in it may become JSON."""
    script = _part(*scripts)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    environment = Environment(
        loader=FileSystemLoader(PARTS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["subscripts"] = _subscripts
    compact = {"ensure_ascii": False, "separators": (",", ":"), "default": asdict}
    environment.policies["json.dumps_kwargs"] = compact
    page = environment.get_template(template)
    return page.render(policy=policy, style=_part(*styles), script=script, **values)


def _part(*names: str) -> Markup:
    return Markup("\n".join((PARTS / name).read_text(encoding="utf-8") for name in names))


def _subscripts(text: str) -> Markup:
    """Return text in which a name such as p_t has its second letter as a subscript."""
    return Markup(re.sub(r"\b([A-Za-z])_([A-Za-z])\b", r"\1<sub>\2</sub>", str(escape(text))))
