"""Text to vectors: one file an embedder, and the export that lets llama.cpp run a sentence-transformers model."""
