"""What clients see: one file a resource."""
