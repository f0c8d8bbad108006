"""The words by which a statement is recognised. A table, and nothing else.

English, and the plain forms of German, French and Spanish. A blank stands for any white space. All are matched against
single sentences of bounded length, most of them at the beginning.
"""

import re

from pi_memory.text.expressions import words

OPENING = words(
    r"(?:(?:please|pls|hey|hi|hello|ok(?:ay)?|oh|ah|well|also|and|so|but|btw|by the way|fyi|one more thing"
    r"|just so you know|just|thanks|thank you|great|perfect|cool|important|note(?! to self)|reminder|in general|try to"
    r"|bitte|ach|übrigens|und|s'il (?:te|vous) pla[iî]t|au fait|et|por favor|y|además)\b[\s,.!:;–—-]*){0,4}"
)
ASKED = words(
    r"(?:can|could|would|will) you (?:please |kindly )?(?=(?:\w+ ){1,4}?(?:that (?:i|i'm|my|we|our|the|he|she|they"
    r"|\w+'s|(?-i:[A-Z])\w+)\b|to\b)|forget my\b)",
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
    r"|(?:do not|don'?t|never) (?:ever )?forget(?! (?:an?|the|your) (?!.*\b(?:is|are|was|has|have|must)\b)))\b(?!-)"
    r"(?! (?:when|how|what|who|where|why|which|whether|if|me|us|him|her|them|you|correctly"
    r"|the (?:time|day)s? (?:when|we|i)|that (?:time|day|one|guy|song|movie|film|thing|place)"
    r"|our (?:talk|chat|conversation|discussion))\b)(?!,? (?:that )?you(?:'re| are| can| have|'ve)\b)(?!.*\byourself\b)"
    r"(?: (?:for later|for next time|for the future|for future reference|of the fact))?"
    r"(?:\s*[:,–—-]? (?:that\b|(?:this|the following)(?=\s*(?:[:,.!–—-]|$))))?",
    r"(?:save|store|put|add|commit) (?:(?:this|that|it|the following) )?(?:to|in|into) (?:your )?memory",
    r"keep (?:this|the following) in mind(?=\s*[:,–—-])|note to self\b|for (?:the future|(?:future|later) reference)\b"
    r"(?: that\b)?|(?:one|some)\s?thing to (?:remember|keep in mind)\b",
    r"merke? (?:es )?dir(?: bitte)?(?:\s*,?\s*(?:dass|das|dies|folgendes)\b)?",
    r"(?:denke? (?:bitte )?daran|vergiss (?:bitte )?nicht)(?:\s*,?\s*dass\b)?",
    r"(?:souviens-toi|rappelle-toi|souvenez-vous|rappelez-vous|retiens|retenez|m[ée]morise|n'oublie(?:z)? pas)\b"
    r"(?: bien)?(?: (?:que|de|ceci|cela|ça)\b| qu')?",
    r"(?:recuerda|acu[ée]rdate|ten en cuenta|no (?:te )?olvides|memoriza)\b(?! cu[áa]ndo)(?: de)?(?: (?:que|esto)\b)?",
)
REMEMBER_BEHIND = words(
    r"(?:[,;:–—-]\s*(?:(?:and|so|but) )?| (?:and|so|but) | (?=please|bitte))(?:please |bitte )?"
    r"(?:(?:remember|don't forget|note) (?:this|that|it)|keep (?:this|that|it) in mind|merke? dir das|souviens-t'en"
    r"|recu[ée]rdalo)(?: (?:for later|please|bitte))?\W*$"
)
TO_DO = words(r"(?:remember|(?:do not|don'?t|never) forget) to\b")
EMPTY = words(r"(?:(?:this|that|it|these|das|dies|ça|cela|esto|eso)\b[\s,]*)?(?:please|bitte)?[\s:.,!–—-]*$")
"""Nothing more is said: what is meant stands before or behind."""
FAREWELL = words(
    r"[,\s]+(?:please|ok(?:ay)?|thanks|thank you|will you|for (?:later|next time|the future|future reference)|bitte"
    r"|danke|por favor|gracias|merci|s'il (?:te|vous) plaît)[\s.!?]*$"
)
PRIVATE = words(
    r"(?:do not|don'?t|never) (?:ever )?(?:remember|memori[sz]e) (?:this|that|it|any|anything|what i)\b",
    r"(?:do not|don'?t|never) (?:ever )?(?:store|save|keep|record|log) (?:(?:anything|what) i (?:say|said|tell|told)\b"
    r"|anything (?:from|of) this (?:message|chat|conversation)\b|this(?= please|\W*$|\s*[:,.;!–—-]))",
    r"(?:this is )?(?:strictly )?off the record\b",
    r"keep this (?:between us|to yourself)\b",
    r"merke? dir (?:das|dies) (?:bitte )?nicht\b|(?:speichere?|behalte?) (?:das|dies) nicht\b",
    r"ne (?:retiens|mémorise|garde) (?:pas|rien)\b",
    r"no (?:recuerdes|guardes|memorices) (?:esto|eso|nada)\b",
)

