"""OpenAI's API as its clients send it and read it, without the clients."""

import base64
import json
import struct
from typing import Any

import pytest

from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeEmbedder, FakeModel
from tests.test_http_chat import BrokenModel

COMPLETIONS = "/v1/chat/completions"


def rows(*said: str, system: str = "") -> list[dict[str, Any]]:
    """Messages as a client keeps them: the user's and ours in turn."""
    result = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(said)]
    return [{"role": "system", "content": system}, *result] if system else result


def complete(client: Client, *said: str, headers: dict[str, str] | None = None, **fields: Any) -> Any:
    body = {"model": "pi-memory", "messages": rows(*said), **fields}
    return client.post(COMPLETIONS, json=body, headers=headers)


def conversation(client: Client, *said: str, **fields: Any) -> str:
    name: str = complete(client, *said, **fields).headers["X-Conversation-Id"]
    return name


def events(text: str) -> list[Any]:
    blocks = text.strip().split("\n\n")
    return [block if block == "data: [DONE]" else json.loads(block.removeprefix("data: ")) for block in blocks]


def kept(client: Client) -> list[str]:
    return [exchange["user"] for exchange in client.get("/exchanges").json()["exchanges"]]


def test_a_completion_has_the_shape_that_clients_read(daemon: Daemon) -> None:
    answer = complete(daemon(), "hello", some_vendors_field=1)
    assert answer.status_code == 200
    said = answer.json()
    assert said["object"] == "chat.completion"
    assert said["choices"][0]["message"] == {"role": "assistant", "content": "This is a reply. ", "refusal": None}
    assert said["choices"][0]["finish_reason"] == "stop"
    assert said["usage"]["total_tokens"] == said["usage"]["prompt_tokens"] + 4
    assert said["usage"]["prompt_tokens_details"] == {"cached_tokens": 0}


