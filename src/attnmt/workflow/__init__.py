"""What stages share with DVC and Snakemake: the graph, digests of code, records of what was made."""
