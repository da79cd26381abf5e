"""Attention against closed forms: weights and contexts computed by hand."""

import math

import pytest
import torch
from small_models import CONTENT_SCORES, SHAPE
from torch import Tensor, nn

from attnmt.config import System
from attnmt.model.attention.layer import Attention

n = SHAPE.size
S = 4


def attention_of(kind: str, score: str, **own: object) -> Attention:
    """Build an attention module whose parameters are random."""
    system = System.model_validate({"attention": kind, "score": score, **own})
    attention = Attention(system, SHAPE).double()
    torch.manual_seed(0)
    for parameter in attention.parameters():
        nn.init.normal_(parameter)
    return attention


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64)


def attend(
    attention: Attention, h: Tensor, values: Tensor, steps: tuple[int, ...] = (0,)
) -> tuple[Tensor, Tensor]:
    """Attend to one sentence, h [K, n] and values [M, n]."""
    length = torch.tensor([len(values)])
    memory = attention.remember(values[None], torch.arange(len(values))[None], length)
    contexts, weights = attention(h[None], memory, torch.tensor(steps))
    return contexts[0], weights[0]


def energy(attention: Attention, h: Tensor, h_s: Tensor) -> Tensor:
    """Return score(h_t, h_s) for two vectors, as the paper or the course report defines it."""
    k = h_s[: n - n // 2]  # the key of key_value
    match attention.score.name:
        case "dot":
            return h @ h_s
        case "general":
            return h_s @ attention.W_a @ h
        case "concat":
            both = torch.cat([attention.W_a, attention.U_a], 1)
            return attention.v_a @ torch.tanh(both @ torch.cat([h, h_s]))
        case "additive":
            return attention.v_a @ torch.tanh(attention.W_a @ h + h_s)
        case "self":
            return attention.v_a @ torch.tanh(attention.W_a @ h_s)
        case _:
            return attention.v_a @ torch.tanh(attention.W_a @ h + attention.U_a @ k)


@pytest.mark.parametrize("score", CONTENT_SCORES)
def test_global_attention_is_the_softmax_of_the_scores(score):
    attention = attention_of("global", score)
    h, values = random(2, n), random(S, n)
    contexts, weights = attend(attention, h, values)
    e = torch.stack([torch.stack([energy(attention, q, v) for v in values]) for q in h])
    a = e.exp() / e.exp().sum(1, keepdim=True)
    torch.testing.assert_close(weights, a)
    averaged = values[:, n - n // 2 :] if score == "key_value" else values
    assert contexts.shape == (2, attention.context_size)
    torch.testing.assert_close(contexts, a @ averaged)


def test_local_m_looks_at_the_window_around_its_step():
    """With D = 2 and S = 7, it is 0 .. 2 at step 0, 1 .. 5 at step 3, and 4 .. 6 from step 6 on."""
    attention = attention_of("local_m", "dot")
    h, values = random(1, n).expand(4, n), random(7, n)
    _, weights = attend(attention, h, values, steps=(0, 3, 6, 9))
    e = (values @ h[0]).exp()
    for a, (left, right) in zip(weights, [(0, 2), (1, 5), (4, 6), (4, 6)], strict=True):
        window = torch.zeros(7, dtype=torch.float64)
        window[left : right + 1] = e[left : right + 1]
        torch.testing.assert_close(a, window / window.sum())


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, [0.026, 0.236, 0.783, 0.956, 0.430]),
        ({"window_D": 1}, [0, 5 / 3 * 0.003, 5 / 3 * 0.375, 5 / 3 * 0.835, 0]),
    ],
)
def test_local_p_weights_its_window_by_a_gaussian(own, expected):
    """With S = 5, D = 2 and p_t = 2.7 the window is 0 .. 4. The factors are computed by hand."""
    attention = attention_of("local_p", "dot", **own)
    with torch.no_grad():
        attention.W_p.copy_(torch.eye(5))
        attention.v_p.copy_(torch.tensor([1.0, 0, 0, 0, 0]))
    h = torch.zeros(1, 5, dtype=torch.float64)
    # 5 sigmoid(tanh(h_0)) = 2.7
    h[0, 0] = math.atanh(math.log(0.54 / 0.46))
    values = torch.zeros(5, 5, dtype=torch.float64)  # equal scores: a softmax of 1/5 each
    _, weights = attend(attention, h, values)
    expected = torch.tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(weights[0] * 5, expected, rtol=0, atol=1e-3)


def test_location_uses_the_first_slots_for_the_words_read_last():
    attention = attention_of("global", "location")
    h = random(1, 1, n)
    slots = torch.softmax(attention.W_a @ h[0, 0], dim=0)  # 4 of them
    for words in (3, 6):
        positions = torch.arange(words).flip(0)[None]
        memory = attention.remember(random(1, words, n), positions, torch.tensor([words]))
        _, weights = attention(h, memory, torch.tensor([0]))
        by_position = weights[0, 0].flip(0)
        torch.testing.assert_close(by_position[:4], slots[:words])
        assert by_position[4:].eq(0).all()  # no slot addresses these words