def test_a_stream_begins_with_the_role_and_ends_with_usage_and_done(daemon: Daemon) -> None:
    answer = complete(daemon(), "hello", stream=True, stream_options={"include_usage": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    first, *pieces, finish, usage, done = events(answer.text)
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert "".join(piece["choices"][0]["delta"]["content"] for piece in pieces) == "This is a reply. "
    assert finish["choices"][0] == {"index": 0, "delta": {}, "finish_reason": "stop"}
    assert (usage["choices"], usage["usage"]["completion_tokens"]) == ([], 4)
    assert done == "data: [DONE]"


def test_usage_is_sent_to_those_who_ask(daemon: Daemon) -> None:
    assert "usage" not in complete(daemon(), "hello", stream=True).text


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_both_names_cut_the_reply(daemon: Daemon, name: str) -> None:
    fields: dict[str, Any] = {name: 2}
    choice = complete(daemon(), "hello", **fields).json()["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("This is ", "length")


def test_what_is_asked_of_a_reply_reaches_the_model(daemon: Daemon) -> None:
    model = FakeModel()
    schema = {"type": "object"}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    complete(daemon(model=model), "hello", temperature=0, seed=3, stop="a", top_p=0.5, response_format=form)
    (wanted,) = model.options
    assert (wanted.temperature, wanted.seed, wanted.stops, wanted.top_p) == (0, 3, ("a",), 0.5)
    assert wanted.schema == schema


def test_parts_of_text_are_text_and_a_developer_is_the_system(daemon: Daemon) -> None:
    model = FakeModel()
    content = [{"type": "text", "text": "hello"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    messages = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": content}]
    daemon(model=model).post(COMPLETIONS, json={"messages": messages})
    assert model.prompts[0][0].content.endswith("Be brief.")
    assert model.prompts[0][-1].content == "hello"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"{not json", "body"),
        (b"{}", "messages"),
        (b'{"messages": []}', "messages"),
        (b'{"messages": [{"role": "user"}]}', "messages"),
        (b'{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}', "messages"),
        (b'{"messages": [{"role": "user", "content": "x"}], "temperature": -1}', "temperature"),
        (b'{"messages": [{"role": "user", "content": "x"}], "conversation_id": "/../"}', "conversation_id"),
        (b'{"messages": [{"role": "user", "content": "x"}], "max_tokens": "many"}', "max_tokens"),
    ],
)
def test_errors_are_in_openais_words(daemon: Daemon, body: bytes, named: str) -> None:
    answer = daemon().post(COMPLETIONS, content=body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "code", "param"}
    assert named in error["message"].partition(".")[0]


def test_strangers_and_wrong_paths_meet_the_same_words(daemon: Daemon) -> None:
    client = daemon(PI_MEMORY_TOKEN="t" * 8 + "0123456789abcdef")
    refused = client.get("/v1/models")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthorized")
    client.headers["Authorization"] = "Bearer " + "t" * 8 + "0123456789abcdef"
    assert client.get("/v1/nothing").json()["error"]["code"] == "not_found"
    assert client.get(COMPLETIONS).status_code == 405
    assert "error" in client.get(COMPLETIONS).json()


def test_a_model_that_fails_midway_says_so_in_the_stream(daemon: Daemon) -> None:
    client = daemon(model=BrokenModel(1))
    *_, error = events(complete(client, "hello", stream=True).text)
    assert error["error"]["type"] == "model_error"


def test_a_model_that_fails_is_not_asked_again(daemon: Daemon) -> None:
    answer = complete(daemon(model=BrokenModel(0)), "hello", stream=True)
    assert (answer.status_code, answer.headers["x-should-retry"]) == (503, "false")


def test_the_history_of_the_client_is_not_prompted_twice(daemon: Daemon) -> None:
    model = FakeModel("Hello Ada.", "You are Ada.")
    client = daemon(model=model)
    complete(client, "I am Ada")
    complete(client, "I am Ada", "Hello Ada. ", "Who am I?")
    assert [m.content for m in model.prompts[1][1:]] == ["I am Ada", "Hello Ada. ", "Who am I?"]
    assert model.prompts[1][:2] == model.prompts[0][:2], "what was evaluated stays as it is"


def test_a_conversation_is_recognised_by_what_the_client_shows(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("One.", "Two.", "Three.", "Other."))
    first = conversation(client, "a")
    assert conversation(client, "a", "One.", "b") == first
    assert conversation(client, "b", "Two.", "c") == first, "trimmed"
    assert conversation(client, "a", "One.", "b!") == first, "edited"
    assert conversation(client, "a") != first, "begun anew"


def test_another_caller_is_in_another_conversation(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("One."))
    first = conversation(client, "a", user="ada")
    assert conversation(client, "a", "One.", "b", user="ben") != first
    assert conversation(client, "a", "One.", "b", user="ada") == first


def test_an_edited_history_is_what_the_model_reads(daemon: Daemon) -> None:
    model = FakeModel("One.")
    client = daemon(model=model)
    complete(client, "a", headers={"X-Conversation-Id": "c"})
    complete(client, "a, I mean", "Something else", "b", headers={"X-Conversation-Id": "c"})
    assert [m.content for m in model.prompts[1][1:]] == ["a, I mean", "Something else", "b"]


@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        ({"X-Conversation-Id": "home"}, {}),
        ({"X-OpenWebUI-Chat-Id": "home"}, {}),
        ({}, {"conversation_id": "home"}),
        ({}, {"metadata": {"conversation_id": "home"}}),
    ],
)
def test_a_conversation_that_is_named_goes_on(daemon: Daemon, headers: dict[str, str], fields: Any) -> None:
    model = FakeModel()
    client = daemon(model=model)
    client.post("/chat", json={"message": "I am Ada", "conversation_id": "home"})
    answer = complete(client, "Who am I?", headers=headers, **fields)
    assert answer.headers["X-Conversation-Id"] == "home"
    assert "I am Ada" in [m.content for m in model.prompts[1]]


