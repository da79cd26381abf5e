"""The paper's training: SGD, its schedule and clipping, evaluation, checkpoints that resume exactly."""
