"""Facts: what a sentence states, whoever says it, to whom, and in whatever frame. Pure.

`My spare key is under the blue pot`, `Remember: your spare key is under the blue pot` and `The user's spare key ...`
state the same fact. Its key is its content stems in any order; function words, persons and frames ("remember that",
"you said") are no part of it. A sentence states a fact when a run of its content stems is that of the fact and belongs
to nobody else: `Anna's spare key is under the blue pot` is another fact.

The words stand here and not in `config/language`: the keys of forgotten facts are made with them, and must stay as they
are.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.text.language import remembered
from pi_memory.text.sentences import spans
from pi_memory.text.stems import stem_of_key

Key = int | str
"""Of a fact: the sum of its stems' hashes. A text, normalised, is the key by which facts were known before."""
IsGone = Callable[[Key], bool]
"""Whether a key is that of a forgotten fact."""

RANGE = 2**64
LONGEST_RUN = 24
"""Content stems of a run, at most; a longer sentence is compared as a whole."""
LONGEST_WITH_GAP = 10
"""Stems of a run in whose midst one foreign word may stand: `my vault word is still, alas, quartz`."""
LONG = 100
"""Words from which on a sentence is none, but a paste: no foreign words are looked for."""
SHORT_ANSWER = 4
"""Stems of a sentence, at most, that is understood together with the question it answers."""

WRAPPED = re.compile(r"(?<=[^\s.!?:;])\n(?=[^\W\d_A-Z])")
"""A line that may go on in the next one."""
CLAUSE = re.compile(r"[,;:–—](?=\s)")
CLAUSE_END = re.compile(r"\s*;\s+|\s+[–—]\s+|,\s+(?=(?:and|but|und|aber|et|mais|y|pero)\b)", re.IGNORECASE)

TOKEN = re.compile(r"[^\W_]+|[,:()\"“”„«»…–—|]")
NUMBER = re.compile(r"(?<![^\W_])\d+(?:(?:[./-]|\) ?|[  ]\(?)\d+)+(?![^\W_])")
"""A number in groups: a phone number is written in many ways."""
FRAME = re.compile(
    r"\b(?:keep|bear) (?:this |that |it )?in mind\b"
    r"|\b(?:make|take) (?:a )?(?:mental )?note\b"
    r"|\bnote (?:to self|that)\b|\b(?:note|reminder|important):"
    r"|\b(?:by the way|for the record|for your information|just so you know|as you know|in case you \w+)\b"
    r"|\b(?:it is|it's) true\b|\b(?:the|a) fact that\b|\b(?:want|need|like) you to\b"
    r"|\b(?:save|store|put|add) (?:this|that|it)(?: (?:to|in|into) (?:your |the )?memory)?\b"
    r"|\b(?:merke? dir|denke? daran)\b".replace(" ", r"\s+"),
    re.IGNORECASE,
)


def _those(words: str) -> frozenset[str]:
    return frozenset(words.split())


USER = _those(
    """
    i my me mine myself we our ours us ourselves you your yours yourself user im ive ich mein meine meinen meinem
    meiner meines mir mich du dein deine deinen deinem deiner deines dir dich je j mon ma mes moi tu ta tes toi vous
    votre vos yo mi mis tus su sus te usted
    """
)
"""The user, by whomever they are called."""
NOT = _those("not no never none without cannot nicht kein keine keinen keiner nie pas jamais nunca")
FRAMES = _those(
    """
    remember remembers remembered remind reminds reminded forget forgets forgot forgotten btw fyi please hey hi hello
    ok okay yes yep thanks thank sure noted got understood know knows knew known think thinks thought believe guess
    say says said saying tell tells told mention mentions mentioned ask asks asked answer answered recall recalls
    stated states assistant claude note memory memories memorise memorize and or but so because since while if when
    though although whereas that which who whom where until unless whether und oder aber weil dass wenn et ou mais
    parce que si y pero porque
    """
)
"""Who says it, that it is said, and what joins clauses: a fact begins anew behind them."""
ARTICLES = _those(
    "the a an this these those der die das den dem des ein eine einen einem le la les un une el los las una"
)
ARTICLE = "a"
NEUTRAL = _those(
    """
    s m d ll re ve t am is are was were be been being has have had having do does did done will would can could shall
    should might must ca wo in on at to of for by with from as into about there here it its they their them theirs
    what perhaps maybe probably certainly definitely currently really just also too still now already very actually
    again usually simply well then than new current own actual real correct secret personal private exact ist sind
    bist habe hast im am auf zu von mit est sont suis es ont avec de du en au aux eres estoy tiene tengo con del al
    """
)
"""Words that make no difference between two statements of a fact."""


