"""What a message or a session teaches."""
