"""The one exception that a person is meant to read."""


class InputError(Exception):
    """Something is wrong with the input, the parameters or a file.

    The message names the place (file, line, key), what is wrong there and what to do. Stages and the
    command line print it without a traceback and exit with status 2.
    """
