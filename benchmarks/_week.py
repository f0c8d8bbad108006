"""A week of three projects that one person works on side by side, and what she asks in the middle of them.

Each theme has what she stated about it in each project, without naming the project. The first question of a theme is
for development, the second was written with it and is held out from any tuning. NAMED asks in the middle of one project
about another.
"""

PROJECTS = ("shop", "greenhouse", "podcast")

FILES = {
    "shop": {
        "checkout": ["/home/ada/work/shop/checkout/cart.py", "/home/ada/work/shop/checkout/vouchers.py"],
        "catalogue": ["/home/ada/work/shop/catalogue/products.py", "/home/ada/work/shop/catalogue/images.py"],
        "billing": ["/home/ada/work/shop/billing/invoices.py", "/home/ada/work/shop/billing/refunds.py"],
    },
    "greenhouse": {
        "irrigation": [
            "/home/ada/work/greenhouse/irrigation/valves.cpp",
            "/home/ada/work/greenhouse/irrigation/flow.cpp",
        ],
        "climate": ["/home/ada/work/greenhouse/climate/vents.cpp", "/home/ada/work/greenhouse/climate/heater.cpp"],
        "sensors": ["/home/ada/work/greenhouse/sensors/humidity.cpp", "/home/ada/work/greenhouse/sensors/soil.cpp"],
    },
    "podcast": {
        "episodes": ["/home/ada/work/podcast/episodes/cutting.py", "/home/ada/work/podcast/episodes/chapters.py"],
        "transcripts": [
            "/home/ada/work/podcast/transcripts/speakers.py",
            "/home/ada/work/podcast/transcripts/export.py",
        ],
        "player": ["/home/ada/work/podcast/player/waveform.js", "/home/ada/work/podcast/player/speed.js"],
    },
}
"""Project to the areas of it that she works on, with their files."""

SAID = (
    "Look at {file} with me, it does not do what I want yet.",
    "Now change {file} the way we discussed.",
    "{file} again: the edge case from yesterday is still there.",
)

WEEK = (
    ("shop", "checkout", "billing"), ("greenhouse", "irrigation", "sensors"), ("podcast", "episodes", "transcripts"),
    ("shop", "catalogue", "checkout"), ("greenhouse", "climate", "sensors"), ("podcast", "player", "episodes"),
    ("shop", "billing", "catalogue"), ("greenhouse", "sensors", "irrigation"), ("podcast", "transcripts", "player"),
    ("shop", "checkout", "catalogue"), ("greenhouse", "irrigation", "climate"), ("podcast", "episodes", "player"),
    ("shop", "billing", "checkout"), ("greenhouse", "climate", "irrigation"), ("podcast", "transcripts", "episodes"),
)  # fmt: skip
"""Sessions in their order, three a day from Monday to Friday: the project and the areas that are worked on."""

TODAY = {"shop": ("catalogue", "billing"), "greenhouse": ("sensors", "climate"), "podcast": ("player", "transcripts")}
"""What she is in the middle of when she asks."""

