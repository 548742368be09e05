"""List the packages that a server has beside pbem, with their licences, from the locks and what is installed here.

    python -m tests.house.packages licences     a table; ends with 1 if one has a licence that is not allowed
    python -m tests.house.packages sbom FILE    the same as a bill of materials (CycloneDX 1.6, JSON)

Versions and hashes are those of ``requirements/extras.txt``, which the image has, as far as they are for this system
and this Python. Nothing is asked over a network.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from license_expression import ExpressionError, get_spdx_licensing  # type: ignore[import-untyped]
from packageurl import PackageURL
from packaging.requirements import Requirement

from tests.house.sources import ROOT

ALLOWED = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MIT-CMU", "PSF-2.0"}
ALLOWED |= {"Zlib"}
"""Licences under which anybody may pass pbem on together with the package."""
WEAK_COPYLEFT = {"LGPL-3.0-only", "MPL-2.0"}
"""Allowed in an extra: whoever passes the image on gives their sources too, unchanged as they are."""
CLASSIFIERS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
}
READ = {"dkimpy": "Zlib", "imapclient": "BSD-3-Clause", "resvg-py": "MIT"}
"""Licences that only a file of the package names; read there."""


class Package(NamedTuple):
    """A package of the lock; `requires` names those that it needs, as far as they are in the lock."""

    name: str
    version: str
    hashes: tuple[str, ...]
    licence: str
    is_extra: bool
    requires: tuple[str, ...]

    @property
    def is_allowed(self) -> bool:
        """Return whether each licence that its expression names is allowed."""
        try:
            names: set[str] = get_spdx_licensing().parse(self.licence, validate=True).objects
        except (ExpressionError, AttributeError):
            return False
        return names <= (ALLOWED | WEAK_COPYLEFT if self.is_extra else ALLOWED)


def packages(lock: Path, runtime: Path) -> list[Package]:
    """Return the packages of a lock that are for this system, by name; those not in `runtime` are of an extra."""
    always = {requirement.name for requirement, _ in _locked(runtime)}
    locked = dict(sorted((requirement.name, (requirement, hashes)) for requirement, hashes in _locked(lock)))
    return [
        Package(
            name,
            str(requirement.specifier).removeprefix("=="),
            hashes,
            licence_of(name),
            name not in always,
            tuple(sorted(set(_required(metadata.requires(name) or ())) & locked.keys())),
        )
        for name, (requirement, hashes) in locked.items()
    ]


def _locked(lock: Path) -> Iterator[tuple[Requirement, tuple[str, ...]]]:
    for line in lock.read_text("utf-8").replace("\\\n", " ").splitlines():
        if line and not line.lstrip().startswith("#"):
            requirement = Requirement(line.partition(" --hash")[0])
            if requirement.marker is None or requirement.marker.evaluate():
                yield requirement, tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})", line))


def _required(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield re.sub(r"[-_.]+", "-", requirement.name).lower()


def licence_of(name: str) -> str:
    """Return the licence of an installed package as an SPDX expression; "unknown" if nothing names it."""
    fields = metadata.metadata(name)
    named = [*(fields.get_all("License-Expression") or ()), READ.get(name)]
    named += [CLASSIFIERS.get(classifier) for classifier in fields.get_all("Classifier") or ()]
    return next(filter(None, [*named, *(fields.get_all("License") or ())]), "unknown")


def bill_of_materials(listed: Sequence[Package]) -> str:
    """Return a bill of materials as CycloneDX JSON; what is of an extra is optional."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    licences = LicenseFactory()
    bom = Bom()
    bom.metadata.component = Component(
        name=project["name"],
        version=project["version"],
        type=ComponentType.APPLICATION,
        licenses=[licences.make_from_string(project["license"])],
        bom_ref=project["name"],
    )
    components = {
        package.name: Component(
            name=package.name,
            version=package.version,
            purl=PackageURL("pypi", None, package.name, package.version),
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=content) for content in package.hashes],
            licenses=[licences.make_from_string(package.licence)],
            scope=ComponentScope.OPTIONAL if package.is_extra else ComponentScope.REQUIRED,
            bom_ref=package.name,
        )
        for package in listed
    }
    bom.components.update(components.values())
    needed = {name for package in listed for name in package.requires}
    bom.register_dependency(bom.metadata.component, (components[name] for name in components if name not in needed))
    for package in listed:
        bom.register_dependency(components[package.name], (components[name] for name in package.requires))
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def main(words: list[str]) -> int:
    """Run a command; return the exit code."""
    listed = packages(ROOT / "requirements" / "extras.txt", ROOT / "requirements" / "runtime.txt")
    if words[:1] == ["sbom"]:
        file = Path(words[1])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(bill_of_materials(listed), "utf-8")
        print(f"{file}: {len(listed)} packages")
        return 0
    for package in listed:
        extra, refused = "extra" if package.is_extra else "", "" if package.is_allowed else "not allowed"
        print(f"{package.name:<22}{package.version:<16}{extra:<8}{package.licence}  {refused}".rstrip())
    return int(not all(package.is_allowed for package in listed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