# How things are to be.
DO = (
    r"(?:add|address|always|answer|ask|assume|avoid|be|call|check|cite|convert|do|don'?t|end|explain|give|greet|include"
    r"|keep|leave|list|look|make|name|never|offer|only|print|put|quote|read|remind|reply|respond|review|run|say|send"
    r"|show|skip|speak|start|stop|suggest|summari[sz]e|talk|tell|translate|treat|use|wait|warn|write)"
)
"""What a user may want to be done."""
RULE = words(
    r"from (?:now|here|today|this point) on(?:wards?)?\b(?!,? it\b)",
    r"(?:going forward|henceforth|as of (?:now|today)|starting today|for (?:all|any) (?:future|further|your)\b)",
    rf"in (?:the )?future,? (?=(?:please )?{DO}\b)",
    r"always (?!(?:\w+[^su]s|an?|the|in|on|nice|good|great|happy|fun|been|was|has|welcome|remember|here|there"
    r"|glad|up|ready|proud|worth|possible|exciting|interesting)\b)"
    r"(?!\w+[^e]ed\b)(?=[\w-]{2,} \w)",
    r"never,? (?:ever )?"
    r"(?!(?:mind|again|heard|seen|been|had|thought|knew|said|say|ever|did|was|have|would|forget|remember|got|gonna"
    r"|too|easy|enough|give up|stop (?:\w+ing|being))\b)"
    r"(?!(?:\w+[^e]ed|\w+[^su]s)\b)(?=[\w-]{2,} \w)",
    r"(?:do not|don'?t) ever (?=\w+ \w)",
    rf"(?:do not|don'?t) (?={DO}\b.* any\s?more\W*$)",
    r"stop (?:using|adding|writing|calling|saying|apologi[sz]ing|repeating|asking|suggesting|ending|starting)\b",
    r"(?:whenever|when|every time|each time) i (?:say|ask|write|mention|paste|send|type|tell)\b.{1,80}?, "
    rf"(?=(?:please )?{DO}\b)",
    r"(?:ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|in zukunft)\b",
    r"(?:verwende?|benutze?|nimm|nutze?|schreibe?|antworte?|sprich|mache?|frage?) (?:\w+ )?(?:immer|nie|niemals)\b",
    r"(?:désormais|dorénavant|à partir de maintenant|à l'avenir)\b",
    r"(?:utilise|emploie|écris|réponds|parle) (?:toujours|jamais)\b|n'(?:utilise|emploie|écris) jamais\b",
    r"(?:a partir de ahora|de ahora en adelante)\b",
    r"(?:usa|utiliza|escribe|responde|habla) siempre\b|nunca (?:uses|utilices|escribas|respondas)\b"
    r"|siempre (?:usa|escribe)\b",
)
RULE_BEHIND = words(r"[ ,]\s*(?:from (?:now|here|today) on(?:wards?)?|going forward|in future)(?:,? please)?\W*$")
BIDS = words(rf"{DO}\b|.*\b(?:should|must|shall|need to|has to|have to)\b")
PREFERENCE = words(
    r"i(?: (?:really|strongly|generally|usually|always|much|personally|also|still|now|absolutely|definitely))*"
    r" (?:(?:prefer|hate|dislike|detest|can'?t stand|cannot stand)\b(?! (?:it|that|this|these|those|not|when|if|how"
    r"|what|your?|to (?:say|admit|ask|bother|interrupt|be (?:an?|the|that))"
    r"|the (?:first|second|third|last|latter|former|other|new|old|way|fact|idea|error|\w+ ones?))\b)"
    r"|do(?:n'?t| not) (?:really )?(?:eat|drink|want you to)\b"
    r"|(?:do(?:n'?t| not) (?:really )?)?(?:like|love|enjoy)\b(?! (?:it|that|this|these|those|the|your?|how|what|where"
    r"|when|him|her|them|to (?:see|know|hear|think)|(?:talking|chatting|working) (?:to|with) you)\b)(?= \w))",
    r"we (?:all |much |strongly )?prefer\b(?! (?:it|that|this|not|if|the|your?)\b)",
    r"i(?:'d| would) (?:rather (?:have|get|be called)|prefer)\b(?! (?:not|it|that|this|if|you|the|to (?!be|get|have)))",
    r"i (?:only|never) (?:eat|drink|wear)\b",
    r"i(?:'?m| am) (?:not |really )*(?:an? (?:(?:big|huge|great) )?fan of|fond of|keen on)\b"
    r"(?! (?:it|that|this|the|your)\b)",
    r"my (?:favou?rite|preferred) [\w -]{1,40} (?:is|are)\b(?! (?:the|that|this)\b)",
    r"ich (?:bevorzuge|hasse|mag (?!das\b|es\b|dies)|trinke (?:keine?n?|lieber)|esse (?:keine?n?|lieber))",
    r"meine? lieblings\w+ (?:ist|sind)\b",
    r"je (?:préfère|déteste|n'aime pas)\b(?! (?:ça|cela|cette?|ces)\b)|j'(?:aime|adore) (?!ça|cela|cette?\b|ces\b)",
    r"(?:yo )?(?:prefiero|odio|no me gustan?|me (?:gustan?|encantan?))\b(?! (?:eso|esto|est[ea]s?)\b)",
)
ONCE = words(
    r"\b(?:in|for|within|of|on) (?:this|that) (?!(?:app|city|code|company|country|family|folder|house|module|package"
    r"|project|repo|service|shop|team|workspace))\w+",
    r"\b(?:in|for|within|of) the (?:(?:next|following|current|present|other) \w+|rest of|text|table)\b",
    r"\b(?:just|only) (?:(?:for )?(?:this|now|once|today)\b)|\bfor (?:now|today|the moment)\b|\bright now\b"
    r"|\b(?:yet|above|below|this time|at the moment|they say)\W*$|\bas the (?:song|saying|proverb|poem|line)\b",
)
"""What the user wants of the work at hand holds for that alone."""
IS_SO = (
    r"(?:'s| is| are) (?!(?:not|in|on|at|by|to|too|also|still|there|here|now|again|already|the|wrong|broken|missing"
    r"|invalid|incorrect|empty|down|full|listed|shown|coming|mis\w+|\w+ed)\b)"
)
THEN_ASKS = words(
    r"([^?,;]+)[,;] (?:so |and |also )?"
    r"(?:what|which|how|where|when|who|can|could|should|is|are|do|does|will|would)\b.*\?"
)
"""Something said, and a question after it."""
PERSONAL = words(
    rf"my (?:(?:full|first|last|real|middle|user|nick)\s?)?name{IS_SO}",
    rf"my (?:e-?mail(?: address)?|phone(?: number)?|address|time\s?zone|employer|blood type|shoe size|mother tongue"
    rf"|native language){IS_SO}(?=.*[\d@]|(?-i:[A-ZÄÖÜÉ]))|my pronouns{IS_SO}",
    r"my [\w -]{2,25}(?: (?:is|are) (?:called|named) (?-i:[A-ZÄÖÜÉÈ])|'s? name is )",
    r"(?:you can |you may )?call me (?!(?:maybe|later|back|when|if|at|on|tomorrow|crazy|an?|the|old)\b)",
    r"i(?:'?m| am) called (?!(?:at|by|in|on|for|to|away|up|back|every|when|an?|the)\b)",
    r"i(?:'?m| am) (?:(?:a |an )?(?:allergic|(?:lactose |gluten )?intolerant|vegetarian|vegan|pescatarian|diabetic"
    r"|dyslexic|asthmatic|deaf|colou?r[- ]?blind|left-handed|retired|married|divorced)\b|named (?-i:[A-ZÄÖÜÉ])"
    r"|\d{1,3} years old|from (?-i:[A-ZÄÖÜÉ]))",
    r"i(?:'?m| am) (?:also )?an? (?:(?!bit\b)[\w-]+ ){0,2}(?:nurse|doctor|surgeon|teacher|student|developer|programmer"
    r"|designer|lawyer|farmer|carpenter|writer|author|baker|cook|chef|driver|gardener|manager|professor|translator"
    r"|\w+(?:eer|ician|ologist|grapher|tect))\b",
    r"i(?:'?ve| have)? (?:live|lived|been living) (?:in|near) (?!fear|hope|the terminal)"
    r"|i(?:'?ve| have)? moved to (?-i:[A-ZÄÖÜÉ])\w+(?!\S*[/\d])",
    r"i (?:was born (?:in|on|at|and)\b|work (?:at (?!night)|for (?!an? (?:while|bit|few))|as an?\b))",
    r"my birthday is (?!(?:not|coming|soon)\b)",
    r"i have (?:an?|one|two|three|four|five|\d) (?:\w+ ){0,2}?(?:sons?|daughters?|kids?|child|children|brothers?"
    r"|sisters?|twins|dogs?|cats?|horses?)(?=\W*$|[,:;(]| (?:called|named|and|who|aged)\b)",
    r"ich (?:heiße|wohne in|bin (?:allergisch|vegetarier|veganer)|arbeite (?:bei|als))|mein name ist\b|nenne? mich\b",
    r"je m'appelle\b|mon (?:nom|prénom) est\b|appelle-moi\b|j'habite\b|je suis (?:allergique|végétari|végan)",
    r"(?:me llamo|mi nombre es|llámame|vivo en|soy (?:al[ée]rgic|vegetarian|vegan)[oa])\b",
)

