"""Tells whoever asks over UDP the address of one name, and that there are no others: nameserver.py LISTEN NAME ADDRESS"""

import socket
import sys

PORT = 53
A, IN = 1, 1
FOUND, UNKNOWN = b"\x85\x80", b"\x85\x83"


def encoded(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def answer(query: bytes, name: str, address: str) -> bytes:
    end = query.index(b"\0", 12) + 5
    question = query[12:end]
    is_known = question[:-4].lower() == encoded(name)
    is_asked = is_known and question[-4:] == bytes([0, A, 0, IN])
    record = b"\xc0\x0c" + bytes([0, A, 0, IN, 0, 0, 0, 60, 0, 4]) + socket.inet_aton(address) if is_asked else b""
    counts = bytes([0, 1, 0, int(is_asked), 0, 0, 0, 0])
    return query[:2] + (FOUND if is_known else UNKNOWN) + counts + question + record


def main() -> None:
    listen, name, address = sys.argv[1:]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        door.bind((listen, PORT))
        while True:
            query, client = door.recvfrom(2048)
            door.sendto(answer(query, name, address), client)


if __name__ == "__main__":
    main()
