"""What users state, and what they say without stating it: a line each, every third held back while rules are tuned."""

STATED = {
    "remember": r"""
Remember that the spare key hangs behind the boiler.
Please keep in mind that our warehouse closes at noon on Saturdays.
hey, can you remember that mum's flight lands at 18:40?
Don't forget that Theo's school starts an hour later on Wednesdays.
The router's admin page is at 10.0.0.1. Remember that.
Make a note that the boiler was serviced on 3 March.
Take note: invoices go out on the first of the month
Could you please make a mental note that I parked in row F?
For future reference, the staging password rotates every Monday.
Note to self: the dog's vaccination is due in June.
Remember, the alarm code changed to the year grandma was born.
I want you to remember that the blue folder is for taxes.
Store this in your memory: the greenhouse key is under the rain barrel.
Add this to your memory: Lena is vegetarian since January.
Memorize this: locker 318.
Keep in mind I only work mornings.
Bear in mind that the printer jams with recycled paper.
Never forget that the customer pays net 60.
Remember to water the orchids on Sundays.
Don't forget to add the VAT number to invoices.
Ok, and remember our landlord only accepts bank transfers.
My sister's new address is Rue de Metz 12 in Toulouse, please remember it.
You should remember that we never ship on Fridays.
I'd like you to keep in mind that my budget is 900 euros.
Try to remember that the left monitor is the primary one.
Important: remember the pump relay is active low.
Save to memory: the NAS is at 192.168.7.4.
One thing to remember: the heating circuit must be bled in October.
The client's logo must never be stretched, keep that in mind.
Merk dir, dass die Heizung nur bis 22 Uhr läuft.
Denk daran, dass Oma keine Nüsse verträgt.
Vergiss nicht, dass das Auto im Mai zum TÜV muss.
Souviens-toi que le portail se ferme à 20 h.
N'oublie pas que Paul arrive le 4 juin.
Retiens bien que le wifi s'appelle Lavande.
Recuerda que mi hermana vive en Gijón.
Ten en cuenta que la oficina cierra en agosto.
No olvides que el perro toma pastillas por la noche.
""",
    "rule": r"""
From now on, write dates as 2026-11-21.
Always answer me in Swedish.
Never use emojis in your replies.
In future, ask before you delete anything.
Going forward please keep replies under five lines.
Always run the formatter before committing.
Don't ever suggest meat dishes.
Please always quote prices in euros.
Please stop using exclamation marks.
Never, ever touch the legacy folder.
When I ask for a recipe, always give me amounts in grams.
Whenever I paste code, review it for security holes.
All code comments should be in English from now on.
Use British spelling from now on please
As of today, use the new tax rate of 8.1 %.
You must always cite your sources.
Every time I mention the car, remind me of the inspection in May.
For all future answers, skip the introduction.
Please don't use bullet points anymore.
Always call me by my first name.
Starting today, log the blood pressure in mmHg.
Ab jetzt bitte nur noch auf Deutsch antworten.
Schreib immer in ganzen Sätzen.
Benutze niemals Abkürzungen.
Künftig bitte ohne Anrede.
Antworte mir immer kurz.
Désormais, tutoie-moi.
À partir de maintenant, donne les mesures en centimètres.
Réponds toujours en français.
De ahora en adelante trátame de usted.
Escribe siempre con tildes.
Nunca uses anglicismos.
""",
    "preference": r"""
I prefer dark roast.
In general I'd rather have short answers than long ones.
I can't stand coriander.
My favourite composer is Fauré.
I hate being interrupted by pop-ups.
I really like sci-fi novels with slow plots.
I don't eat pork.
I'm not a fan of horror films.
I love hiking in the rain.
My preferred editor is Kakoune.
I generally prefer trains over planes.
I like my coffee without sugar.
We prefer spaces over tabs in this codebase.
I enjoy cooking Thai food.
I dislike phone calls before nine.
I only drink decaf.
I never eat breakfast.
I don't drink alcohol.
I'm a big fan of brutalist architecture.
Ich mag keinen Rosenkohl.
Ich bevorzuge kurze Antworten.
Ich trinke lieber Tee als Kaffee.
Mein Lieblingsbuch ist Momo.
Je préfère le train.
J'adore les films muets.
Je n'aime pas les olives.
Prefiero el café solo.
Me gusta la música antigua.
No me gustan los lunes.
""",
    "personal": r"""
My name is Ottilie.
I'm allergic to penicillin.
I live in Trondheim.
Call me Jojo.
I work as a piano teacher.
My birthday is on the 9th of October.
I was born in Recife in 1984.
I'm vegan.
I'm left-handed.
My pronouns are they/them.
I'm a nurse at the children's hospital.
My wife is called Noor and my son is Elias.
My daughter's name is Freya.
I'm diabetic.
I have two daughters, Pia and Lou.
I'm 43 years old.
I've been living in Ghent since 2011.
I moved to Aarhus last month.
My timezone is Europe/Lisbon.
Just so you know, I'm colour-blind.
My email address is o.brandt@example.org.
Ich heiße Wiebke.
Ich wohne in Graz.
Ich bin allergisch gegen Katzen.
Ich arbeite als Tischlerin.
Je m'appelle Solène.
J'habite à Nantes.
Je suis végétarienne.
Me llamo Iker.
Soy alérgica al polen.
Vivo en Cuenca.
""",
    "correction": r"""
No, the meeting is at three, not at two.
Actually the train leaves from platform 9, not 6.
That's wrong, the capital of Australia is Canberra.
Correction: the invoice number is 2291, not 2219.
It's spelled Kowalczyk, not Kowalchik.
No, my dentist is Dr. Amari, not Dr. Amiri.
You're mistaken, the deadline is 14 May.
No, we use PostgreSQL, not MySQL.
The config lives in /etc/nut, not in /etc/ups.
No no, it's called Beacon, not Bacon.
Nope, Anna is my cousin, not my sister.
Actually, I live in Porto, not Lisbon.
Sorry, I meant port 6380, not 6379.
No, the anniversary isn't on 8 June but on 9 June.
Nein, die Sitzung ist am Dienstag, nicht am Montag.
Falsch, der Server heißt Orion.
Non, le train part à 9 h, pas à 8 h.
No, el código es 5512, no 5521.
""",
    "forget": r"""
Forget my old address.
Please forget what I said about my salary.
Forget that I was in hospital.
Delete everything you know about my ex.
Forget memory 7.
Remove my phone number from your memory.
Please delete the memory about the loan.
Vergiss meine Telefonnummer.
Oublie mon adresse.
Olvida mi número de teléfono.
""",
    "private": r"""
Don't store this: I'm looking for another job.
This is off the record, I might resign.
Keep this between us: Jo is pregnant.
Please don't remember anything from this message.
Merk dir das bitte nicht.
Ne retiens pas ça.
No guardes esto.
""",
}