# To forget.
FORGET = words(
    r"(?:forget|stop remembering) "
    r"(?=(?:all )?(?:about|everything|what|that|my|our|his|her|their|the|memor\w+|exchanges? \d|number|i)\b|#?\d)"
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
    r"(?:(?:that|what) )?i (?:just )?(?:said|asked|mentioned|wrote)\b",
    r"(?:(?:all|any|your|the) )*(?:previous|prior|above|earlier|last|first|second|next|other|rest)\b",
    r"(?:to|how)\b",
)
"""`Forget it`: a manner of speaking."""
GOES_ON = words(
    r"[,;–—]",
    r"\bfor (?:now|a (?:moment|second|minute|while))\b",
    r"\b(?:and|just) (?:just|let|focus|do|go|try|have)\b",
)
"""`Forget the tests, fix this first`: another one."""
THAT = words(r"(?:that|dass|que) ")

# To put right.
CORRECTING = words(
    r"(?:no,? )?that(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct|true|quite right))\b[\s,.!:;–—-]*",
    r"you(?:'re| are) (?:wrong|mistaken)\b[\s,.!:;–—-]*",
    r"(?:no+|nope|nah|wrong|incorrect|correction|not quite|sorry|actually)\b[\s,.!:;–—-]+(?!(?:te )?olvid|me gust)",
    r"(?:nein|falsch|das stimmt nicht|non|c'est faux|eso no es correcto)\b[\s,.!:;–—-]+",
)
SOFTLY = words(r"(?:actually|sorry|not quite)\b")
"""Openings that refuse nothing: they need a contrast."""
REPORTED = words(
    r"(?:if|suppose|supposing|imagine|assum\w+|pretend|unless|maybe|perhaps|possibly|probably|apparently|supposedly"
    r"|allegedly|let's|let us|according to|as if|say|it seems|wenn|falls|angenommen|vielleicht|laut|si|supposons"
    r"|peut-être|selon|quizás?|tal vez|según)\b",
    r".{0,60}?\b(?:says?|said|tells?|told|thinks?|thought|claims?|claimed|wrote|writes|believes?|insists?|suggests?"
    r"|asked|heard|read|guess|expected|sagt|meint|glaubt|behauptet|dit|pense|dice|cree|piensa)\b",
)
"""What somebody else says, or what may be."""
SAYS = words(r"\b(?:is|are|was|were|am|ist|sind|war|heißt|est|sont|es|son|está)\b|'(?:s|re|m) |\bc'est\b")
STATES = words(
    r"(?:the|my|our|his|her|their|its|der|die|das|mein|le|la|mon|el|mi"
    r"|(?!(?:it|that|this|he|she|they|there|what|then)\b)(?-i:[A-Z]\w+))\b.{0,80}?"
    r"(?:\b(?:is|are|was|were|has|lives|runs|costs|starts|listens|ist|sind|heißt|läuft|kostet|est|sont|s'appelle|es|son"
    r"|está|se llama)|'s) (?!(?:still|not|now|again|already|working|running|failing|up|down|noch|nicht|encore|pas)\b).+"
)
"""Of something that is named: `no, it is 8083` says nothing by itself."""
SPECIFIC = re.compile(r"\d|[`\"]|\w*[~/][\w./-]+|\w\.\w|(?<=\s)[A-ZÄÖÜÉ]\w+")
"""A number, a path, a name."""
