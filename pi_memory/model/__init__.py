"""Who does the talking: a GGUF in this process, an OpenAI-compatible server, or nobody but the user's own words."""
