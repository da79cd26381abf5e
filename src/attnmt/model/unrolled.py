"""A decoder whose step needs what attention gave the step before: unrolled, its derivative written out.

Step by step goes only what must: a product a layer, attention's look at the source, the product with
W_c. The gradient of everything that steps share (weights, keys, values) waits for the last step back and
is then one product, or one pass of ``Attention``, over all of them.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from attnmt.model.attention import Attention, Memory
from attnmt.model.cells import Steps
from attnmt.model.recurrent import Stack


class Parts:
    """What an unrolled decoder is made of, its tensors aside."""

    def __init__(
        self,
        stack: Stack,
        attention: Attention | None,
        memory: Memory | None,
        T: int,
        N: int,
        m: int,
    ) -> None:
        """Draw the masks for T steps of N sentences, m numbers brought to the first layer."""
        self.cell, self.attention, self.memory = stack.steps, attention, memory
        sizes = [m] + [stack.size] * (len(stack.layers) - 1)
        like = stack.weights()[0][0]
        self.masks = [stack.dropout.mask((T, N, size), like) for size in sizes]
        self.wanted = torch.is_grad_enabled()  # in a Function it never is


class Layers:
    """The recurrent layers of an unrolled decoder."""

    def __init__(self, parts: Parts, words: Tensor, W_e: Tensor, tensors: Sequence[Tensor]) -> None:
        """Take the layers before their first step.

        Args:
            parts: the kind of cell and the masks.
            words: y, dropped out already, [T, N, e].
            W_e: the first layer's weight for them, [gates n, e].
            tensors: of each layer [W_x W_h], W_x being for what the steps bring, then its first state.
        """
        self.words, self.W_e, self.masks = words, W_e, parts.masks
        known = (words.flatten(0, 1) @ W_e.T).view(*words.shape[:2], -1)
        each = len(tensors) // len(self.masks)
        self.layers: list[Steps] = []
        for number in range(len(self.masks)):
            W, *first = tensors[number * each : (number + 1) * each]
            sums = torch.empty_like(known) if number else known
            self.layers.append(parts.cell(sums, W, first, W.shape[1] - first[0].shape[1]))

    @property
    def hs(self) -> Tensor:
        """The top states from the first state on, [T + 1, N, n]."""
        return self.layers[-1].hs

    def forward(self, t: int, brought: Tensor) -> Tensor:
        """Take step t, which brings [N, m]; return the top state [N, n]."""
        for number, (layer, mask) in enumerate(zip(self.layers, self.masks, strict=True)):
            if mask is None:
                layer.x[t].copy_(brought)
            else:
                torch.mul(brought, mask[t], out=layer.x[t])
            brought = layer.forward(t, known=number == 0)
        return brought

    def turn(self) -> None:
        """Get ready to go back; nothing follows the last state."""
        for layer in self.layers:
            layer.turn([torch.zeros_like(layer.hs[0])] * 2)

    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        """Go back over step t; return the gradient of what it brought, valid until the next call."""
        for layer, mask in zip(reversed(self.layers), reversed(self.masks), strict=True):
            grad_h = layer.backward(t, grad_h)
            if mask is not None:
                grad_h = grad_h * mask[t]
        return grad_h

    def gradients(self) -> list[Tensor]:
        """Return the gradients of ``words``, ``W_e`` and ``tensors``."""
        back = self.layers[0].grad_sums.flatten(0, 1)
        found = [(back @ self.W_e).view_as(self.words), back.T @ self.words.flatten(0, 1)]
        for layer in self.layers:
            found += [layer.grad_weights(), *layer.grad_first]
        return found


class Looks:
    """Attention step by step: each step's own derivative at once, that of what they share at the end."""

    def __init__(self, attention: Attention, memory: Memory, T: int, wanted: bool) -> None:
        """Take the source for T steps; ``wanted`` says if gradients are."""
        self.attention, self.wanted = attention, wanted
        self.memory = memory._replace(values=memory.values.detach(), keys=memory.keys.detach())
        self.steps = torch.arange(T, device=memory.values.device)
        self.weights: list[Tensor] = []
        self._done: list[tuple[Tensor, Tensor]] = []

    def forward(self, t: int, query: Tensor) -> Tensor:
        """Return the context c_t of queries [N, n]."""
        with torch.set_grad_enabled(self.wanted):
            # A copy, since autograd refuses a view of a buffer that is written to again.
            query = query[:, None].detach().clone().requires_grad_(self.wanted)
            context, a = self.attention(query, self.memory, self.steps[t : t + 1])
        self.weights.append(a.detach())
        self._done.append((query, context))
        c: Tensor = context.detach()[:, 0]
        return c

    def backward(self, grad_context: Tensor) -> Tensor:
        """Return the gradient of the last step's query [N, n], and forget that step."""
        query, context = self._done.pop()
        if not context.requires_grad:  # the score self compares no query
            return torch.zeros_like(query[:, 0])
        (grad,) = torch.autograd.grad(context, query, grad_context[:, None])
        grad_query: Tensor = grad[:, 0]
        return grad_query

    def shared(self, queries: Tensor, grad_contexts: Tensor) -> list[Tensor | None]:
        """Return the gradients of values, keys and attention's parameters.

        Args:
            queries: of all steps, [T, N, n].
            grad_contexts: of their contexts, [T, N, n].
        """
        with torch.enable_grad():
            leaves = [x.detach().requires_grad_() for x in shared(self.attention, self.memory)]
            memory = self.memory._replace(values=leaves[0], keys=leaves[1])
            names = [name for name, _ in self.attention.named_parameters()]
            contexts, _ = torch.func.functional_call(
                self.attention,
                dict(zip(names, leaves[2:], strict=True)),
                (queries.transpose(0, 1), memory, self.steps),
            )
        grad = grad_contexts.transpose(0, 1)
        return list(torch.autograd.grad(contexts, leaves, grad, allow_unused=True))


