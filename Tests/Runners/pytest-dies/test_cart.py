"""pytest prints its reports when all tests have run; here a signal ends it before that."""
import ctypes


def total(prices):
    return ctypes.string_at(prices)  # fails: test_reads


def test_adds():
    assert 1 + 1 == 2


# no line: test_name: pytest died before it printed the reports
def test_name():
    assert "milk" == "bread"


# no line: test_count: pytest died before it printed the reports
def test_count():
    raise ValueError("no such item")


def test_reads():
    total(8)


def test_after():
    assert True
