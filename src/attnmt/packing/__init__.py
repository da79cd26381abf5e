"""A folder with a trained model that translates elsewhere, and that MLflow serves."""
