"""The page in a real browser: it streams, stops, follows what changes, and nothing in it runs but its own script.

Needs Debian's Chromium and the extra `browser`; skipped where they are not there. The pictures of the documentation are
made by `python -m tests.test_page_browser`.
"""

import asyncio
import contextlib
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests import openai_server
from tests.process import Process, serving
from tests.waiting import eventually

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1200, "height": 800}
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> **bold** \u202edlrow"
PAGES = ("/", "/ui/memories", "/ui/memories/changes", "/ui/focus", "/ui/said", "/ui/health", "/ui/login")
IMAGES = Path(__file__).parents[1] / "docs" / "images"
WORDS = 400


async def slowly(request: openai_server.Request) -> None:
    """A model that says a word every 20 ms, until nobody listens."""
    await request.begin()
    for number in range(WORDS):
        await request.delta(f"word{number} ")
        await asyncio.sleep(0.02)
    await request.event("[DONE]")


@contextlib.contextmanager
def slow_model() -> Iterator[str]:
    """The address of such a server."""
    loop, ready = asyncio.new_event_loop(), threading.Event()
    done, urls = asyncio.Event(), list[str]()

    async def serve() -> None:
        async with openai_server.serving(slowly) as server:
            urls.append(server.url)
            ready.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield urls[0]
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
        loop.close()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("page" * 20)) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


class Tab:
    """A page of the browser, and what it has complained about."""

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.context = browser.new_context(base_url=url, **{"viewport": DESK, **options})
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.hosts: set[str] = set()
        self.page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))

    def open(self, path: str) -> Any:
        self.page.goto(path)
        return self.page

    def serious(self) -> list[str]:
        """What axe finds that keeps people out."""
        source = next(Path(axe.__file__).parent.rglob("axe.min.js")).read_text()
        self.page.evaluate(source)
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in ("serious", "critical")]


@contextlib.contextmanager
def tab(browser: Any, daemon: Process, **options: Any) -> Iterator[Tab]:
    opened = Tab(browser, daemon.url, **options)
    try:
        yield opened
        assert opened.errors == []
        assert opened.hosts <= {daemon.url.removeprefix("http://")}
    finally:
        opened.context.close()


def remember(daemon: Process, content: str, **more: object) -> int:
    with daemon.client as client:
        return int(client.post("/memories", json={"content": content, **more}).raise_for_status().json()["id"])


def memory(daemon: Process, number: int) -> dict[str, Any]:
    with daemon.client as client:
        found: dict[str, Any] = client.get(f"/memories/{number}").json()
        return found


def focus_file(daemon: Process) -> Path:
    return daemon.folder / "data" / "workspace" / "memory" / "RECENT_FOCUS.md"


def test_a_chat_streams_and_stops(browser: Any, tmp_path: Path) -> None:
    with slow_model() as url:
        daemon = serving(tmp_path, PI_MEMORY_PROVIDER="openai", PI_MEMORY_OPENAI_BASE_URL=url)
        with daemon as slow, tab(browser, slow) as opened:
            page = opened.open("/")
            page.fill("#message", "Tell me a long story")
            page.keyboard.press("Enter")
            page.wait_for_selector(".reply:has-text('word3 word4')")
            assert "/ui/chat/" in page.url
            page.click("#stop")
            page.wait_for_selector("footer.receipt")
            said = page.inner_text(".reply")
            assert f"word{WORDS - 1}" not in said
            page.reload()
            assert page.inner_text(".reply").startswith("word0 word1")
            assert page.inner_text("footer").count("stopped") == 1
            assert len(page.inner_text(".reply")) < len(said) + 200


