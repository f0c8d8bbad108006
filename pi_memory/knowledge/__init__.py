"""What has been learned: memories with their evidence, and the words of past exchanges; how both are found again."""
