"""Chat models: a GGUF in this process, an OpenAI-compatible server, or the extractive one, which quotes."""
