"""What a recipe may add to a training, a file for each; all are off by default."""
