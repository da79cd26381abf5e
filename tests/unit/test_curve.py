"""What a learning curve says of a training."""

import pytest

from attnmt.training.curve import jump, late_fall


def rows(*points: tuple[float, float, float], jumped: float = 0) -> list[dict[str, float]]:
    """Return evaluations, each given by its step, epoch and development cost."""
    return [{"step": s, "epoch": e, "dev_cost": c, "jump": jumped} for s, e, c in points]


@pytest.mark.parametrize(
    ("costs", "cost", "expected"),
    [
        ([], 9.0, 0.0),
        ([(10, 1, 4.0)], 4.09, 0.0),  # less than a tenth of a nat
        ([(10, 1, 4.0)], 4.5, 0.5),
        ([(10, 1, 4.0), (20, 2, 3.0)], 3.9, 0.0),  # it fell by more from the epoch before
        ([(10, 1, 4.0), (20, 2, 2.5)], 4.2, 1.7),
        # only the last evaluation before the epoch counts, not the fall within the epoch
        ([(5, 1, 9.0), (10, 1, 3.0), (15, 2, 2.9), (20, 2, 2.8)], 3.1, 0.3),
        # small steps up are one jump
        ([(10, 1, 4.0), (20, 2, 3.9), (30, 3, 3.95), (35, 3, 4.0)], 4.05, 0.15),
    ],
)
def test_a_jump_is_a_rise_by_more_than_the_fall_of_an_epoch(costs, cost, expected):
    assert jump(rows(*costs), cost) == pytest.approx(expected)


def test_the_fall_of_the_last_tenth_is_a_part_of_the_cost_where_it_began():
    assert late_fall(rows((90, 9, 2.0), (100, 10, 1.9))) == pytest.approx(0.05)
    # half of the last fifth: from 2.5 to 2
    assert late_fall(rows((40, 1, 9.0), (80, 2, 3.0), (100, 2, 2.0))) == pytest.approx(0.2)
    assert late_fall(rows((90, 9, 2.0), (100, 10, 2.2))) == pytest.approx(-0.1)
    assert late_fall(rows((100, 1, 2.0))) == 0