class Fact(Struct, frozen=True):
    """`alone`: its words say it only where nothing else is said; they may stand in many a sentence."""

    key: int
    stems: frozenset[str]
    alone: bool


class Kind(Enum):
    CONTENT = 1
    USER = 2
    BREAK = 3
    """Nothing before it owns what follows."""


class Word(Struct, frozen=True):
    """A word of a sentence. `owned`: it is somebody's, or says whose the words beside it are."""

    kind: Kind
    stem: str = ""
    owned: bool = False


def facts(text: str) -> tuple[Fact, ...]:
    """The facts that a text states: each sentence one or, joined by `and`, several."""
    found = {}
    for sentence in _sentences(text):
        for part in (sentence, *CLAUSE_END.split(sentence)):
            if (fact := _fact(part)) is not None:
                found[fact.key] = fact
    return tuple(found.values())


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text, also with wrapped lines joined."""
    for version in {text, WRAPPED.sub(" ", text)}:
        yield from (version[start:end] for start, end in spans(version))


def stems(text: str) -> frozenset[str]:
    """The content stems of a text."""
    return frozenset(word.stem for word in _words(text) if word.kind is Kind.CONTENT)


def is_plain(stem: str) -> bool:
    """Whether it stands in a text as it is: `tries` is kept as `tri`, and a number may be written in groups."""
    return stem.isascii() and stem.isalpha() and not stem.endswith(("i", "ss")) and stem != "not"


def without(text: str, is_gone: IsGone, *, question: str = "", removed: list[str] | None = None) -> str:
    """`text` without the sentences, or clauses, that state a forgotten fact; those are appended to `removed`.

    `question` is what the text answers: `It is quartz.` states with it what `My vault word is quartz.` does.
    """
    if is_gone(normal(text)):
        removed = [] if removed is None else removed
        removed.append(text.strip())
        return ""
    asked = stems(question) if question else frozenset()
    left = _without(text, lambda sentence: _left(sentence, is_gone, asked), removed)
    # What is left may state it as well, now that it stands together.
    return left if left == text else without(left, is_gone, question=question, removed=removed)


def without_words(text: str, words: Sequence[frozenset[str]], removed: list[str] | None = None) -> str:
    """`text` without the sentences that have all of some words, which are stems; those are appended to `removed`."""
    return _without(text, lambda sentence: "" if _has(sentence, words) else sentence, removed)


def states(text: str, is_gone: IsGone) -> bool:
    """Whether a forgotten fact stands in a text."""
    return is_gone(normal(text)) or any(_states(sentence, is_gone) for sentence in _sentences(text))


def normal(text: str) -> str:
    """Casefolded, with one blank for whitespace and punctuation."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", " ", folded).strip() or folded.strip()


def _without(text: str, left_of: Callable[[str], str], removed: list[str] | None) -> str:
    kept, changed = "", False
    for sentence in _unwrapped(text, left_of):
        left = left_of(sentence)
        if left != sentence:
            changed = True
            if removed is not None:
                removed.append(sentence.strip())
            line_ends = sentence.endswith("\n") and bool(kept) and not kept.endswith("\n")
            left = left.strip() + ("\n" if line_ends else "")
        if kept.endswith((" ", "\n")) or not kept:
            left = left.lstrip(" ")
        kept = f"{kept.rstrip(' ')} {left}" if left != sentence and left.strip() and kept.strip() else kept + left
    return kept.strip(" \n") if changed else text


def _unwrapped(text: str, left_of: Callable[[str], str]) -> Iterator[str]:
    """The sentences of a text; two lines are one when something goes only from both together."""

    def changes(sentence: str) -> bool:
        return left_of(sentence) != sentence

    waiting = ""
    for start, end in spans(text):
        sentence = text[start:end]
        joined = WRAPPED.sub(" ", waiting + sentence)
        is_wrapped = joined != waiting + sentence
        if is_wrapped and changes(joined) and not changes(waiting) and not changes(sentence):
            yield joined
            waiting = ""
        else:
            yield from filter(None, (waiting,))
            waiting = sentence
    yield from filter(None, (waiting,))


def _has(sentence: str, words: Sequence[frozenset[str]]) -> bool:
    said = stems(sentence) | frozenset(normal(sentence).split())
    return any(wanted <= said for wanted in words)