def shared(attention: Attention, memory: Memory) -> list[Tensor]:
    """Return what all steps of attention share and back-propagate to."""
    return [memory.values, memory.keys, *attention.parameters()]


class LuongSteps(torch.autograd.Function):
    """The decoder with input feeding: h~ [T, N, n], and the weights [N, T, M] if it attends.

    h_t = layers([y_t; h~_{t-1}]), c_t = attention(h_t), h~_t = tanh(W_c [c_t; h_t]); without attention
    h~_t is h_t. Tensors: y [T, N, e], W_e for it in the first layer; with attention W_c [n, c + n] and
    what ``shared`` returns; then those of ``Layers``.
    """

    @staticmethod
    def forward(
        ctx: Any, parts: Parts, words: Tensor, W_e: Tensor, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        T, N, _ = words.shape
        looks, of_attention = looks_of(parts, T)
        if looks is None:
            layers = Layers(parts, words, W_e, tensors)
            fed = words.new_zeros(N, layers.hs.shape[2])
            for t in range(T):
                fed = layers.forward(t, fed)
            ctx.made = layers, None, None, None, None
            return (layers.hs[1:].clone(),)
        W_c, tensors = tensors[0], tensors[1 + of_attention :]
        layers = Layers(parts, words, W_e, tensors)
        joined, h_tilde = words.new_empty(T, N, W_c.shape[1]), words.new_empty(T, N, len(W_c))
        fed = words.new_zeros(N, len(W_c))
        for t, (joined_t, h_tilde_t) in enumerate(zip(joined, h_tilde, strict=True)):
            h = layers.forward(t, fed)
            torch.cat([looks.forward(t, h), h], dim=1, out=joined_t)
            fed = torch.mm(joined_t, W_c.T, out=h_tilde_t).tanh_()
        weights = torch.cat(looks.weights, dim=1)
        ctx.mark_non_differentiable(weights)
        ctx.made = layers, looks, W_c, joined, h_tilde.detach()
        return h_tilde, weights

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        layers, looks, W_c, joined, h_tilde = ctx.made
        del ctx.made
        grad_h_tilde, T = grads[0], len(grads[0])
        layers.turn()
        grad_fed = torch.zeros_like(grad_h_tilde[0])
        if looks is None:
            for t in range(T - 1, -1, -1):
                grad_fed = layers.backward(t, grad_h_tilde[t] + grad_fed)
            return None, *layers.gradients()
        back = torch.addcmul(h_tilde.new_ones(()), h_tilde, h_tilde, value=-1)  # d tanh; then times
        grad_joined, c = torch.empty_like(joined), joined.shape[2] - h_tilde.shape[2]
        for t in range(T - 1, -1, -1):
            grad_fed = grad_fed + grad_h_tilde[t]
            torch.mm(back[t].mul_(grad_fed), W_c, out=grad_joined[t])
            of_c, of_h = grad_joined[t].split([c, len(W_c)], dim=1)
            grad_fed = layers.backward(t, of_h + looks.backward(of_c))
        of_words, of_W_e, *of_layers = layers.gradients()
        of_W_c = back.flatten(0, 1).T @ joined.flatten(0, 1)
        of_shared = looks.shared(layers.hs[1:], grad_joined[:, :, :c])
        return None, of_words, of_W_e, of_W_c, *of_shared, *of_layers


class BahdanauSteps(torch.autograd.Function):
    """The decoder in which attention comes first: s [T, N, n] and the weights [N, T, M].

    c_t = attention(s_{t-1}), s_t = layers([c_t; y_t]). Tensors as of ``LuongSteps``, without W_c.
    """

    @staticmethod
    def forward(
        ctx: Any, parts: Parts, words: Tensor, W_e: Tensor, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        T = len(words)
        looks, of_attention = looks_of(parts, T)
        assert looks is not None, "this decoder always attends"
        layers = Layers(parts, words, W_e, tensors[of_attention:])
        s = layers.hs[0]
        for t in range(T):
            s = layers.forward(t, looks.forward(t, s))
        weights = torch.cat(looks.weights, dim=1)
        ctx.mark_non_differentiable(weights)
        ctx.made = layers, looks
        return layers.hs[1:].clone(), weights

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        layers, looks = ctx.made
        del ctx.made
        layers.turn()
        grad_contexts: list[Tensor] = []
        grad_s = torch.zeros_like(grads[0][0])
        for t in range(len(grads[0]) - 1, -1, -1):
            grad_contexts.append(layers.backward(t, grads[0][t] + grad_s).clone())
            grad_s = looks.backward(grad_contexts[-1])
        of_words, of_W_e, *of_layers = layers.gradients()
        of_layers[-1] = of_layers[-1] + grad_s  # the top layer's first state was the first query
        of_shared = looks.shared(layers.hs[:-1], torch.stack(grad_contexts[::-1]))
        return None, of_words, of_W_e, *of_shared, *of_layers


def looks_of(parts: Parts, T: int) -> tuple[Looks | None, int]:
    """Return attention for T steps, if there is any, and how many tensors its steps share."""
    if parts.attention is None or parts.memory is None:
        return None, 0
    looks = Looks(parts.attention, parts.memory, T, parts.wanted)
    return looks, len(shared(parts.attention, parts.memory))
