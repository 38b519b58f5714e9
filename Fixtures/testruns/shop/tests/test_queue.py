import pytest


def pop(values):
    return values[0]


def test_passes():
    assert pop([1]) == 1


def test_fails():
    assert pop([1, 2]) == 2, "the first ::error::x"


def test_raises():
    pop([])


class TestQueue:
    @pytest.mark.parametrize("n", [1, 2])
    def test_counts(self, n):
        assert n == 1

    def test_long(self):
        assert [1, 2, 3] == [1, 2, 4]


@pytest.fixture
def broken():
    raise RuntimeError("no server")


def test_error(broken):
    pass
