"""The words by which a sentence tells that it may be worth remembering. A table, and nothing else."""

import re

from pi_memory.text.expressions import words

IN_PROJECT = words(r"\bin this (?:repo(?:sitory)?|project|code ?base|module|package|folder)\b", r"\bhere\b")
OF_USER = words(
    r"\b(?:i|i'm|i've|i'd|my|me|mine|the user|ich|mir|mich|meine?[mnrs]?|je|mon|ma|mes|yo|mi|mis)\b", r"\bj'"
)
DECIDED = words(
    r"(?:(?:ok(?:ay)?|so|then|right|alright|and)[\s,]+)*"
    r"(?:let's (?:use|go with|take|keep|stick (?:to|with)|switch to|move to|drop)\b"
    r"|(?:we|i)(?:'ve| have|'ll| will)? (?:decided|agreed|chose|chosen|settled|picked|opted|go with|use|stick with)\b"
    r"|the (?:decision|plan) is\b|wir (?:nehmen|haben entschieden|verwenden)\b|on (?:utilise|a décidé)\b"
    r"|(?:vamos a usar|decidimos)\b)"
)
WHY = words(
    r"\b(?:because|since|so that|as it|as they|due to|instead of|rather than|over|weil|damit|statt|parce que|car"
    r"|porque)\b"
)
HABIT = words(
    r"i (?:always|usually|never|normally|typically|tend to)\b"
    r"(?! (?:\w+[^e]ed|said|thought|knew|had|did|was|were|told|saw|got|found|understood|heard|made|went|came|been)\b)"
)
INSTEAD = words(r"(?:please )?use \S.{0,80} (?:instead of|rather than) ")
OWN = words(r"(?:i|i'm|i've|my|we|we're|we've|our)\b")
PASSING = words(
    r"(?:i|we)(?:'m|'ve|'d|'ll| am| have| would| will)? (?:(?:just|also|really|now|still) )?"
    r"(?:want|need|like to|think|guess|wonder(?:ing)?|don't|do not|didn't|tried|trying|try|get|see|mean|can(?:'t|not)?"
    r"|got (?:an?|the|this) (?:error|exception)|wish|rather|heard|was told|could|should|was wondering|looking|not sure"
    r"|hope|suppose|feel|believe|expect|assume|understand|know|have (?:a|some|one) (?:question|problem|issue)"
    r"|a (?:question|problem)|ask(?:ed|ing)?|am not|going to (?:try|ask)|working on|run|ran|running|did|do|check"
    r"|checked|agree|love it|glad|sorry|happy|read|will|may|might|if|when)\b"
)
"""What is said of the work at hand, not of the one who says it."""
PEOPLE = words(
    r"\b(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|mother|father|mum|mom|dad|sister|brother|aunt|uncle"
    r"|cousin|grand\w+|friend|neighbou?r|boss|colleague|kid|child(?:ren)?|baby|dog|cat|horse|job|degree|birthday"
    r"|wedding|anniversary|hobby|instrument|allerg\w+|house|flat|apartment|garden|car|bike)s?\b"
)
LASTING = words(
    r"(?!let\b)(?:the|our|this|that|every|each|all|its|his|her|their|(?-i:[A-Z])\w+|`[^`]+`)\b.{0,80}?"
    r"\b(?:is|are|was|runs?|lives?|uses?|listens?|has|have|contains?|needs?|requires?|depends?|points?|belongs?|stores?"
    r"|starts?|costs?|serves?|writes?|reads?|expects?|goes|sits?|stands?|means?|supports?|deploys?|connects?)\b"
)
RELATIVE = words(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|this (?:week|month|year|morning|evening|weekend)|recently"
    r"|just now|gestern|heute|morgen|hier|demain|ayer|hoy|mañana|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
HAPPENED = re.compile(r"\b(?:went|bought|got|met|saw|had|did|came|left|broke|won|lost|made|began|found|\w{2,}ed)\b")

# Troubles.
FAILS = words(
    r"\b(?:fails?|failed|failing|crash(?:es|ed|ing)?|is broken|broke|stopped working"
    r"|(?:doesn't|does not|won't) (?:work|start|build|compile|run|load|connect)"
    r"|(?:get|got|getting|throws?|gives?|see|with) (?:(?:an?|the|this) )?(?:\w+ )?(?:error|exception)"
    r"|schlägt fehl|geht nicht|funktioniert nicht|ne (?:marche|fonctionne) pas|no funciona|falla)\b"
)
WORKS = words(
    r"\b(?:(?:works?|working|runs|builds|passes|starts)(?: (?:fine|again|now))+"
    r"|now (?:it |everything |that )?(?:works|runs|builds|passes|starts)"
    r"|(?:that|this|it) (?:worked|works|fixed it|did it|helped|solved it|was it|did the trick)"
    r"|fixed(?: it)?|solved|resolved|(?:tests?|build|it)(?: is| are|'s)? (?:green|passing|passes)"
    r"|jetzt (?:geht|läuft|funktioniert)|(?:geht|läuft|funktioniert) (?:es )?(?:jetzt|wieder)|ça marche|ya funciona)\b"
)
STILL = words(r"\b(?:still|not|never|but|nicht|immer noch|pas|sigue)\b|n't\b")
CAUSE = words(
    r"\b(?:it was|(?:the )?(?:fix|cause|problem|culprit|reason|issue|solution|trick) (?:was|is)|turns out|turned out"
    r"|because|i (?:had|needed) to|adding|removing|setting|changing|installing|upgrading|downgrading|restarting"
    r"|deleting|replacing|running|(?:after|by) \w+ing|es lag an|c'était|era)\b"
)
COMPLAINS = words(r"\s*(?:no|wrong|that's not|that is not|doesn't|undo|revert|nein|falsch|non)\b")
ERROR_LINE = re.compile(
    r"^[^\n]{0,300}?(?:\b[\w.]*(?:Error|Exception)\b|\b(?:error|fatal|panic)\s?:|\bE:|\bFAILED\b|\bcommand not found\b"
    r"|\bPermission denied\b|\bNo such file\b|\bsegmentation fault\b|\btimed out\b|\brefused\b)[^\n]{0,300}$",
    re.MULTILINE | re.IGNORECASE,
)
LOOKING = re.compile(
    r"\s*(?:(?:sudo|cd \S+ &&)\s+)*(?:ls|cat|head|tail|less|grep|rg|find|pwd|echo|which|wc|sed -n|tree|cd|stat|file"
    r"|git (?:status|log|diff|show|branch))\b"
)
"""A command that only looks teaches nothing."""
