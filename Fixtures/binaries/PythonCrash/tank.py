import ctypes
import faulthandler
import sys
import threading
import time


def leak():
    ctypes.string_at(0)


def drain(amount):
    return {}[amount]


def fill(amount):
    return drain(amount) if amount == 0 else fill(amount - 1)


def main(way):
    if way == "fault":
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        time.sleep(0.1)
        faulthandler.enable(all_threads=True)
        leak()
    try:
        fill(8)
    except KeyError as error:
        raise RuntimeError("the tank is empty") from error


main(sys.argv[1])