def _left(sentence: str, is_gone: IsGone, asked: frozenset[str]) -> str:
    """The rest of a sentence: all of it, the clauses without a forgotten fact, or nothing."""
    if _states(sentence, is_gone):
        clauses = CLAUSE_END.split(sentence)
        left = [clause for clause in clauses if not _states(clause, is_gone)]
        # A fact that several clauses state together takes them all.
        return "; ".join(filter(str.strip, left)) if len(left) < len(clauses) else ""
    said = stems(sentence) if asked else frozenset()
    if said and len(said) <= SHORT_ANSWER and is_gone(_sum(asked | said)):
        return ""
    return sentence


def _states(sentence: str, is_gone: IsGone) -> bool:
    return any(map(is_gone, _stated(sentence)))


def _fact(sentence: str) -> Fact | None:
    """The fact that a sentence states; None without a word."""
    words = _words(sentence)
    content = frozenset(word.stem for word in words if word.kind is Kind.CONTENT)
    if len(content) > 1:
        return Fact(_sum(content), content, alone=False)
    if content and any(_is_users(words, number) for number in range(len(words))):
        return Fact(_of_user(*content), content, alone=False)
    said = content or _plain_words(sentence)
    return Fact(_alone(said), said, alone=True) if said else None


def _plain_words(sentence: str) -> frozenset[str]:
    """All words of a sentence that has none of content."""
    return frozenset(normal(sentence).split())


def _stated(sentence: str) -> Iterator[Key]:
    """The keys of all facts that may stand in a sentence."""
    words = _words(sentence)
    content = frozenset(word.stem for word in words if word.kind is Kind.CONTENT)
    if len(content) < 2:
        yield _alone(content or _plain_words(sentence))
    else:
        yield _sum(content)
    for number, word in enumerate(words):
        if word.kind is Kind.CONTENT and not (number and words[number - 1].kind is Kind.CONTENT):
            yield from _from(words, number)
    yield from map(normal, (sentence, *CLAUSE.split(sentence)))


def _from(words: Sequence[Word], start: int) -> Iterator[Key]:
    """The runs of content that begin with a word, with and without one foreign word in their midst."""
    if _is_users(words, start):
        yield _of_user(words[start].stem)
    longest_with_gap = LONGEST_WITH_GAP if len(words) <= LONG else 0
    run: dict[str, bool] = {}
    total = 0
    for at in range(start, len(words)):
        word = words[at]
        if word.kind is not Kind.CONTENT or word.stem in run:
            continue
        run[word.stem] = word.owned
        total += _number(word.stem)
        if len(run) > LONGEST_RUN:
            return
        if len(run) > 1:
            yield total % RANGE
        if 2 < len(run) <= longest_with_gap:
            inner = list(run)[1:-1]
            yield from ((total - _number(stem)) % RANGE for stem in inner if not run[stem])


def _is_users(words: Sequence[Word], number: int) -> bool:
    """Whether a word alone is what is said of the user: `I am a vegetarian, as you know`."""
    before = [word for word in words[max(0, number - 2) : number] if word.stem != ARTICLE][-1:]
    after = words[number + 1] if number + 1 < len(words) else Word(Kind.BREAK)
    is_said = words[number].kind is Kind.CONTENT and after.kind is Kind.BREAK
    return is_said and bool(before) and before[0].kind is Kind.USER


def _words(sentence: str) -> list[Word]:
    """The words of a sentence that count; of several breaks one behind the other the last."""
    text = unicodedata.normalize("NFKC", sentence.replace("’", "'")).casefold()
    text = re.sub(r"n't\b", " not", FRAME.sub(" | ", text))
    text = NUMBER.sub(lambda found: re.sub(r"\D", "", found[0]), text)
    found: list[Word] = []
    owned = False
    for token in TOKEN.findall(text):
        if token in USER:
            found.append(Word(Kind.USER))
        elif token in FRAMES or token in ARTICLES or not token[0].isalnum():
            found.append(Word(Kind.BREAK, ARTICLE if token in ARTICLES else ""))
        elif token not in NEUTRAL:
            found.append(Word(Kind.CONTENT, "not" if token in NOT else stem_of_key(token), owned))
        elif token == "s" and found and found[-1].kind is Kind.CONTENT:
            found[-1] = replace(found[-1], owned=True)
        owned = token in USER or token == "of"
    return found


def _sum(found: Iterable[str]) -> int:
    """The key of some stems, in whatever order."""
    return sum(map(_number, found)) % RANGE


def _of_user(stem: str) -> int:
    """`I am vegetarian` says it of the user; the word alone says nothing."""
    return _number(f"@ {stem}")


def _alone(found: Iterable[str]) -> int:
    """Of what is a fact only where it is all that is said."""
    return _number(f"= {' '.join(sorted(found))}")


@remembered(4096)
def _number(stem: str) -> int:
    return int.from_bytes(hashlib.blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=8).digest())
