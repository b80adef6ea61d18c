"""Runs a program in a network of its own whose loopback device has one address family only.

usage: unshare --net python3 one-family.py IPv4|IPv6 PROGRAM ARGUMENTS...
"""

import fcntl
import os
import socket
import struct
import sys

SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCSIFADDR, SIOCDIFADDR = 0x8913, 0x8914, 0x8916, 0x8936
IFF_UP = 1

family, *command = sys.argv[1:]
four = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
flags = struct.unpack("16sh", fcntl.ioctl(four, SIOCGIFFLAGS, struct.pack("16sh14x", b"lo", 0))[:18])[1]
# A loopback device that comes up gets both addresses by itself.
fcntl.ioctl(four, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
if family == "IPv6":
    none = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton("0.0.0.0"))
    fcntl.ioctl(four, SIOCSIFADDR, struct.pack("16s16s8x", b"lo", none))
else:
    six = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    index = socket.if_nametoindex("lo")
    fcntl.ioctl(six, SIOCDIFADDR, struct.pack("16sIi", socket.inet_pton(socket.AF_INET6, "::1"), 128, index))
os.execvp(command[0], command)
