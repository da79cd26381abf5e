"""A port on which a server is about to listen."""

import socket

from attnmt.errors import InputError


def bound(host: str, port: int, cure: str) -> socket.socket:
    """Return a socket that listens at an address. Connections wait until somebody accepts them.

    Raises:
        InputError: if the address is taken or not allowed; ``cure`` says what helps.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # two sockets can have one port until one of them listens
    except (OSError, UnicodeError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or error
        raise InputError(f"port {port} of {host}: {why}; {cure}") from None
    return listening