def test_what_is_said_through_it_is_remembered_and_found_elsewhere(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    complete(client, "Remember that the pump's seal is 18 mm")
    client.settle()
    client.post("/chat", json={"message": "How wide is the seal of the pump?"})
    assert "18 mm" in model.prompts[-1][0].content + model.prompts[-1][-1].context


def test_a_tool_of_any_form_is_no_failure(daemon: Daemon) -> None:
    tools = [{"function": None}, {"function": "x"}, {}]
    assert complete(daemon(), "Hello", tools=tools).status_code == 200


@pytest.mark.parametrize(
    ("message", "headers", "fields"),
    [
        ("### Task:\nGenerate a concise title", {}, {}),
        ("### Task:\nGenerate a concise title", {"X-OpenWebUI-Chat-Id": "c"}, {}),
        ("Give it a title", {"X-Task": "title_generation"}, {"stream": True}),
        ("My name is Ada", {"X-Memory": "off"}, {}),
        (
            "What is the capital of France?",
            {},
            {"tools": [{"type": "function", "function": {"name": "test_function"}}], "max_tokens": 3},
        ),
        ("Which lamps are on?", {}, {"response_format": {"type": "json_object"}}),
    ],
)
def test_what_is_no_conversation_is_answered_and_not_kept(
    daemon: Daemon, message: str, headers: dict[str, str], fields: Any
) -> None:
    model = FakeModel()
    client = daemon(model=model)
    complete(client, "Remember that my cat is called Miso", headers={"X-Conversation-Id": "c"})
    client.settle()
    assert complete(client, message, headers=headers, **fields).status_code == 200
    client.settle()
    assert [m.text for m in model.prompts[1]] == [message], "neither persona nor memories"
    assert kept(client) == ["Remember that my cat is called Miso"]


@pytest.mark.parametrize("blank", ["", "None", "{{TASK}}"])
def test_a_template_that_was_not_filled_in_says_nothing(daemon: Daemon, blank: str) -> None:
    client = daemon()
    answer = complete(client, "hello Ada", headers={"X-Task": blank, "X-Conversation-Id": blank})
    assert answer.headers["X-Conversation-Id"].startswith("openai-")
    client.settle()
    assert kept(client) == ["hello Ada"]


def test_a_stream_that_begins_like_a_task_is_the_users(daemon: Daemon) -> None:
    client = daemon()
    complete(client, "### Task:\nwater the garden", stream=True)
    client.settle()
    assert len(kept(client)) == 1


def test_what_was_to_be_forgotten_is_not_prompted_from_the_clients_screen(daemon: Daemon) -> None:
    model = FakeModel("Noted.")
    client = daemon(model=model)
    secret = "My bank is called Fleet Street Savings"
    client.post("/memories", json={"content": secret, "quote": secret})
    (memory,) = client.get("/memories").json()["memories"]
    client.delete(f"/memories/{memory['id']}?forget=1")
    complete(client, secret, "Noted.", "hello")
    assert "Fleet Street" not in "".join(m.text for m in model.prompts[0])


def test_a_conversation_that_has_expired_begins_anew_with_what_is_shown(daemon: Daemon, clock: FakeClock) -> None:
    model = FakeModel("One.")
    client = daemon(model=model)
    first = conversation(client, "a")
    clock.pass_time(minutes=90)
    assert conversation(client, "a", "One.", "b") != first
    assert [m.content for m in model.prompts[1][1:]] == ["a", "One.", "b"]


def test_agents_are_models(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    listed = client.get("/v1/models").json()
    assert listed["object"] == "list"
    assert [card["id"] for card in listed["data"]] == ["pi-memory", "pi-memory-coder"]
    assert client.get("/v1/models/pi-memory-coder").json()["owned_by"] == "pi-memory"
    assert client.get("/v1/models/gpt-5").status_code == 404
    complete(client, "hello")
    complete(client, "hello", model="pi-memory-coder")
    assert model.prompts[0][0] != model.prompts[1][0]
    assert complete(client, "hello", model="gpt-5").status_code == 200
    assert complete(client, "hello", model="pi-memory-nobody").status_code == 422


def test_without_memory_it_answers_all_the_same(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model, ENABLE_MEMORY=False)
    assert complete(client, "a", "One.", "b").status_code == 200
    assert [m.content for m in model.prompts[0][1:]] == ["a", "One.", "b"]


def test_embeddings_come_as_they_were_asked_for(daemon: Daemon) -> None:
    client = daemon(embedder=FakeEmbedder())
    body = {"model": "m", "input": ["one text", "another"]}
    plain = client.post("/v1/embeddings", json=body).json()
    packed = client.post("/v1/embeddings", json={**body, "encoding_format": "base64"}).json()
    assert [one["index"] for one in plain["data"]] == [0, 1]
    for one, other in zip(plain["data"], packed["data"], strict=True):
        unpacked = struct.unpack("<64f", base64.b64decode(other["embedding"]))
        assert list(unpacked) == one["embedding"]


@pytest.mark.parametrize("given", [[[15339, 1917]], [15339], [], "", ["x", ""], ["x"] * 3000])
def test_what_is_no_text_is_not_embedded(daemon: Daemon, given: Any) -> None:
    answer = daemon(embedder=FakeEmbedder()).post("/v1/embeddings", json={"input": given})
    assert answer.status_code == 400
    if given and isinstance(given[0], list | int):
        assert "check_embedding_ctx_length=False" in answer.json()["error"]["message"]


def test_without_an_embedder_there_are_no_vectors(daemon: Daemon) -> None:
    assert daemon().post("/v1/embeddings", json={"input": "x"}).status_code == 422


def respond(client: Client, **fields: Any) -> Any:
    return client.post("/v1/responses", json={"model": "pi-memory", **fields})


def test_a_response_has_the_shape_that_clients_read(daemon: Daemon) -> None:
    said = respond(daemon(), input="hello", instructions="Be brief.").json()
    assert (said["object"], said["status"]) == ("response", "completed")
    (message,) = said["output"]
    assert message["content"] == [{"text": "This is a reply. ", "type": "output_text", "annotations": []}]
    assert said["usage"]["output_tokens"] == 4


def test_a_response_goes_on_with_what_the_client_shows(daemon: Daemon) -> None:
    model = FakeModel("One.")
    client = daemon(model=model)
    respond(client, input="a")
    shown = [
        {"role": "user", "content": "a"},
        {"type": "reasoning", "summary": []},
        {"role": "assistant", "content": [{"type": "output_text", "text": "One."}]},
        {"role": "user", "content": [{"type": "input_text", "text": "b"}]},
    ]
    respond(client, input=shown)
    assert [m.content for m in model.prompts[1][1:]] == ["a", "One. ", "b"]


def test_a_streamed_response_tells_its_events_in_order(daemon: Daemon) -> None:
    text = respond(daemon(), input="hello", stream=True).text
    result = [json.loads(block.partition("data: ")[2]) for block in text.strip().split("\n\n")]
    assert [event["sequence_number"] for event in result] == list(range(len(result)))
    kinds = [event["type"].removeprefix("response.") for event in result]
    assert kinds[:3] == ["created", "output_item.added", "content_part.added"]
    assert kinds[-4:] == ["output_text.done", "content_part.done", "output_item.done", "completed"]
    assert "".join(event["delta"] for event in result if "delta" in event) == "This is a reply. "


def test_a_response_that_is_not_kept_cannot_be_gone_on_with(daemon: Daemon) -> None:
    answer = respond(daemon(), input="hello", previous_response_id="resp_1")
    assert answer.status_code == 400
    assert "previous_response_id" in answer.json()["error"]["message"]
