"""The subcommands of ``attnmt``, one file each; cli.py puts them together."""