def test_a_message_that_does_not_reach_the_daemon_stays_in_its_box(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as stopped:
        opened = Tab(browser, stopped.url)
        page = opened.open("/")
        stopped.stop()
        page.fill("#message", "The stopcock is in the shed")
        page.click("text=Send")
        page.wait_for_selector("#failed:text('Not sent: the daemon does not answer')")
        assert page.input_value("#message") == "The stopcock is in the shed"
        assert page.locator(".turn").count() == 0
        assert page.url == f"{stopped.url}/"
        opened.context.close()


def test_a_reply_that_breaks_off_says_so(browser: Any, tmp_path: Path) -> None:
    with slow_model() as url:
        daemon = serving(tmp_path, PI_MEMORY_PROVIDER="openai", PI_MEMORY_OPENAI_BASE_URL=url)
        with daemon as killed, contextlib.closing(Tab(browser, killed.url).context) as context:
            (page,) = context.pages
            page.goto("/")
            page.fill("#message", "Tell me a long story")
            page.keyboard.press("Enter")
            page.wait_for_selector(".reply:has-text('word3 word4')")
            killed.popen.kill()
            page.wait_for_selector("#failed:text('The reply broke off')")


def test_a_message_that_is_refused_stays_in_its_box(browser: Any, daemon: Process) -> None:
    opened = Tab(browser, daemon.url)
    page = opened.open("/")
    page.route("**/ui/chat", lambda route: route.fulfill(status=503, content_type="text/html", body="busy"))
    page.fill("#message", "Where is the ladder?")
    page.click("text=Send")
    until(page, "document.getElementById('stop').hidden")
    assert page.input_value("#message") == "Where is the ladder?"
    opened.context.close()


def test_a_change_that_does_not_reach_the_daemon_says_so(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as stopped:
        number = remember(stopped, "The ladder is red")
        opened = Tab(browser, stopped.url)
        page = opened.open(f"/ui/memories/{number}")
        stopped.stop()
        page.click("text=No longer true")
        page.wait_for_selector("#notices :text('Not done: the daemon does not answer')")
        opened.context.close()


def until(page: Any, condition: str) -> None:
    """Until an expression holds in the page, whose policy forbids it to evaluate one itself."""
    eventually(lambda: page.evaluate(condition), lambda: condition)


def in_sight(page: Any, selector: str) -> bool:
    """Whether the last element of a selector stands between the head of the page and the box that one writes in."""
    place = page.locator(selector).last.bounding_box()
    head, box = page.locator("body > header").bounding_box(), page.locator("#say").bounding_box()
    return bool(head["y"] + head["height"] <= place["y"] and place["y"] + place["height"] <= box["y"])


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_the_chat_shows_its_newest_answer(browser: Any, daemon: Process, size: dict[str, int], motion: str) -> None:
    with tab(browser, daemon, viewport=size, reduced_motion=motion) as opened:
        page = opened.open("/")
        for number in range(1, 9):
            page.fill("#message", f"Good morning, for the {number}. time")
            page.click("text=Send")
            page.wait_for_selector(f"footer.receipt >> nth={number - 1}")
            until(page, "document.getElementById('stop').hidden")
            assert in_sight(page, ".turn .you"), number
            assert in_sight(page, ".turn .reply"), number
        page.reload()
        until(page, "scrollY > 0")
        assert in_sight(page, ".turn .reply")


def test_the_box_that_one_writes_in_leaves_room_on_a_phone(browser: Any, daemon: Process) -> None:
    with tab(browser, daemon, viewport=PHONE) as opened:
        page = opened.open("/")
        assert page.evaluate("say.offsetHeight") < 120
        page.click("summary:text('Agent, project')")
        page.fill("[name=project]", "garden")
        page.fill("#message", "The pump is red")
        page.click("text=Send")
        page.wait_for_selector("footer.receipt")
    with daemon.client as client:
        assert client.get("/exchanges").json()["exchanges"][0]["project"] == "garden"


def test_who_reads_further_up_is_not_moved(browser: Any, tmp_path: Path) -> None:
    with slow_model() as url:
        daemon = serving(tmp_path, PI_MEMORY_PROVIDER="openai", PI_MEMORY_OPENAI_BASE_URL=url)
        with daemon as slow, tab(browser, slow, viewport=PHONE) as opened:
            page = opened.open("/")
            page.fill("#message", "Tell me a long story")
            page.keyboard.press("Enter")
            until(page, "scrollY > 100")
            page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
            page.wait_for_selector(".reply:has-text('word200 ')")
            assert page.evaluate("scrollY") == 0
            page.evaluate("""async () => {
                scrollTo({top: document.documentElement.scrollHeight, behavior: 'instant'});
                await new Promise((resolve) => setTimeout(resolve, 500));
                scrollTo({top: 0, behavior: 'instant'});
                say.dispatchEvent(new CustomEvent("htmx:sse:after:message"));
            }""")  # a word comes before the browser has told of the scrolling
            page.wait_for_selector(".reply:has-text('word300 ')")
            assert page.evaluate("scrollY") == 0
            page.click("#stop")
            page.wait_for_selector("footer.receipt")


def test_a_long_list_of_talks_hides_nothing_of_a_short_one(browser: Any, daemon: Process) -> None:
    with daemon.client as client:
        for number in range(40):
            body = {"message": f"Where is key {number}?", "conversation_id": f"short-{number}"}
            client.post("/chat", json=body).raise_for_status()
    with tab(browser, daemon, viewport=DESK) as opened:
        page = opened.open("/ui/chat/short-0")
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_an_answer_has_its_receipt(browser: Any, daemon: Process) -> None:
    number = remember(daemon, "The stopcock is under the cellar stairs", priority="high")
    with tab(browser, daemon) as opened:
        page = opened.open("/")
        page.fill("#message", "Where is the stopcock?")
        page.click("text=Send")
        page.click("text=1 recalled, 0 learned")
        page.click("text=Wrong")
        page.wait_for_selector("#notices :text('It no longer holds')")
        assert not memory(daemon, number)["is_valid"]
        page.click("#notices >> text=Undo")
        page.wait_for_selector("#notices :text('Undone')")
        assert memory(daemon, number)["is_valid"]


def test_a_receipt_that_is_being_read_stays_open(browser: Any, daemon: Process) -> None:
    remember(daemon, "The meter is behind the vermilion door", priority="high")
    with tab(browser, daemon) as opened:
        page = opened.open("/")
        page.fill("#message", "Where is the meter?")
        page.click("text=Send")
        page.click("text=1 recalled, 0 learned")
        footer = page.query_selector("footer.receipt")
        with daemon.client as client:
            body = {"message": "And the ladder?", "conversation_id": "elsewhere"}
            client.post("/chat", json=body).raise_for_status()
        page.wait_for_function("(footer) => !footer.isConnected", arg=footer)  # a newer one is there
        page.wait_for_selector("footer.receipt details[open] >> text=the vermilion door")


def test_a_memory_is_edited_undone_and_forgotten(browser: Any, daemon: Process) -> None:
    number = remember(daemon, "The fuse box is in the zanzibar hall")
    with tab(browser, daemon) as opened:
        page = opened.open("/ui/memories")
        page.click("text=The fuse box is in the zanzibar hall")
        page.click("summary:text('Edit')")
        page.fill(f"#content{number}", "The fuse box is in the zanzibar cellar")
        page.click("text=Save")
        page.wait_for_selector(".content:text('zanzibar cellar')")
        box, undo = page.locator("#notices .notice").bounding_box(), page.locator("#notices button").bounding_box()
        assert undo["y"] + undo["height"] <= box["y"] + box["height"]
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")  # whose end it does not hide
        main, box = page.locator("main").bounding_box(), page.locator("#notices .notice").bounding_box()
        assert main["y"] + main["height"] <= box["y"]
        page.click("#notices >> text=Undo")
        page.wait_for_selector(".content:text('zanzibar hall')")
        assert memory(daemon, number)["content"] == "The fuse box is in the zanzibar hall"
        page.click("text=No longer true")
        page.wait_for_selector("article:has-text('it ended')")
        page.click("#notices >> text=Undo")
        page.wait_for_selector("summary:text('Edit')")
        page.click("text=Forget …")
        page.wait_for_selector("text=This would go for good")
        page.click("text=Forget for good")
        page.wait_for_selector(".notice:text('Forgotten.')")
        assert memory(daemon, number)["content"] == ""


def test_a_box_that_was_drawn_larger_breaks_no_policy(browser: Any, daemon: Process) -> None:
    number = remember(daemon, "The compost is behind the shed")
    with tab(browser, daemon) as opened:
        page = opened.open(f"/ui/memories/{number}")
        page.click("summary:text('Edit')")
        page.evaluate(f"document.getElementById('content{number}').style.height = '200px'")
        page.fill(f"#content{number}", "The compost is behind the barn")
        page.click("text=Save")
        page.wait_for_selector(".content:text('barn')")


def test_it_searches_as_one_types(browser: Any, daemon: Process) -> None:
    remember(daemon, "The boiler was serviced in Vigo")
    with tab(browser, daemon) as opened:
        page = opened.open("/ui/memories")
        page.locator("#q").press_sequentially("boiler", delay=20)
        page.wait_for_selector("#results:has-text('found, the best first')")
        assert "The boiler was serviced in Vigo" in page.inner_text("#results")
        assert "/ui/memories" in page.url


def test_a_conflict_is_settled_by_a_button(browser: Any, daemon: Process) -> None:
    older = remember(daemon, "The bus leaves at 7.40")
    newer = remember(daemon, "The evening bus leaves at 8.10")
    with daemon.client as client:
        (conflict,) = client.get("/memories/conflicts").json()["conflicts"]
    assert (conflict["older"]["id"], conflict["newer"]["id"]) == (older, newer)
    with tab(browser, daemon) as opened:
        page = opened.open("/ui/memories")
        assert opened.serious() == []
        page.click("#conflicts button[aria-label='This holds: The evening bus leaves at 8.10']")
        page.wait_for_selector("#notices :text('The other one no longer holds')")
        assert page.inner_text("#conflicts") == ""
        assert not memory(daemon, older)["is_valid"]
        page.click("#notices >> text=Undo")
        page.wait_for_selector("#notices :text('Undone')")
        assert memory(daemon, older)["is_valid"]
        page = opened.open("/ui/memories")
        page.click("#conflicts button:text('Both hold')")  # it is asked again
        page.wait_for_selector("#notices :text('Both hold')")
        assert page.inner_text("#conflicts") == ""
        page.click("#notices >> text=Undo")
        page.wait_for_selector("#notices :text('Undone')")
        page = opened.open("/ui/memories")
        page.click("#conflicts button:text('Both hold')")
        page.wait_for_selector("#notices :text('Both hold')")
        assert memory(daemon, older)["is_valid"]


def test_what_is_found_is_in_sight_on_a_phone(browser: Any, daemon: Process) -> None:
    remember(daemon, "The trowel hangs by the door")
    with tab(browser, daemon, viewport=PHONE) as opened:
        page = opened.open("/ui/memories")
        page.locator("#q").press_sequentially("trowel door", delay=20)
        page.wait_for_selector("#results:has-text('found, the best first')")
        place = page.locator("#results li").first.bounding_box()
        assert place["y"] + place["height"] < PHONE["height"] * 0.75


def test_memories_of_a_type_are_shown_as_it_is_chosen(browser: Any, daemon: Process) -> None:
    remember(daemon, "To prune the quince, wait for February", type="procedural")
    remember(daemon, "The quince was pruned")
    with tab(browser, daemon) as opened:
        page = opened.open("/ui/memories")
        page.select_option("#type", "procedural")
        page.wait_for_selector("#results:not(:has-text('was pruned'))")
        assert "To prune the quince" in page.inner_text("#results")


def test_a_topic_is_renamed_and_the_file_changes(browser: Any, daemon: Process) -> None:
    with daemon.client as client:
        client.put("/focus/attic").raise_for_status()
    with tab(browser, daemon) as opened:
        page = opened.open("/ui/focus/topic/attic")
        page.fill("#rename", "loft")
        page.click("text=Rename")
        page.wait_for_selector("h1:text('loft')")
        assert "**loft**" in focus_file(daemon).read_text()
        assert "**attic**" not in focus_file(daemon).read_text()


def test_the_page_follows_an_edit_of_the_file(browser: Any, daemon: Process) -> None:
    with daemon.client as client:
        client.put("/focus/kitchen").raise_for_status()
    with tab(browser, daemon) as opened:
        page = opened.open("/ui/focus")
        page.wait_for_selector("#topics a:text('kitchen')")
        file = focus_file(daemon)
        file.write_text(file.read_text().replace("**kitchen**", "**scullery**"))
        page.wait_for_selector("#topics a:text('scullery')")
        until(page, "document.getElementById('text').value.includes('**scullery**')")


def test_what_changed_before_the_page_followed_is_not_missed(browser: Any, daemon: Process) -> None:
    with tab(browser, daemon) as opened, daemon.client as client:

        def late(route: Any) -> None:
            client.put("/focus/porch").raise_for_status()
            route.continue_()

        opened.page.route("**/live?*", late, times=1)
        page = opened.open("/ui/focus")
        page.wait_for_selector("#topics a:text('porch')")


def test_what_is_stored_is_text(browser: Any, daemon: Process) -> None:
    number = remember(daemon, HOSTILE)
    with daemon.client as client:
        client.post("/chat", json={"message": f"{HOSTILE} \x1b[31m {'x' * 100_000}", "conversation_id": "hostile"})
    with tab(browser, daemon, viewport=PHONE) as opened:
        one = f"/ui/memories/{number}"
        for path in ("/ui/memories", one, f"{one}/history", "/ui/said", "/ui/chat/hostile", "/"):
            page = opened.open(path)
            assert "owned" not in page.title()
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
        page.fill("#message", HOSTILE)
        page.click("text=Send")
        page.wait_for_selector("footer.receipt")
        assert HOSTILE in page.inner_text(".you")
        assert "owned" not in page.title()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_everybody_can_use_it(browser: Any, daemon: Process, scheme: str, size: dict[str, int]) -> None:
    number = remember(daemon, f"The ladder is red in the {scheme}")
    with tab(browser, daemon, viewport=size, color_scheme=scheme) as opened:
        one = f"/ui/memories/{number}"
        for path in (*PAGES, one, f"{one}/history", f"{one}/forget"):
            page = opened.open(path)
            assert opened.serious() == [], path
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], path


def test_it_is_used_with_the_keyboard(browser: Any, daemon: Process) -> None:
    with tab(browser, daemon) as opened:
        page = opened.open("/ui/health")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
        for _ in range(3):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**/ui/memories")


def test_it_is_read_without_javascript(browser: Any, daemon: Process) -> None:
    remember(daemon, "The ladder is in the shed")
    with tab(browser, daemon, java_script_enabled=False) as opened:
        page = opened.open("/ui/memories")
        page.fill("#q", "ladder")
        page.click("text=Search")
        page.click("text=The ladder is in the shed")
        page.click("text=History")
        assert "added" in page.inner_text("main")
        page.goto("/")
        page.fill("#message", "Good morning")
        page.click("text=Send")
        assert "Good morning" in page.inner_text(".you")


def test_a_phone_logs_in_by_its_code(browser: Any, tmp_path: Path) -> None:
    token = "0123456789-abcdefghij"
    with serving(tmp_path, PI_MEMORY_TOKEN=token) as private, tab(browser, private, viewport=PHONE) as opened:
        page = opened.open("/ui/memories")
        assert page.url.endswith("/ui/login")
        page.goto("about:blank")
        page.goto(f"{private.url}/ui/login#{token}")
        page.wait_for_selector("#say")
        assert token not in page.url
        assert page.evaluate("document.cookie") == ""


def picture(daemon: Process, browser: Any, name: str, path: str, *, click: str = "", **options: Any) -> None:
    with tab(browser, daemon, **options) as opened:
        page = opened.open(path)
        if click:
            page.locator(click).last.click()
        page.wait_for_timeout(500)
        IMAGES.mkdir(exist_ok=True)
        page.screenshot(path=IMAGES / f"{name}.png")


def make_pictures() -> None:
    """The pictures of the documentation: a daemon with a few days of somebody's life."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as daemon, daemon.client as client:
        talk(client)
        with playwright.sync_playwright() as driver:
            started = driver.chromium.launch(executable_path=CHROMIUM)
            window = {"width": 1000, "height": 640}
            picture(daemon, started, "chat", "/ui/chat/home", click="text=Why this answer", viewport=window)
            picture(daemon, started, "focus", "/ui/focus", viewport=window)
            picture(daemon, started, "memories-phone", "/ui/memories", viewport=PHONE, color_scheme="dark")
            started.close()


def talk(client: httpx2.Client) -> None:
    for days, topic in ((0, "garden/pump"), (2, "shop/checkout"), (6, "boat"), (14, "taxes")):
        at = time.time() - days * 86_400
        files = [f"/home/me/{topic}/plan.md"]
        sent = {"session_id": f"s{days}", "user_message": f"work on {topic}", "file_paths": files, "at": at}
        client.post("/activity?wait=1", json=sent).raise_for_status()
    for message in (
        "Remember that the stopcock is under the cellar stairs.",
        "Remember that Anna's birthday is on 3 May.",
        "I prefer answers in one sentence.",
    ):
        client.post("/chat", json={"message": message, "conversation_id": "facts"}).raise_for_status()
    for message in ("The pump in the garden needs a new seal.", "Where is the stopcock?"):
        client.post("/chat", json={"message": message, "conversation_id": "home"}).raise_for_status()


if __name__ == "__main__":
    make_pictures()
