"""Runs a command on a pseudo-terminal: types when the prompt is there, and prints what was shown as one line of JSON.

usage: pty-run.py <prompt> <typed, as a JSON array of texts> <command...>
"""

import json
import os
import pty
import sys
import termios
import time

prompt, typed, command = sys.argv[1].encode(), json.loads(sys.argv[2]), sys.argv[3:]


def echoes(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


# The command starts once the state of the terminal before it is known.
started, start = os.pipe()
child, terminal = pty.fork()
if child == 0:
    os.read(started, 1)
    os.execvp(command[0], command)

shown = b""
echo_before, echo_asked, sent = echoes(terminal), None, False
os.write(start, b"1")
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if not sent and prompt in shown:
        echo_asked = echoes(terminal)
        for keys in typed:
            os.write(terminal, keys.encode())
            # A terminal has no event for what was read; this is what keeps the texts apart.
            time.sleep(0.1)
        sent = True

echo_after = echoes(terminal)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(
    json.dumps(
        {
            "code": status,
            "shown": shown.decode(),
            "echo": {"before": echo_before, "asked": echo_asked, "after": echo_after},
        }
    )
)
