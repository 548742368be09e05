"""Where the settings of a witness are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FILE_NAME = "witness.toml"
HERE = Path(FILE_NAME)
Config = Annotated[Path, typer.Option("--config", "-c", metavar="FILE", help="The witness's settings.")]
