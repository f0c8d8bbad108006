"""Recent Focus: the topics of the last weeks, recorded by exchange and shown in a Markdown file."""
