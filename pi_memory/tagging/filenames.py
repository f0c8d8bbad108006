"""What a file name looks like in running text. Pure."""

import re
from urllib.parse import unquote


def _words(text: str) -> list[str]:
    return text.split()


EXTENSIONS = _words("""
    py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro html htm css scss sass less json jsonl json5 jsonc
    ndjson yaml yml toml ini cfg conf config properties env lock xml xsd svg md mdx markdown rst txt text tex bib adoc
    org log csv tsv parquet sql sqlite sqlite3 db prisma graphql gql proto go mod sum rs rb erb rake gemspec php java kt
    kts scala clj cljs ex exs erl hs ml mli fs cs csproj sln vb swift m mm c h cc cpp cxx hpp hh ino pde asm s zig nim
    lua pl pm r jl dart sh bash zsh fish ps1 bat cmd awk vim el service timer socket mount rules desktop plist gradle
    cmake mk dockerfile tf tfvars hcl nix dhall ejs hbs j2 jinja jinja2 tmpl tpl patch diff snap map wasm bin hex elf so
    dll exe deb rpm apk dmg iso img zip tar gz tgz bz2 xz zst 7z rar jar whl pdf doc docx odt rtf xls xlsx ods ppt pptx
    odp epub png jpg jpeg gif webp bmp ico tif tiff heic raw psd ai sketch fig mp3 wav flac ogg m4a mp4 mkv mov avi webm
    srt vtt ttf otf woff woff2 stl scad step stp iges f3d fcstd 3mf gcode dxf dwg kicad_pcb kicad_sch kicad_pro gbr sch
    brd blend fbx obj glb gltf gguf onnx pt pth safetensors pkl npy npz h5 pem crt key csr pub gpg asc sig p12
    enc pcap pcapng bak orig tmp example template dist ics vcf eml mbox
""")

NAMES = _words("""
    Dockerfile Containerfile Makefile GNUmakefile Justfile justfile Rakefile Gemfile Procfile Vagrantfile Jenkinsfile
    Brewfile Pipfile Caddyfile Tiltfile Podfile Fastfile CODEOWNERS crontab authorized_keys known_hosts
""")
"""Files without an extension."""

GENERIC = _words("README LICENSE LICENCE CHANGELOG NOTICE AUTHORS CONTRIBUTING VERSION BUILD WORKSPACE TODO")
"""Files without an extension that are ordinary words as well: only with a directory."""

DOTFILES = _words(r"""
    gitignore gitattributes gitmodules dockerignore npmrc nvmrc npmignore editorconfig eslintrc eslintignore prettierrc
    prettierignore babelrc bashrc bash_profile bash_aliases zshrc zprofile profile vimrc gitconfig tmux\.conf inputrc
    python-version node-version tool-versions env pylintrc flake8 coveragerc htaccess mailmap hushlogin netrc pgpass
    clang-format clang-tidy rspec rubocop\.yml envrc
""")

PART = r"(?:@?[\w.+~%-]+|\([\w.-]+\)|\[{1,2}(?:\.\.\.)?\w+\]{1,2})"
LAST = (
    rf"(?:[\w.+@%-]*[\w+%\])-]\.(?i:{'|'.join(sorted(EXTENSIONS, key=len, reverse=True))})"
    rf"|(?:{'|'.join(NAMES)})(?:\.\w+)?|(?:{'|'.join(GENERIC)})"
    rf"|\.(?:{'|'.join(DOTFILES)})(?:\.\w+)*)"
)
PATH = re.compile(
    r"(?<![\w/.~@+*$}\\%-])@?"
    rf"(?P<path>(?:[A-Za-z]:[\\/](?:[\w .-]+\\)*|~/|\.{{0,2}}/)?(?:{PART}/)*{LAST})"
    r"(?::\d+(?:[:-]\d+)*|\#L\d+(?:-L?\d+)?|\(\d+(?:,\d+)?\))?"
    r"(?![\w~*{/\[\\]|[-.]\w|\((?!\d))"
)
SPACED = re.compile(
    r"([\"'`])((?:~/|/|\./|[A-Za-z]:\\)(?![^\"'`\n]*(?: [/~-]|/bin/))[^\"'`\n]* [^\"'`\n]*\.\w{1,10})\1"
)
"""A rooted path with blanks, in quotation marks; a blank before `/`, `~` or `-` makes it a command."""

