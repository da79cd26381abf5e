"""What the paper shows: its tables and figures, ours beside its own."""
