import json

import pytest


def test_in_a_library():
    json.loads("{")


def test_prints():
    print("tests/test_queue.py:1: AssertionError")
    raise ValueError("one\n\nthree")


def test_chain():
    try:
        json.loads("")
    except ValueError as error:
        raise RuntimeError("wrapped") from error


@pytest.mark.xfail
def test_expected():
    assert False


def test_no_message():
    pytest.fail("said so")
