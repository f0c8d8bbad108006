"""The pages for people, as HTML over HTTP: they show what the API answers, and change it by forms."""

import re
from html import unescape
from pathlib import Path

import pytest

from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeModel

PAGES = ("/", "/ui/memories", "/ui/memories/changes", "/ui/focus", "/ui/said", "/ui/health")
HTMX = {"HX-Request": "true"}
TOKEN = "a-long-secret-0123456789"
STATIC = Path(__file__).parents[1] / "pi_memory" / "web" / "static"
HOSTILE = "<script>alert(1)</script> **bold** <b>x</b> \u202edlrow\u202c \x1b[31mred"


def remember(client: Client, content: str, **more: object) -> int:
    answer = client.post("/memories", json={"content": content, **more}).raise_for_status()
    return int(answer.json()["id"])


def doubt(client: Client, *contents: str) -> None:
    """Two memories of which the second may make the first untrue."""
    older, newer = (remember(client, content) for content in contents)
    assert client.portal is not None
    client.portal.call(client.parts.memories.doubt, newer, older, 0.5)


def say(client: Client, message: str, name: str = "c", **more: str) -> None:
    body = {"message": message, "conversation_id": name, **more}
    client.post("/chat", json=body).raise_for_status()
    client.settle()


def text(client: Client, path: str, *, target: str = "") -> str:
    """What a page says; with `target` only the part that takes the place of the element of this id."""
    headers = {**HTMX, "HX-Target": f"div#{target}"} if target else {}
    return client.get(path, headers=headers).raise_for_status().text