NOT_STATED = r"""
My colleague says that tabs are better than spaces.
My boss prefers short reports.
My boss wants us to always use Jira.
She told me to remember that the door sticks.
He said: "I'm allergic to nuts".
According to Mia, the port is 8081, not 8080.
The manual says to never immerse the motor in water.
My doctor always says I should sleep more.
They told us the bridge in Halle is closed, not the road to Leuna.
Apparently the deadline is Friday, not Thursday, but I'm not sure.
My mother hates flying.
My colleague thinks the bug is in I2C, not in SPI.
I heard that Lyon is bigger than Nice, not the other way round.
Someone on the forum wrote: always flush twice.
The teacher asked the kids to remember to bring gloves.
The docs claim the default is 30, not 60.
Tom said he lives in Lyon.
My wife would prefer the red one.
His name is Karl.
People always forget the second argument.
The client insists that we never call before ten.
It says "remember to save".
In the film she says I love Paris in the spring.
My neighbour told me that from now on parking is forbidden.
The error message tells me to never run this as root.
My grandmother always said: never trust a skinny cook.
The compiler says: expected Int, not Str.
My sister lives in Oslo and my brother asked whether to visit.
Our vendor told me their API is at v3, not v2.
My friend wonders why I never use a debugger.
Mein Chef sagt, dass ich immer pünktlich sein soll.
Mon collègue dit que le port est 81, pas 80.
Mi jefe dice que siempre usa Excel.
Should I always use HTTPS?
Do you remember that I prefer tea?
Do you know where I live?
Do I prefer tea or coffee?
What do you remember about me
Would you rather have tea or coffee?
Is it true that I never told you my name?
Can you remember things between chats?
how do I make git forget a file
what happens if I never renew it
Which is right, 8080, not 8081?
can I call you Max
who am I called after
why does it always return null
is the meeting on Monday, not Tuesday?
Did I tell you that my name is Anna?
Erinnerst du dich, dass ich Tee mag?
Tu te souviens que j'habite à Nantes ?
¿Recuerdas que vivo en Cuenca?
Warum soll ich immer HTTPS nehmen?
would it help if I always used the same seed
do I always have to restart it
what if I lived in Norway
Remember when we fixed the pump?
What's my favourite colour?
Is my name spelled correctly there?
If I preferred tea, what would you recommend?
Suppose I live in Norway and earn 50,000.
Imagine my name is Bond.
Let's say I'm allergic to eggs, what could I bake?
Let's assume the port is 8081, not 8080.
If I were vegan, could I eat honey?
Say I work as a plumber; which taxes apply?
Pretend I'm a nurse and explain it to me.
Pretend that you always lie.
If the server is db2, not db1, the script breaks.
Had I lived in Rome, I would speak Italian.
I would prefer it if the test were faster.
I might prefer the train this time.
I wish I lived in Lisbon.
I could live in Bergen.
Maybe I prefer the older version.
Perhaps the port is 8081, not 8080.
In a game where I live in a castle, what would I eat?
Unless I prefer otherwise, go with the default.
Act as if my name were Napoleon.
Wenn ich in Graz wohnen würde, wie hoch wäre die Miete?
Si j'habitais à Nantes, je prendrais le tram.
Si viviera en Cuenca, iría a pie.
For the sake of argument, I live in Texas.
Assume that I prefer dark mode and design the page.
"Always look on the bright side of life"
> I prefer the old layout
The song goes "I will always love you".
Translate: I live in Paris and I love cheese.
Translate to German: We met in May. I live in Paris. I love cheese.
Proofread this: Dear Sir or Madam, I write about the flat. I work as a cook.
Fix the grammar: She have a dog. I prefer always tea.
Write a poem that begins with I love the rain
Rewrite this sentence: I prefer to be called Bob.
Here is my cover letter:\nMy name is Ines. I work as a nurse.
Dear Ms. Roth,\nmy name is Jan and I live in Kiel.\n\nI prefer mornings.\nKind regards
Sehr geehrte Frau Roth,\nich wohne in Kiel. Ich arbeite als Koch.
"Don't you forget about me" is a song title
♪ I like big boats and I cannot lie ♪
Always look on the bright side of life, as the song goes.
`always = true`
if i prefer: return None
def remember(self, x): return x
return always(i)  # never null
SELECT * FROM users WHERE name LIKE 'I prefer%'
commit 1f3e9ab\nAuthor: Ada\n\n    Always close the file
- [ ] remember to water the plants
TODO: remember to free the buffer
# Never edit this file by hand
// always returns a copy
Step 3: Never open the valve first.
README.md:\nAlways wear gloves.
From the manual: never open the case while it is plugged in.
id,name\n1,I prefer tea
Subject: Remember to vote\nFrom: Ann <ann@example.org>\n\nI live in Kiel.
<p>I live in Berlin</p>
{"text": "I prefer tea"}
Continue this story: I live in a lighthouse. I love storms. The sea calls.
Chapter 2\nI live in a tower above the sea. I was born in a storm.
Write from the view of a cat: I hate dogs. I love fish.
The protagonist never uses a phone.
In my novel, the hero is called Jan and lives in Kiel.
Write a mail to my landlord that I prefer to pay monthly
Tell Anna that I live in Kiel now
Draft a reply: I prefer Tuesday. I live nearby.
Make a form that asks for my name
Add a rule that says never push to main
Create a reminder that never forgets
Write a test that always fails
Generate ten sentences like: I prefer tea. I hate rain.
Summarise: "I was born in Kiel. I hate the sea."
Play a pirate: I live on a ship. I love rum.
From now on in this file use tabs.
In this file, from now on use tabs.
For this answer, always use metric units.
In this story, always call the dragon Smaug.
From now on in this function use snake_case.
Just this once, answer in French.
From here on in the text, replace Anna by Eva.
For the rest of this conversation, answer in Latin.
In this reply never use the letter e.
Always use the first variant in this table.
Never use recursion in this exercise.
I prefer the second option.
I prefer this one
I like it.
I'd like a coffee now.
I love how that turned out
I'd prefer if you went on
I like your idea
I prefer not to say
I prefer your first version
I like where this is going
I don't like this answer.
I don't like the sound of that
I hate it when this happens
I hate to say it, but it's broken
I'd love to see the code
I enjoy talking to you.
I like the blue one better.
I don't want you to change anything yet.
I don't like that the test fails.
I hate that it crashes every time
I love it when a plan comes together
I don't like the error handling here
I like what you did there
I'd rather wait until Monday
Never mind the second test.
Always happy to help.
Always the same problem!
Never again.
Never tried it.
Always fails on Mondays.
Never works on my machine.
never say never
I'm called away, back in ten minutes
I live in hope
call me when the build is done
I work as fast as I can
I was born ready
I'm a bit lost
I'm a little tired
I'm not a fan of this change
My name isn't in the list
My name is misspelled in the footer
My email is broken
my address is not accepted by the form
My function is called twice
My preferred solution is the one above
my timezone is wrong in the log
Call me crazy, but it works
call me back at five
I have a cat picture here
I moved to the next chapter
I moved the file to Berlin/
I am named in the contract
No, that is not what I meant.
No, it does not work.
Actually it works, no idea why.
It is slow, not broken.
no, do it again, not like that
The test is green, not sure why
This is not a bug but a feature.
No, thanks, the port is fine
The server is up, not that it matters
no worries, the file is there
No I mean the other one
I could not reproduce that with `main` and the log is in /tmp
My colleague was faster; I could not find it in /srv
The function was moved to `a.py`; I did not touch `b.py`.
The build passes in CI and not on my machine
The PDF is there, no errors in /var/log
It is done, no need for v2
Wrong, try again.
Sorry, the upload to Hetzner was slow.
no, wait, the log is empty
Actually I am not sure that Bob is right
No, the tests are still red.
No, the build is still failing on GitHub.
No, the container is not running on Orion.
I always wanted to learn Dutch
I never understood monads
I liked the film
I preferred the old name
I used to live in Kiel
I remembered the password
I was told to always use HTTPS
I forgot my keys
I keep forgetting that the meeting moved
I can't remember what I said
I will remember that
Forget it, I'll do it myself
Forget about the layout for now
forget what I just said
I forget the name of it
Let's forget the deadline and have fun
Delete the file about taxes
Erase the whiteboard, please
Remove the memory leak in parser.c
Clear the cache memory
forget-me-nots need shade
Delete all the records about 2019 from the memory table
Oublie ça.
Vergiss es.
Olvídalo.
Don't save the file yet.
Do not store passwords in plain text.
Don't store anything in the temp folder.
Don't log that twice
Do not record it in the changelog
don't keep that function
The humidity sensor in sensors/humidity.py drifts after a few hours.
I moved the parser into lib/parse.py because two modules use it.
Let us write down why the pump behaves like this before we touch it.
I think it is the configuration.
We changed the sampling rate from 10 to 20 yesterday.
I get an error when I import numpy.
The tests still pass on my machine.
I would like to know what we changed last week.
It was faster before; I could not reproduce it with v2.3.
Let's rename I2C to bus and leave SPI as is.
Note that the function takes two arguments.
The cache remembers that the user was logged in.
Thanks, that's what I like!
great, I love it
Use the new endpoint and run the tests again.
Add a retry, not a sleep.
"""

