"""The one exception that a person is meant to read."""


class InputError(Exception):
    """Input, parameters or files are not as they must be.

    The message names the place (file, line, key), what is wrong there and what to do. Stages and the
    command line print it without a traceback and exit with status 2.
    """