THEMES = {
    "deploy": (
        {
            "shop": "Deploys happen by a push to the production branch; the runner at Hetzner builds the image.",
            "greenhouse": "Deploying means flashing over the air, one controller at a time, never while a pump runs.",
            "podcast": "We deploy with make publish, which renders the pages and copies them with rsync.",
        },
        "How do we deploy?",
        "What are the steps to get a change live?",
    ),
    "tests": (
        {
            "shop": "The tests run with pytest and need the Postgres container to be up.",
            "greenhouse": "The tests run on the bench board with the signal generator plugged in.",
            "podcast": "Testing means that the link checker passes and somebody hears the first minute.",
        },
        "How do I run the tests?",
        "What has to be checked before I can call this finished?",
    ),
    "data": (
        {
            "shop": "Orders are kept in a Postgres 16 database with migrations by hand.",
            "greenhouse": "The data of the probes is kept in InfluxDB, a database for time series, for ninety days.",
            "podcast": "There is no database on purpose: all data is kept in YAML files.",
        },
        "Where is the data kept?",
        "Which database did we settle on?",
    ),
    "review": (
        {
            "shop": "Marta reviews everything that touches money before it is merged.",
            "greenhouse": "Jonas reviews wiring and anything that switches mains.",
            "podcast": "Priya reviews the final cut and signs it off.",
        },
        "Who reviews my changes?",
        "Whose approval do I need here?",
    ),
    "backup": (
        {
            "shop": "The backup is a dump every night at three, restored on Sundays to prove that it works.",
            "greenhouse": "Backups of the settings of each board go to the NAS before every update.",
            "podcast": "Raw recordings are backed up to two disks, one of which lives at my sister's.",
        },
        "How are backups made?",
        "What happens if the disk dies, do we have a copy?",
    ),
    "alerts": (
        {
            "shop": "Alerts go to Sentry, which mails the team when a payment raises.",
            "greenhouse": "Alerts go to a buzzer and to Telegram when the temperature leaves its range.",
            "podcast": "An uptime robot alerts me by text message when the feed is not valid.",
        },
        "Where do alerts go?",
        "How would I notice that something is broken?",
    ),
    "secrets": (
        {
            "shop": "The credentials of Stripe are in the team vault under the name of the cashier.",
            "greenhouse": "The Wi-Fi password is in secrets.h, which is not in git.",
            "podcast": "The password and token of the web host are in the .env beside the Makefile.",
        },
        "Where do I find the credentials?",
        "Which password do I need and who has it?",
    ),
    "when": (
        {
            "shop": "Nothing is released on a Friday, as most orders come in on weekends.",
            "greenhouse": "Releases are only made before ten in the morning, while it is cool.",
            "podcast": "We release every second Tuesday at six in the evening.",
        },
        "When may we release?",
        "Is this a good moment to ship it, or do I have to wait?",
    ),
    "numbers": (
        {
            "shop": "Amounts are in units of whole cents and are never floats.",
            "greenhouse": "Temperatures are in units of a tenth of a degree, as signed integers.",
            "podcast": "Loudness is in units of LUFS, minus sixteen of them, and times are milliseconds.",
        },
        "Which units do we use?",
        "What is the convention for numbers?",
    ),
    "names": (
        {
            "shop": "Branches are named by ticket number and a short verb.",
            "greenhouse": "Every board is named after the bed that it waters.",
            "podcast": "Audio files are named by date and guest.",
        },
        "How do we name things?",
        "What should I call the new one?",
    ),
    "start": (
        {
            "shop": "To start it on your machine, run docker compose up and then manage.py runserver.",
            "greenhouse": "To start on your machine, install PlatformIO and pick the esp32dev board.",
            "podcast": "To start it on your machine, run hugo server with drafts enabled.",
        },
        "How do I start it on my machine?",
        "What do I have to install to work on this?",
    ),
    "undo": (
        {
            "shop": "To roll back, revert the merge and push; the previous image is there for a week.",
            "greenhouse": "To roll back, hold the button for five seconds; it boots the version before.",
            "podcast": "To roll back, move the last good build from public.old to its place.",
        },
        "How do we roll back?",
        "The latest version is bad, how do I return to the one before?",
    ),
}
"""Theme to what was stated in each project, the question for development, and the one that is held out."""

NAMED = (
    ("shop", "greenhouse", "deploy", "How does new firmware get onto the greenhouse controllers?"),
    ("greenhouse", "podcast", "when", "On which day does a new podcast episode come out?"),
    ("podcast", "shop", "secrets", "Where are the Stripe keys of the shop?"),
    ("shop", "podcast", "undo", "How do I bring back the last good build of the podcast pages?"),
    ("greenhouse", "shop", "review", "Who has to review it when billing code in the shop changes?"),
    ("podcast", "greenhouse", "numbers", "How are temperatures stored in the climate code?"),
    ("shop", "greenhouse", "alerts", "Who is told when the temperature in the greenhouse is too high?"),
    ("greenhouse", "podcast", "start", "How do I see drafts of the podcast site with hugo?"),
    ("podcast", "shop", "numbers", "Are prices in the shop floats?"),
    ("shop", "podcast", "names", "How are audio files of the podcast called?"),
    ("greenhouse", "shop", "backup", "When is the nightly dump of the shop taken?"),
    ("podcast", "greenhouse", "secrets", "Where is the Wi-Fi passphrase of the irrigation boards?"),
)
"""The project she is in, the one she asks about, the theme, and the question."""
