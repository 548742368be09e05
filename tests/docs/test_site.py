"""The documents as a site: built without the network, every link leads somewhere, nothing is asked elsewhere."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = re.compile(r"""(?:src|href)=["'](https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, in a folder."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(out)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return out


def test_every_document_is_a_page_of_it_and_in_its_contents(site):
    documents = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    listed = (ROOT / "mkdocs.yml").read_text("utf-8")
    for path in documents:
        page = "template/index.html" if path.name == "README.md" else path.with_suffix(".html").as_posix()
        assert (site / page).is_file(), path
        assert path.as_posix() in listed, path
    for page in ("index", "contributing", "security", "code_of_conduct", "changelog"):
        assert (site / f"{page}.html").is_file()


def test_the_first_page_is_the_readme_with_its_pictures(site):
    page = (site / "index.html").read_text("utf-8")
    assert "A server for board wargames by email." in page
    for name in ("letter.png", "replay.png"):
        assert f'src="{name}"' in page
        assert (site / name).is_file()
    assert 'href="quickstart.html"' in page


def test_links_between_pages_lead_to_pages(site):
    for page in {*site.rglob("*.html")} - {site / "404.html"}:
        for link in re.findall(r'<a[^>]* href="([^"#:]+)(?:#[^"]*)?"', page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_no_page_asks_anybody_for_scripts_styles_or_pictures(site):
    for page in site.rglob("*.html"):
        text = re.sub(r"<a\b[^>]*>", "", page.read_text("utf-8"))
        assert not PUBLIC.search(text), page.name


def test_code_is_coloured_by_day_and_night_and_the_reader_chooses(site):
    page = (site / "server.html").read_text("utf-8")
    assert re.search(r'<div class="codehilite"><pre>.*<span class="', page)
    assert 'data-bs-theme-value="dark"' in page
    colours = (site / "code.css").read_text("utf-8")
    assert "[data-bs-theme=light] .codehilite" in colours
    assert "[data-bs-theme=dark] .codehilite" in colours


def test_the_search_finds_a_setting(site):
    entries = json.loads((site / "search/search_index.json").read_text("utf-8"))["docs"]
    assert any(entry["location"].startswith("settings.html") and "authserv_id" in entry["text"] for entry in entries)