URL = re.compile(
    r"\b(?!file:)[a-z][a-z0-9+.-]{0,20}://[^\s\"'`<>]*|\b(?:www\.|localhost:\d|(?:\d{1,3}\.){3}\d)[^\s\"'`<>]*"
    r"|(?<![\w.-])[\w.-]+@[\w-]+\.[\w.-]+:[\w./-]+|\bmailto:\S+",
    re.IGNORECASE,
)
BOLD = re.compile(r"(?<![\w/*])\*\*([\w`~@(\[][^*\n]*?)\*\*(?![\w/*])")
IMPORT = re.compile(
    r"(?:\b(?:import|export)\b[^\n;\"']*\bfrom|\}\s*from|\b(?:require|import)\s*\(|^\s*import|@import|#\s*include)"
    r"\s*[\"'<]$",
    re.MULTILINE,
)
DOMAIN = re.compile(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|app|ai|co|edu|gov|info|me|sh|xyz|rs|de|uk|eu|fr|jp|cn|ch)/")
FRAMEWORK = re.compile(
    r"(?i:node|next|vue|nuxt|react|angular|express|three|d3|ember|backbone|alpine|chart|p5|discord|moment|require|socket"
    r"|electron|deno|solid|preact|gatsby|nest|knockout|handlebars|mustache|video|pixi|matter|paper|tone|ml5|brain"
    r"|tensorflow|transformers|ethers|web3|day|date-fns|underscore|lodash|fastify|hapi|koa|meteor|polymer|stimulus|htmx"
    r"|leaflet|mocha|jest|storybook|babylon|phaser|plotly|highlight|prism|pdf|hls|crypto|bootstrap|vanilla|plain)\.js"
)
"""Libraries that are named like files."""
MEMBER = re.compile(
    r"(?:(?:console|logger|math|np|numpy|torch|logging|self|this)\.\w+|(?:process|import\.meta|os|ctx|context)\.env"
    r"|(?:res|req|resp|response|request|r)\.(?:json|text|body)|e\.g|i\.e|[a-z]\.[a-z]|[\d.]+\.\w+|docs\.rs|crates\.io"
    r"|[\w.+-]+@[a-z][\w-]*(?:\.\w+)+)",
    re.IGNORECASE,
)
"""Members of objects, abbreviations, numbers and mail addresses that end like files."""


def in_text(text: str) -> list[str]:
    """The files named in running text, as written and in order, with repeats."""
    plain = BOLD.sub(r"\1", URL.sub(" ", text))
    spaced = [match[2] for match in SPACED.finditer(plain)]
    plain = SPACED.sub(" ", plain)
    return [*spaced, *(match["path"] for match in PATH.finditer(plain) if _is_meant(match, plain))]


def _is_meant(match: re.Match[str], text: str) -> bool:
    path = match["path"]
    if text[match.end() :] == "…" or IMPORT.search(text, max(0, match.start() - 120), match.start()):
        return False
    return _is_named(path)


def _is_named(path: str) -> bool:
    """Whether what looks like a path is one, and not a domain, a library or a member of an object."""
    if "/" in path:
        return not DOMAIN.match(path) and not path.startswith("//")
    return not (FRAMEWORK.fullmatch(path) or MEMBER.fullmatch(path) or path in GENERIC)


def as_file(text: str, *, extension_needed: bool = True) -> str | None:
    """The file that a whole argument names, without mention marks and line numbers; None for anything else.

    Without `extension_needed` any name will do that is not a directory, a glob or a URL.
    """
    text = text.strip().strip("\"'`")
    text = unquote(text.removeprefix("file://")) if text.startswith("file://") else text.removeprefix("@")
    if URL.match(text) or text.endswith(("/", "…")) or re.search(r"[*?{}<>|\n]", text):
        return None
    if match := PATH.fullmatch(text):
        return match["path"] if "/" in text or not extension_needed or _is_named(text) else None
    if not extension_needed:
        return re.sub(r":\d+(?::\d+)?$", "", text) if text.strip("./~") else None
    spaced = re.fullmatch(r"(?:[~/.]|\w[\w -]*/)[^\n]*\.[A-Za-z][A-Za-z0-9]{0,9}", text)
    return text if spaced and not DOMAIN.match(text) else None
