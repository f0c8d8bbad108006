from datetime import UTC, datetime

import pytest

from pi_memory.model.chat_template import Form, UnusableTemplate, learn
from tests.gguf_files import CHATML

NOW = datetime(2026, 2, 3, tzinfo=UTC)

QWEN = """{%- if messages[0]['role'] == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nYou are Qwen.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == "user" or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""

GEMMA = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}
{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate') }}{% endif %}
{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}
{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}
{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}"""

LLAMA2 = """{% for m in messages %}{% if m.role == 'user' %}{{ bos_token + '[INST] ' + m.content + ' [/INST]' }}
{%- elif m.role == 'assistant' %}{{ ' ' + m.content + ' ' + eos_token }}{% endif %}{% endfor %}"""

THINKING = (
    CHATML.replace("{{ m.content }}", "{{ m.content.split('</think>')[-1] }}").removesuffix("{% endif %}")
    + "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)


def form(source: str) -> Form:
    return learn(source, bos="<s>", eos="</s>", now=NOW)


def test_a_template_becomes_literals() -> None:
    learned = form(CHATML)
    assert learned.system == "<|im_start|>system\n"
    assert learned.after_system == "<|im_end|>\n<|im_start|>user\n"
    assert learned.first == "<|im_start|>user\n"
    assert learned.opening == "<|im_end|>\n<|im_start|>assistant\n"
    assert learned.closing == "<|im_end|>\n<|im_start|>user\n"


def test_a_default_system_text_belongs_to_conversations_without_one() -> None:
    learned = form(QWEN)
    assert learned.first == "<|im_start|>system\nYou are Qwen.<|im_end|>\n<|im_start|>user\n"
    assert learned.system == "<|im_start|>system\n"


def test_a_template_that_refuses_the_system_role() -> None:
    learned = form(GEMMA)
    assert learned.system is None
    assert learned.first == "<s><start_of_turn>user\n"
    assert learned.opening == "<end_of_turn>\n<start_of_turn>model\n"


def test_a_template_that_leaves_the_system_text_out() -> None:
    learned = form(LLAMA2)
    assert learned == Form("<s>[INST] ", " [/INST]", " </s><s>[INST] ", system=None, after_system="")


def test_thinking_is_off_and_the_history_keeps_the_same_opening() -> None:
    assert form(THINKING).opening == "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"


def test_a_forced_thought_is_closed() -> None:
    forced = CHATML.replace("<|im_start|>assistant\n{%", "<|im_start|>assistant\n<think>\n{%")
    assert form(forced).opening.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")


def test_a_template_that_ignores_the_generation_prompt() -> None:
    ignoring = CHATML.partition("{% if add")[0]
    assert form(ignoring).opening == "<|im_end|>\n<|im_start|>assistant\n"


def test_the_date_is_that_of_the_start() -> None:
    assert form("{{ strftime_now('%d %b %Y') }} " + CHATML).first.startswith("03 Feb 2026 ")


def test_marks_for_training_are_passed_over() -> None:
    assert form(CHATML.replace("{{ m.content }}", "{% generation %}{{ m.content }}{%- endgeneration -%}")) == form(
        CHATML
    )


@pytest.mark.parametrize(
    "source",
    [
        "",
        "{% for",
        "{{ nothing.at.all }}",
        "{{ messages[0].content }}",
        "{% for m in messages | reverse %}<u>{{ m.content }}{% endfor %}<a>",
        "{% for m in messages %}{{ m.content }}{% endfor %}",
        "{% for m in messages %}{{ loop.index }}: {{ m.content }}\n{% endfor %}A:",
        "{{ 1 / 0 }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ raise_exception('no') }}",
        "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{{ 'x' * 99_999_999_999_999 }}",
    ],
)
def test_what_cannot_be_used_says_so(source: str) -> None:
    with pytest.raises(UnusableTemplate):
        form(source)
