"""History from elsewhere: agents' logs and chat exports, read as exchanges with their own dates."""
