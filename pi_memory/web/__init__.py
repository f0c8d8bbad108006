"""The pages for people: a client of the HTTP API in the same process, one file a page."""
