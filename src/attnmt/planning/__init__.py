"""What an experiment takes before it runs: proposed sizes for a text, and the time of its trainings."""
