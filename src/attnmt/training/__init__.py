"""The paper's recipe: SGD, its schedule and clipping, evaluation, checkpoints that resume exactly."""
