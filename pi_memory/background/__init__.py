"""What happens after the reply."""