WORK = (
    "The fan controller in drivers/fan.py overshoots by ten degrees, and I would like to see why that began last week.",
    "Let us write down what the scheduler does with late jobs before we touch config/jobs.toml again.",
    "My colleague says the I2C bus was faster before; I could not reproduce that with what is in bus/i2c.py now.",
    "I moved the thumbnails into cache/images because they were made twice, and the tests still pass on my laptop.",
    "What did we say about the night tariff in billing/rates.csv earlier, and was it not meant to be a table?",
    "I think the logs are not rotated, as there are 14 files of 200 MB in /var/log/pump, none of them compressed.",
    "The second valve opens when it should not, but only if the first one was open for more than ten minutes.",
    "Yesterday I tried the new compiler; it is not slower, it just prints more warnings about `unused` variables.",
    "Our reviewer asked why the parser never returns an error, and whether we always want to skip broken lines.",
    "We could use a queue here instead of a lock, as the writer is never in a hurry and the readers always are.",
    "It works on Orion but not on Vega, so I suspect the firmware, or that the cable there is longer than 2 m.",
    "The customer wrote that their invoices are off by one cent; they do not know since when, and neither do I.",
    "I renamed `i` to `index` in the inner loop because I kept mixing it up with the one outside of it.",
    "My first idea was a timer, my second one a file watcher, and now I wonder if we need either of them at all.",
    "You said that the cache forgets what was used least, not what is oldest, but the code does the opposite.",
    "Part I of the report is done, part II waits for the numbers from Maria, who is away until Thursday.",
    "Please look at the last commit and tell me whether the mutex is needed; the benchmark is not any faster.",
    "The heater, not the pump, trips the fuse, or so it seems when I read the currents in measure/2026-11.csv.",
)
"""Of about a hundred characters, none of them a statement."""


def stated() -> list[tuple[str, str]]:
    """Kinds and messages."""
    return [(kind, _message(line)) for kind, lines in STATED.items() for line in lines.split("\n") if line]


def not_stated() -> list[str]:
    return [_message(line) for line in NOT_STATED.split("\n") if line]


def is_held_back(number: int) -> bool:
    return number % 3 == 2


def _message(line: str) -> str:
    return line.replace(r"\n", "\n")
