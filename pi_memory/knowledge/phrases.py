"""The words by which a statement is recognised. A table, and nothing else.

English, and the plain forms of German, French and Spanish. A blank stands for any white space. All are matched against
single sentences of bounded length, most of them at the beginning.
"""

import re


def words(*patterns: str) -> re.Pattern[str]:
    """Any of the patterns, in any case."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns).replace(" ", r"\s+"), re.IGNORECASE)


OPENING = words(
    r"(?:(?:please|pls|hey|hi|hello|ok(?:ay)?|oh|ah|well|also|and|so|but|btw|by the way|fyi|one more thing|just|thanks"
    r"|thank you|great|perfect|cool|important|note|reminder|bitte|ach|übrigens|und|s'il (?:te|vous) pla[iî]t|au fait"
    r"|et|por favor|y|además)\b[\s,.!:;–—-]*){0,4}"
)
ASKED = words(
    r"(?:can|could|would|will) you (?:please |kindly )?"
    r"(?=\w+ (?:in mind )?(?:that (?:i|i'm|my|we|our|the|he|she|they)\b|to\b))",
    r"i(?:'d| would) like you to ",
    r"i (?:want|need) you to ",
    r"you (?:should|must|need to|have to) ",
    r"make sure (?:that )?(?:you |to )",
    r"do (?=remember)",
    r"(?:kannst|könntest) du (?:bitte )?",
)
"""A request in the form of a question, or of a wish."""

# To remember.
REMEMBER = words(
    r"(?:remember|keep in mind|bear in mind|memori[sz]e|make a (?:mental )?note|take (?:a )?note"
    r"|(?:do not|don't|never) (?:ever )?forget)\b(?!-)"
    r"(?! (?:when|how|what|who|where|why|which|whether|if|me|us|him|her|them|you|correctly"
    r"|the (?:time|day)s? (?:when|we|i)|that (?:time|day|one|guy|song|movie|film|thing|place)"
    r"|our (?:talk|chat|conversation|discussion))\b)"
    r"(?: (?:for later|for next time|for the future|for future reference|of the fact))?"
    r"(?:\s*[:,–—-]? (?:that\b|(?:this|the following)(?=\s*(?:[:,.!–—-]|$))))?",
    r"(?:save|store|put|add|commit) (?:this|that|it|the following) (?:to|in|into) (?:your )?memory",
    r"merke? (?:es )?dir(?: bitte)?(?:\s*,?\s*(?:dass|das|dies|folgendes)\b)?",
    r"(?:denke? (?:bitte )?daran|vergiss (?:bitte )?nicht)(?:\s*,?\s*dass\b)?",
    r"(?:souviens-toi|rappelle-toi|souvenez-vous|rappelez-vous|retiens|retenez|m[ée]morise|n'oublie(?:z)? pas)\b"
    r"(?: bien)?(?: (?:que|de|ceci|cela|ça)\b| qu')?",
    r"(?:recuerda|acu[ée]rdate|ten en cuenta|no (?:te )?olvides|memoriza)\b(?! cu[áa]ndo)(?: de)?(?: (?:que|esto)\b)?",
)
REMEMBER_BEHIND = words(
    r"(?P<what>.{5,}?)[,;–—-]? (?:and |so |but )?(?:please |bitte )?"
    r"(?:(?:remember|keep in mind|don't forget|note) (?:this|that|it)|merke? dir das|souviens-t'en|recu[ée]rdalo)"
    r"(?: (?:for later|please|bitte|in mind))?\W*$"
)
TO_DO = words(r"(?:remember|(?:do not|don't|never) forget) to\b")
EMPTY = words(r"(?:(?:this|that|it|these|das|dies|ça|cela|esto|eso)\b[\s,]*)?(?:please|bitte)?[\s:.,!–—-]*$")
"""Nothing more is said: what is meant stands before or behind."""
FAREWELL = words(
    r"[,\s]+(?:please|ok(?:ay)?|thanks|thank you|will you|for (?:later|next time|the future|future reference)|bitte"
    r"|danke|por favor|gracias|merci|s'il (?:te|vous) plaît)[\s.!?]*$"
)
PRIVATE = words(
    r"(?:do not|don't|never) (?:ever )?(?:remember|store|save|memori[sz]e|keep|record|log)"
    r" (?:this|that|it|any|anything|what i)\b",
    r"(?:this is )?(?:strictly )?off the record\b",
    r"keep this (?:between us|to yourself)\b",
    r"merke? dir (?:das|dies) (?:bitte )?nicht\b|(?:speichere?|behalte?) (?:das|dies) nicht\b",
    r"ne (?:retiens|mémorise|garde) (?:pas|rien)\b",
    r"no (?:recuerdes|guardes|memorices) (?:esto|eso|nada)\b",
)

# How things are to be.
RULE = words(
    r"from (?:now|here|today|this point) on(?:wards?)?\b",
    r"(?:going forward|henceforth|as of (?:now|today)|starting today)\b",
    r"in (?:the )?future,? (?=(?:please|always|never|use|do|don't|write|answer|call|reply|keep|avoid|only|ask)\b)",
    r"always (?!(?:\w+[^su]s|an?|the|in|on|nice|good|great|happy|fun|been|was|has|welcome|remember)\b)(?=\w{2,} \w)",
    r"never (?!(?:mind|again|heard|seen|been|had|thought|knew|said|ever|did|was|have|would|forget|remember|got)\b)"
    r"(?!(?:\w+ed|\w+[^su]s|gonna)\b)(?=\w{2,} \w)",
    r"(?:do not|don't) ever (?=\w+ \w)",
    r"(?:ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|in zukunft)\b",
    r"(?:verwende?|benutze?|nimm|nutze?|schreibe?|antworte?|sprich|mache?|frage?) (?:\w+ )?(?:immer|nie|niemals)\b",
    r"(?:désormais|dorénavant|à partir de maintenant|à l'avenir)\b",
    r"(?:utilise|emploie|écris|réponds|parle) (?:toujours|jamais)\b|n'(?:utilise|emploie|écris) jamais\b",
    r"(?:a partir de ahora|de ahora en adelante)\b",
    r"(?:usa|utiliza|escribe|responde|habla) siempre\b|nunca (?:uses|utilices|escribas|respondas)\b"
    r"|siempre (?:usa|escribe)\b",
)
PREFERENCE = words(
    r"i(?: (?:really|strongly|generally|usually|always|much|personally|also|still|now|absolutely|definitely))*"
    r" (?:(?:prefer|hate|dislike|detest|can't stand|cannot stand)\b(?! (?:it|that|this|these|those|not|when you"
    r"|the (?:first|second|third|last|latter|former|other|new|old))\b)"
    r"|do(?:n't| not) (?:really )?(?:like|eat|drink|want you to)\b"
    r"|(?:like|love|enjoy)\b(?! (?:it|that|this|these|those|the|your|how|what|where|when|you|him|her|them"
    r"|to (?:see|know|hear))\b)(?= \w))",
    r"i(?:'d| would) (?:rather|prefer)\b(?! (?:not|it|that|this)\b)",
    r"my (?:favou?rite|preferred) [\w -]{1,40} (?:is|are)\b",
    r"ich (?:bevorzuge|hasse|mag (?!das\b|es\b|dies)|trinke (?:keine?n?|lieber)|esse (?:keine?n?|lieber))",
    r"meine? lieblings\w+ (?:ist|sind)\b",
    r"je (?:préfère|déteste|n'aime pas)\b|j'(?:aime|adore) (?!ça|cela)",
    r"(?:yo )?(?:prefiero|odio|no me gustan?|me (?:gustan?|encantan?)(?! (?:eso|esto)))\b",
)
PERSONAL = words(
    r"my (?:(?:full|first|last|real|middle|user|nick)\s?)?name(?:'s| is)\b(?! not\b)",
    r"(?:you can |you may )?call me (?!(?:maybe|later|back|when|if|at|on|tomorrow|crazy)\b)",
    r"i(?:'m| am) called (?!(?:at|by|in|on|for|to)\b)",
    r"i(?:'m| am) (?:named|allergic|intolerant|vegetarian|vegan|a vegetarian|a vegan|diabetic|left-handed)\b",
    r"i (?:live in (?!fear|hope)|was born\b|work (?:at (?!night)|for|as an?)\b)|my birthday is\b",
    r"ich (?:heiße|wohne in|bin allergisch|arbeite (?:bei|als))\b|mein name ist\b|nenn mich\b",
    r"je m'appelle\b|mon (?:nom|prénom) est\b|appelle-moi\b|j'habite\b|je suis allergique\b",
    r"(?:me llamo|mi nombre es|llámame|vivo en|soy al[ée]rgic[oa])\b",
)

# To forget.
FORGET = words(
    r"(?:forget|stop remembering) "
    r"(?=(?:all )?(?:about|everything|what|that|my|our|his|her|their|the|memor\w+|number|i)\b|#?\d)"
    r"(?:about |all about |everything (?:(?:you know|i (?:said|told you)) )?about |what (?:i|you) \w+ (?:you )?about )?"
    r"(?:the (?:memory|memories|fact|note) (?:(?:that|about|of) )?)?",
    r"(?:delete|erase|remove) (?:the|your|that) (?:memory|memories) (?:that|about|of|on) ",
    r"(?:delete|erase|remove) (?:everything|all|what) you (?:know|remember|have) (?:about|on|of) ",
    r"vergiss (?!(?:bitte )?nicht)(?:bitte )?(?:alles über |was ich (?:dir )?über )?",
    r"oublie(?:z)? (?!pas\b)(?:tout (?:ce que tu sais )?sur )?",
    r"olvida (?:todo (?:lo que sabes )?sobre )?",
)
LOOSELY = words(r"\bforget the (?!memor|fact|note)")
"""As much a manner of speaking as a wish: nothing is erased for it without a question."""
FROM_MEMORY = words(r"(?:delete|erase|remove) (?P<what>.{3,}) from (?:your |the )?memory\W*$")
IDLE = words(
    r"(?:about )?(?:it|that|this|them|him|her|me|us|everything|anything|all|you|das|es|dies|alles|ça|cela|tout|eso|esto"
    r"|todo)\W*$",
    r"(?:that|this|it)\s*[,.;:–—-]",
    r"(?:that )?i (?:said|asked|mentioned)\b",
    r"(?:(?:all|any|your|the) )*(?:previous|prior|above|earlier)\b",
    r"(?:to|how)\b",
)
"""`Forget it`: a manner of speaking."""
GOES_ON = words(
    r"[,;–—]", r"\bfor (?:now|a (?:moment|second|minute|while))\b", r"\b(?:and|just) (?:just|let|focus|do|go|try)\b"
)
"""`Forget the tests, fix this first`: another one."""
THAT = words(r"(?:that|dass|que) ")

# To put right.
CORRECTING = words(
    r"(?:no,? )?that(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct|true|quite right))\b[\s,.!:;–—-]*",
    r"you(?:'re| are) (?:wrong|mistaken)\b[\s,.!:;–—-]*",
    r"(?:no+|nope|nah|wrong|incorrect|correction|not quite|sorry|actually)\b[\s,.!:;–—-]+",
    r"(?:nein|falsch|das stimmt nicht|non|c'est faux|eso no es correcto)\b[\s,.!:;–—-]+",
)
SOFTLY = words(r"(?:actually|sorry|not quite)\b")
"""Openings that refuse nothing: they need a contrast."""
CONTRAST = words(
    r"(?P<right>.*\b(?:is|are|was|were|am|be|use|put|write|take|call|mean|ist|sind|war|heißt|est|sont|es|son|está"
    r"|[a-z]{2,}s|[a-z]{2,}ed)\b.+?)[,;]? (?:and )?(?:not|nicht|pas|no) "
    r"(?P<wrong>(?!(?:only|just|sure|really|nur|seulement|solo)\b).{1,80})$"
)
NOT_BUT = words(r".*\b(?:is|are|was|were)(?:n't| not) (?P<wrong>.{1,80}?),? (?:but|it's|it is|rather) (?P<right>.+)")
STATES = words(
    r"(?:the|my|our|his|her|their|its|it|der|die|das|mein|le|la|mon|el|mi|(?-i:[A-Z]\w+))\b.{0,80}?"
    r"\b(?:is|are|was|were|ist|sind|est|es) .+"
)
SPECIFIC = re.compile(r"\d|[`\"]|\w*[~/][\w./-]+|\w\.\w|(?<=\s)[A-ZÄÖÜÉ]\w+")
"""A number, a path, a name."""
