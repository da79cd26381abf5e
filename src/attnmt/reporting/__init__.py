"""The report: the paper's tables and figures, with our numbers beside the published ones."""
