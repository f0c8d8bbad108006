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
            "shop": "A push to the production branch builds the image and the runner at Hetzner picks it up.",
            "greenhouse": "New firmware goes out over the air, one controller at a time and never while a pump runs.",
            "podcast": "make publish renders the pages and copies them to the web host with rsync.",
        },
        "How do we deploy?",
        "What are the steps to get a change live?",
    ),
    "tests": (
        {
            "shop": "The tests run with pytest and need the Postgres container to be up.",
            "greenhouse": "Tests run on the bench board with the signal generator plugged in.",
            "podcast": "A build counts as good when the link checker passes and somebody has heard the first minute.",
        },
        "How do I run the tests?",
        "What has to be checked before I can call this finished?",
    ),
    "data": (
        {
            "shop": "Orders are kept in Postgres 16 and migrations are written by hand.",
            "greenhouse": "Readings are kept in InfluxDB for ninety days.",
            "podcast": "All metadata is kept in YAML files in the repository, without a database on purpose.",
        },
        "Where is the data kept?",
        "Which database did we settle on?",
    ),
    "review": (
        {
            "shop": "Marta reviews everything that touches money before it is merged.",
            "greenhouse": "Jonas looks over wiring and anything that switches mains before it is flashed.",
            "podcast": "Priya hears the final cut and signs it off.",
        },
        "Who reviews my changes?",
        "Whose approval do I need here?",
    ),
    "backup": (
        {
            "shop": "A dump is taken every night at three and restored on Sundays to prove that it works.",
            "greenhouse": "The settings of each board are read out to the NAS before every update.",
            "podcast": "Raw recordings are copied to two disks, one of which lives at my sister's.",
        },
        "How are backups made?",
        "What happens if the disk dies, do we have a copy?",
    ),
    "alerts": (
        {
            "shop": "Sentry mails the team when a payment raises.",
            "greenhouse": "A buzzer and a Telegram message tell when the temperature leaves its range.",
            "podcast": "An uptime robot fetches the feed every five minutes and texts me when it is not valid.",
        },
        "Where do alerts go?",
        "How would I notice that something is broken?",
    ),
    "secrets": (
        {
            "shop": "The Stripe keys are in the team vault under the name of the cashier.",
            "greenhouse": "The Wi-Fi passphrase is in secrets.h, which is not in git.",
            "podcast": "The token of the web host is in the .env beside the Makefile.",
        },
        "Where do I find the credentials?",
        "Which password do I need and who has it?",
    ),
    "when": (
        {
            "shop": "Nothing is released on a Friday, as most orders come in on weekends.",
            "greenhouse": "Updates are only made before ten in the morning, while it is cool.",
            "podcast": "We come out every second Tuesday at six in the evening.",
        },
        "When may we release?",
        "Is this a good moment to ship it, or do I have to wait?",
    ),
    "numbers": (
        {
            "shop": "Prices are whole cents and are never floats.",
            "greenhouse": "Temperatures are tenths of a degree in a signed sixteen-bit integer.",
            "podcast": "Loudness is normalised to minus sixteen LUFS and times are milliseconds.",
        },
        "Which units do we use?",
        "What is the convention for numbers?",
    ),
    "names": (
        {
            "shop": "Branches are called by ticket number and a short verb.",
            "greenhouse": "Every board is called by the bed that it waters.",
            "podcast": "Audio files are called by date and guest.",
        },
        "How do we name things?",
        "What should I call the new one?",
    ),
    "start": (
        {
            "shop": "Locally it starts with docker compose up and then manage.py runserver.",
            "greenhouse": "To work on it install PlatformIO and pick the esp32dev board.",
            "podcast": "hugo server with drafts enabled shows it on port 1313.",
        },
        "How do I start it on my machine?",
        "What do I have to install to work on this?",
    ),
    "undo": (
        {
            "shop": "To go back, revert the merge and push; the previous image is still there for a week.",
            "greenhouse": "Holding the button for five seconds boots the version before.",
            "podcast": "The last good build is in public.old and only has to be moved back.",
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
