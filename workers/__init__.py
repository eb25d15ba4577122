"""The arena's work: bot runtimes, batches of matches, qualification, and the tasks that start them."""
