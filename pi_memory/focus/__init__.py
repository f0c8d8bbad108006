"""What is being worked on: topics, their files, and the Markdown file that shows them."""
