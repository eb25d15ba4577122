"""Adds to the site what is kept elsewhere: the reference of the REST API, and the pages of deploy/."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from api import reference
from api.app import create_app
from store.settings import Settings
from workers.services import Services

PAGE = "rest.md"
DEPLOY = Path(__file__).parents[2] / "deploy"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page to the site."""
    app = create_app(Services.of(Settings.from_env({})))
    document = app.test_client().get("/api/v1/openapi.json").get_json()
    files.append(File.generated(config, PAGE, content=reference.markdown(document)))
    for page in DEPLOY.glob("*.md"):
        files.append(File.generated(config, f"deploy/{page.name}", content=page.read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to the pages of deploy/ and to those of docs/ lead to where they are in the site."""
    if page.file.src_uri.startswith("deploy/"):
        return markdown.replace("](../docs/", "](../")
    return markdown.replace("](../../deploy/", "](../deploy/")