def words(html: str) -> str:
    """The text of a page."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_read_without_javascript(daemon: Daemon, path: str) -> None:
    answer = daemon().get(path)
    assert answer.status_code == 200
    assert answer.text.startswith("<!doctype html>")
    assert "<h1" in answer.text


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_nothing_from_elsewhere(daemon: Daemon, path: str) -> None:
    answer = daemon().get(path)
    assert re.findall(r"(?:src|href|action)=\"(?!/|\?|#)[^\"]*", answer.text) == []
    assert " style=" not in answer.text
    assert " on" not in re.sub(r"[^<]*(<[^>]*>)?", r"\1", answer.text).replace(" one", "")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy


def test_all_that_a_page_loads_is_small(daemon: Daemon) -> None:
    client = daemon()
    for number in range(25):
        remember(client, f"The pump number {number} is red and stands in the shed behind the house")
    for number in range(4):
        doubt(client, f"The code of gate {number}, behind the house, is 2580", f"Gate {number} has 7714 from now on")
    for path in PAGES:
        html = text(client, path)
        files = re.findall(r"(?:src|href)=\"(/ui/static/[^\"]+)", html)
        assert len(html.encode()) + sum(len(client.get(file).content) for file in files) <= 80_000, path


def test_files_are_kept_by_the_browser_and_come_with_their_licences(daemon: Daemon) -> None:
    answer = daemon().get("/ui/static/htmx.min.js")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")
    licences = (STATIC / "LICENSES.txt").read_text()
    assert all(name in licences for name in ("htmx.org 4.0.1", "simpledotcss 2.3.7", "MIT License"))


def test_what_is_stored_is_text(daemon: Daemon) -> None:
    client = daemon(model=FakeModel(HOSTILE))
    number = remember(client, HOSTILE.replace("\x1b", ""))
    say(client, HOSTILE)
    client.put("/focus/garden").raise_for_status()
    pages = ("/ui/memories", f"/ui/memories/{number}", f"/ui/memories/{number}/history", "/ui/said", "/ui/chat/c", "/")
    for path in (*pages, "/ui/exchanges/1", "/ui/memories?q=bold", f"/ui/memories/{number}/forget"):
        html = text(client, path)
        assert "alert(1)" in html, path
        assert "<script>" not in html, path
        assert "<b>" not in html, path
        assert "\x1b" not in html, path


def test_a_memory_is_found_with_its_scores(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "The pump is in the red shed")
    found = words(text(client, "/ui/memories?q=pump", target="results"))
    assert "1 found" in found
    assert "The pump is in the red shed" in found
    assert re.search(r"like the question [01]\.\d\d \(words [01]\.\d\d, meaning 0\.00\) × strength 1\.00", found)


def test_a_memory_has_its_id_in_lists_and_on_its_page(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "The pump is in the red shed")
    for path in ("/ui/memories", "/ui/memories?q=pump", "/ui/memories/1"):
        assert re.search(r"\bm1\b", words(text(client, path))), path


def test_a_memory_is_added_edited_undone_and_ended(daemon: Daemon) -> None:
    client = daemon()
    assert "Likes tea" in client.post("/ui/memories", data={"content": "Likes tea"}, headers=HTMX).text
    client.post("/ui/memories/1", data={"content": "Likes green tea"}, headers=HTMX).raise_for_status()
    history = text(client, "/ui/memories/1/history")
    assert '<del dir="auto">Likes tea</del>' in history
    (event,) = re.findall(r"/ui/events/(2)/undo", history)[:1]
    assert "Undone." in client.post(f"/ui/events/{event}/undo", headers=HTMX).text
    assert "Likes tea" in text(client, "/ui/memories/1")
    ended = client.post("/ui/memories/1/close", headers=HTMX).text
    assert "It no longer holds." in ended
    assert "/undo" in ended
    assert not client.get("/memories/1").json()["is_valid"]


@pytest.mark.parametrize(("holds", "ends", "left"), [("2", "1", [False, True]), ("both", "", [True, True])])
def test_a_conflict_is_settled_without_javascript(daemon: Daemon, holds: str, ends: str, left: list[bool]) -> None:
    client = daemon()
    doubt(client, "The gate code is 2580", "The code for the side gate is 7714")
    page = text(client, "/ui/memories")
    assert "These two cannot both hold: which?" in page
    (action,) = set(re.findall(r'action="(/ui/memories/conflicts/\d+)"', page))
    answer = client.post(action, data={"holds": holds, "ends": ends}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui/memories")
    assert [client.get(f"/memories/{number}").json()["is_valid"] for number in (1, 2)] == left
    assert "which?" not in text(client, "/ui/memories")


def test_after_one_conflict_come_the_others_and_the_undo(daemon: Daemon) -> None:
    client = daemon()
    doubt(client, "Minka purrs", "The roof leaks")
    doubt(client, "Zoe paints ships", "Rain fell all of June")
    doubt(client, "Our kiln is cold", "Tax is due")
    doubt(client, "Jazz plays upstairs", "Felix swims")
    doubt(client, "Bread needs salt", "<b> zebras run")
    assert "and 2 more" in text(client, "/ui/memories")
    answer = client.post("/ui/memories/conflicts/5", data={"holds": "10", "ends": "9"}, headers=HTMX).text
    assert "and 1 more" in answer
    assert "zebras" not in answer
    assert "<b>" not in answer
    (undo,) = re.findall(r'action="(/ui/events/\d+/undo)"', answer)
    client.post(undo, headers=HTMX).raise_for_status()
    assert client.get("/memories/9").json()["is_valid"]


@pytest.mark.parametrize("data", [{}, {"holds": "7"}, {"holds": "9" * 5_000}, {"holds": "<b>"}])
def test_what_settles_no_conflict_is_refused_in_words(daemon: Daemon, data: dict[str, str]) -> None:
    client = daemon()
    doubt(client, "The gate code is 2580", "The code for the side gate is 7714")
    answer = client.post("/ui/memories/conflicts/1", data=data, headers=HTMX)
    assert answer.status_code == 400
    assert "notice" in answer.text
    assert "<b>" not in answer.text


def test_a_search_for_what_is_not_known_finds_nothing(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "The pump is red")
    assert "Nothing is known about that." in words(text(client, "/ui/memories?q=xylophone%20quantum", target="results"))
    assert "1 found, the best first" in words(text(client, "/ui/memories?q=red%20pump", target="results"))


@pytest.mark.parametrize("query", ["", "&q=pump"])
def test_memories_are_shown_by_type_and_priority(daemon: Daemon, query: str) -> None:
    client = daemon()
    remember(client, "The pump is red", priority="high")
    remember(client, "To start the pump, open the valve", type="procedural", priority="high")
    remember(client, "The pump was repaired", type="episodic")
    shown = text(client, f"/ui/memories?type=procedural{query}")
    assert '<option value="procedural" selected>how to do it</option>' in shown
    assert re.search(r'<details class="filters"[^>]* open>', shown)
    found = text(client, f"/ui/memories?type=procedural{query}", target="results")
    assert re.findall(r"The pump was|open the valve|is red", found) == ["open the valve"]
    high = text(client, f"/ui/memories?priority=high{query}", target="results")
    assert set(re.findall(r"The pump was|open the valve|is red", high)) == {"open the valve", "is red"}


def test_forgetting_shows_first_what_would_go(daemon: Daemon) -> None:
    client = daemon()
    say(client, "Remember that my safe opens with zanzibar.")
    would = words(text(client, "/ui/memories/1/forget"))
    assert would.count("zanzibar") >= 2
    assert client.get("/memories/1").json()["content"]
    assert "Forgotten." in client.post("/ui/memories/1/forget", headers=HTMX).text
    assert client.get("/memories/1").json()["content"] == ""
    assert "zanzibar" not in text(client, "/ui/said")


def test_what_was_forgotten_is_remembered_again_by_a_button(daemon: Daemon) -> None:
    client = daemon()
    sent = {"content": "The safe opens with zanzibar.", "namespace": "user"}
    client.post("/ui/memories", data=sent).raise_for_status()
    client.post("/ui/memories/1/forget").raise_for_status()
    refused = client.post("/ui/memories", data=sent)
    assert refused.status_code == 409
    assert "You had this forgotten" in refused.text
    assert "POST" not in words(refused.text)
    given = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', refused.text))
    assert given == {**sent, "anyway": "1"}
    shown = client.post("/ui/memories", data=given, headers=HTMX).text
    assert "zanzibar" in shown
    assert "Remembered again." in shown


def test_an_edit_to_what_was_forgotten_says_where_it_is_added_again(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "The safe opens with zanzibar.")
    client.post("/ui/memories/1/forget").raise_for_status()
    other = remember(client, "The safe is green")
    answer = client.post(f"/ui/memories/{other}", data={"content": "The safe opens with zanzibar."}, headers=HTMX)
    assert "add it again, under Memories." in words(answer.text)


def test_a_conversation_without_words_is_no_number(daemon: Daemon) -> None:
    client = daemon()
    say(client, "Off the record: I am looking for a new job.", "24a78a9d")
    shown = text(client, "/", target="conversations")
    assert "24a78a9d" not in words(shown)
    assert "Without words of yours" in shown


def test_a_memory_that_was_written_anew_says_so_beside_the_old_words(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    say(client, "Remember that my safe opens with zanzibar.")
    assert "From you said so" in words(text(client, "/ui/memories/1"))
    clock.pass_time(days=1)
    client.post("/ui/memories/1", data={"content": "The safe opens with madrid."}, headers=HTMX).raise_for_status()
    shown = words(text(client, "/ui/memories/1"))
    assert "From written by hand; before that you said so" in shown
    assert "Said at first" in shown
    assert "In the words" not in shown


def test_what_was_edited_today_is_shown_before_and_after(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "The ladder is red")
    client.patch("/memories/1", json={"content": "The ladder is blue"}).raise_for_status()
    shown = text(client, "/ui/memories/changes")
    assert re.search(r"<del[^>]*>The ladder is red</del> <ins[^>]*>The ladder is blue</ins>", shown)
    assert "by api" not in words(shown)


def test_what_would_go_is_listed_once(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "The trowel hangs by the door.")
    for name in "abc":
        say(client, "The trowel hangs by the door.", name)
    would = text(client, "/ui/memories/1/forget")
    assert would.count("The trowel hangs by the door.") == 1
    assert "exchange 3×" in words(would)


def test_an_undo_brings_the_memory_as_it_is_now(daemon: Daemon) -> None:
    client = daemon()
    number = remember(client, "The fuse box is in the hall")
    closed = client.post(f"/ui/memories/{number}/close", headers=HTMX).text
    (undo,) = re.findall(r'action="(/ui/events/\d+/undo)"', closed)
    shown = client.post(undo, headers=HTMX).text
    assert f'hx-target="#memory{number}"' in shown
    assert "it ended" not in shown
    assert "Edit" in words(shown)


def test_what_changed_is_shown(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "Likes tea")
    client.delete("/memories/1").raise_for_status()
    shown = words(text(client, "/ui/memories/changes"))
    assert "ended Likes tea" in shown
    assert "added Likes tea" in shown


def test_a_reply_streams_into_its_place(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("All <is>\nwell."))
    sent = {"message": "How <are> you?", "conversation_id": "c"}
    answer = client.post("/ui/chat", data=sent, headers=HTMX)
    assert answer.headers["content-type"].startswith("text/event-stream")
    first, *pieces = [e.replace("data: ", "") for e in answer.text.strip().split("\n\n")]
    (place,) = re.findall(r'id="(t\w+)"', first)
    assert "How &lt;are&gt; you?" in first
    assert f'<hx-partial hx-target="#{place} .reply" hx-swap="beforeend">All </hx-partial>' in pieces
    assert "&lt;is&gt;" in "".join(pieces)
    assert "0 recalled, 0 learned" in pieces[-1]


def test_a_chat_without_javascript_goes_on_on_its_page(daemon: Daemon) -> None:
    client = daemon()
    answer = client.post("/ui/chat", data={"message": "Hello", "conversation_id": "c"})
    assert answer.url.path == "/ui/chat/c"
    assert "Hello This is a reply." in words(answer.text)


def test_an_empty_message_is_refused_in_words(daemon: Daemon) -> None:
    client = daemon()
    answer = client.post("/ui/chat", data={"message": " "}, headers=HTMX)
    assert answer.status_code == 400
    assert "Send what you want to say." in answer.text
    page = client.post("/ui/chat", data={"message": " "})
    assert (page.status_code, page.text[:15]) == (400, "<!doctype html>")


def test_conversations_are_listed_found_and_read_after_they_ended(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    say(client, "The pump is in the red shed", "a", project="garden")
    clock.pass_time(days=2)
    say(client, "Hello", "b")
    assert "The pump is in the red shed" in text(client, "/", target="conversations")
    assert "/ui/chat/a" in text(client, "/?q=pump", target="conversations")
    shown = words(text(client, "/ui/chat/a"))
    assert "This conversation has ended" in shown
    assert "This is a reply." in shown


def test_a_receipt_says_what_was_recalled_and_changes_it(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "The pump is in the red shed", priority="high")
    say(client, "Where is the pump?")
    shown = words(text(client, "/ui/exchanges/1"))
    assert re.search(r"1 recalled, 0 learned .*The pump is in the red shed a memory · score [01]\.\d\d", shown)
    before = client.get("/memories/1").json()["strength"]
    client.post("/ui/memories/1/not-now", data={"session_id": "c"}, headers=HTMX).raise_for_status()
    assert client.get("/memories/1").json()["strength"] < before
    client.post("/ui/memories/1/close", headers=HTMX).raise_for_status()
    assert not client.get("/memories/1").json()["is_valid"]


def test_what_was_learned_is_taken_back(daemon: Daemon) -> None:
    client = daemon()
    say(client, "Remember that my safe opens with zanzibar.")
    assert "0 recalled, 1 learned" in words(text(client, "/ui/exchanges/1"))
    assert "as if" in client.post("/ui/memories/1/unlearn", headers=HTMX).text
    assert not client.get("/memories/1").json()["is_valid"]


def test_topics_are_drawn_as_they_fade(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    client.put("/focus/garden").raise_for_status()
    clock.pass_time(days=7)
    shown = text(client, "/ui/focus", target="topics")
    assert "garden: strength 48 %" in shown
    points = re.findall(r'points="([^"]+)', shown)[0].split()
    assert points[1] == "0,14.6"
    assert "leaves 23 Mar" in shown


def test_a_topic_is_renamed_dropped_and_brought_back(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/garden").raise_for_status()
    sent = {"do": "rename", "rename_to": "allotment"}
    assert "It is called allotment now." in client.post("/ui/focus/topic/garden", data=sent, headers=HTMX).text
    dropped = client.post("/ui/focus/topic/allotment", data={"do": "drop"}, headers=HTMX).text
    (undo,) = re.findall(r"notice.*?/ui/events/(\d+)/undo", dropped, re.DOTALL)[:1]
    assert client.get("/focus").json()["topics"] == []
    client.post(f"/ui/events/{undo}/undo", headers=HTMX).raise_for_status()
    assert [topic["topic"] for topic in client.get("/focus").json()["topics"]] == ["allotment"]


def test_the_file_is_edited_on_the_page(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon()
    client.put("/focus/garden").raise_for_status()
    before = client.get("/focus.md").text
    edited = before.replace("**garden**", "**allotment**")
    answer = client.post("/ui/focus/file", data={"text": edited, "base": before}, headers=HTMX)
    assert "allotment" in answer.text
    assert "allotment" in (tmp_path / "data" / "workspace" / "memory" / "RECENT_FOCUS.md").read_text()
    refused = client.post("/ui/focus/file", data={"text": "hello", "base": before}, headers=HTMX)
    assert refused.status_code == 422
    assert "nothing has been changed" in refused.text


def test_a_topic_shows_its_files_sessions_and_memories(daemon: Daemon) -> None:
    client = daemon()
    say(client, "please change /home/me/shop/auth/login.py", "b")
    name = client.get("/focus").json()["topics"][0]["topic"]
    remember(client, "Logins expire after a day", topics=[name])
    shown = words(text(client, f"/ui/focus/topic/{name}"))
    for part in ("login.py", "please change", "Logins expire after a day"):
        assert part in shown


def test_what_was_said_is_listed_by_day_and_deleted(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    say(client, "The pump is red", project="garden")
    clock.pass_time(days=1)
    say(client, "Good morning")
    shown = text(client, "/ui/said")
    assert shown.count('<h2 class="day">') == 2
    assert "red" not in words(text(client, "/ui/said?q=morning", target="results"))
    assert "The pump is red" in words(text(client, "/ui/exchanges/1/forget"))
    client.post("/ui/exchanges/1/forget", headers=HTMX).raise_for_status()
    assert "pump" not in words(text(client, "/ui/said"))


def test_health_says_what_is_degraded_and_which_settings_count(daemon: Daemon) -> None:
    shown = words(text(daemon(MEMORY_MAX_TURNS=3), "/ui/health"))
    assert "All is well." in shown
    assert "Log out" not in shown
    assert "MEMORY_MAX_TURNS 3" in shown


def test_without_memory_one_can_still_chat(daemon: Daemon) -> None:
    client = daemon(ENABLE_MEMORY="false")
    for path in ("/", "/ui/health"):
        assert client.get(path).status_code == 200
    assert client.get("/ui/memories").status_code == 409
    answer = client.post("/ui/chat", data={"message": "Hello", "conversation_id": "c"}, headers=HTMX)
    assert "This" in answer.text


def test_a_stranger_is_led_to_the_login(daemon: Daemon) -> None:
    client = daemon(PI_MEMORY_TOKEN=TOKEN)
    answer = client.get("/ui/memories")
    assert (answer.url.path, answer.status_code) == ("/ui/login", 200)
    part = client.get("/ui/memories", headers=HTMX)
    assert (part.status_code, part.headers["hx-redirect"]) == (401, "/ui/login")
    assert client.get("/memories").status_code == 401
    assert client.get("/ui/static/page.css").status_code == 200


def test_the_token_becomes_a_cookie(daemon: Daemon) -> None:
    client = daemon(PI_MEMORY_TOKEN=TOKEN)
    assert client.post("/ui/login", data={"token": "wrong"}).status_code == 401
    answer = client.post("/ui/login", data={"token": TOKEN}, follow_redirects=False)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert TOKEN not in cookie
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/ui/memories").status_code == client.get("/memories").status_code == 200
    assert "Log out" in text(client, "/ui/health")
    client.post("/ui/logout")
    assert client.get("/memories").status_code == 401


def test_a_cookie_of_another_token_opens_nothing(daemon: Daemon) -> None:
    client = daemon(PI_MEMORY_TOKEN=TOKEN)
    client.cookies.set("pi_memory", "0" * 64)
    assert client.get("/memories").status_code == 401
    client.cookies.set("pi_memory", TOKEN)
    assert client.get("/memories").status_code == 401


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "same-site"}, {"Origin": "http://127.0.0.1:3000"}])
def test_another_page_may_not_send(daemon: Daemon, headers: dict[str, str]) -> None:
    client = daemon()
    remember(client, "Likes tea")
    assert client.post("/ui/memories/1/close", headers=headers).status_code == 403
    assert client.get("/memories/1").json()["is_valid"]
