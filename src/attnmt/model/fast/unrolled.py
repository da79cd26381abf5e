"""The reference's two decoders where a step needs the result of attention, with their derivatives.

They are ``LuongDecoder.forward`` with input feeding and ``BahdanauDecoder.forward``. A step does only
what must wait for the step before: one product per layer, attention for one query, and the product with
W_c. The gradients of what the steps share are computed after the last step back. One product over all
steps gives a weight's gradient. One pass of ``Attention`` over all queries gives those of the keys, the
values and attention's parameters. Autograd would add to each of them at every step.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from attnmt.model.attention.layer import Attention, Memory
from attnmt.model.fast.cells import Steps
from attnmt.model.fast.stack import Stack, State


class Unrolling:
    """What it takes to unroll a decoder, apart from the tensors that have gradients."""

    def __init__(
        self,
        stack: Stack,
        attention: Attention | None,
        memory: Memory | None,
        T: int,
        N: int,
        m: int,
    ) -> None:
        """Draw the masks for T steps of N sentences; the first layer reads m numbers and the word."""
        self.cell, self.attention, self.memory = stack.steps, attention, memory
        sizes = [m] + [stack.size] * (len(stack.layers) - 1)
        like = stack.weights()[0][0]
        self.masks = [stack.dropout.mask((T, N, size), like) for size in sizes]
        self.with_gradients = torch.is_grad_enabled()  # asked here: in a Function it is False

    def attend(self, T: int) -> tuple["SteppedAttention | None", int]:
        """Return attention for T steps, if there is any, and how many tensors its steps share."""
        if self.attention is None or self.memory is None:
            return None, 0
        stepped = SteppedAttention(self.attention, self.memory, T, self.with_gradients)
        return stepped, len(shared_by_steps(self.attention, self.memory))


def shared_by_steps(attention: Attention, memory: Memory) -> list[Tensor]:
    """Return the tensors that all steps of attention share and that have gradients."""
    return [memory.values, memory.keys, *attention.parameters()]


def layer_tensors(stack: Stack, W_x: Tensor, state: State) -> list[Tensor]:
    """Return what ``SteppedLayers`` takes: for each layer [W_x W_h], then its first state.

    ``W_x`` is the first layer's weight for what each step itself brings, [gates n, m].
    """
    pairs = [(W_x, stack.weights()[0][1]), *stack.weights()[1:]]
    joined = [torch.cat(pair, dim=1) for pair in pairs]
    return [part for W, first in zip(joined, state, strict=True) for part in (W, *first)]


def attentional(
    W_c: Tensor,
    context: Tensor,
    h: Tensor,
    joined: Tensor | None = None,
    h_tilde: Tensor | None = None,
) -> Tensor:
    """Return h~_t = tanh(W_c [c_t; h_t]) (equation 5), [.., n].

    If given, ``joined`` and ``h_tilde`` are memory for [c_t; h_t] and for the result.
    """
    joined = torch.cat([context, h], dim=-1, out=joined)
    return torch.matmul(joined, W_c.T, out=h_tilde).tanh_()


class SteppedLayers:
    """The recurrent layers of an unrolled decoder."""

    def __init__(
        self, unrolling: Unrolling, words: Tensor, W_e: Tensor, tensors: Sequence[Tensor]
    ) -> None:
        """Prepare the layers for their first step.

        Args:
            unrolling: has the kind of cell and the masks.
            words: the embedded words y with dropout applied, [T, N, e].
            W_e: the first layer's weight for the words, [gates n, e].
            tensors: what ``layer_tensors`` returns.
        """
        self.words, self.W_e, self.masks = words, W_e, unrolling.masks
        sums_e = (words.flatten(0, 1) @ W_e.T).view(*words.shape[:2], -1)
        per_layer = len(tensors) // len(self.masks)
        self.layers: list[Steps] = []
        for number in range(len(self.masks)):
            W, *first = tensors[number * per_layer : (number + 1) * per_layer]
            sums = torch.empty_like(sums_e) if number else sums_e
            m = W.shape[1] - first[0].shape[1]
            self.layers.append(unrolling.cell(sums, W, first, m))

    @property
    def hs(self) -> Tensor:
        """The top states, with the first state before them, [T + 1, N, n]."""
        return self.layers[-1].hs

    def forward(self, t: int, x: Tensor) -> Tensor:
        """Take step t, which brings x [N, m]; return the top state [N, n]."""
        for number, (layer, mask) in enumerate(zip(self.layers, self.masks, strict=True)):
            if mask is None:
                layer.x[t].copy_(x)
            else:
                torch.mul(x, mask[t], out=layer.x[t])
            x = layer.forward(t, known=number == 0)
        return x

    def start_backward(self) -> None:
        """Prepare the steps back; no later step reads the last state."""
        for layer in self.layers:
            layer.start_backward([torch.zeros_like(layer.hs[0])] * 2)

    def backward(self, t: int, grad_h: Tensor) -> Tensor:
        """Go back over step t from the gradient of its top state; return that of its x [N, m].

        The result is valid until the next call.
        """
        for layer, mask in zip(reversed(self.layers), reversed(self.masks), strict=True):
            grad_h = layer.backward(t, grad_h)
            if mask is not None:
                grad_h = grad_h * mask[t]
        return grad_h

    def gradients(self) -> list[Tensor]:
        """Return the gradients of ``words``, ``W_e`` and ``tensors``."""
        grad_sums = self.layers[0].grad_sums.flatten(0, 1)
        grads = [
            (grad_sums @ self.W_e).view_as(self.words),
            grad_sums.T @ self.words.flatten(0, 1),
        ]
        for layer in self.layers:
            grads += [layer.grad_weights(), *layer.grad_first]
        return grads


class SteppedAttention:
    """Attention step by step.

    A query's gradient is computed at its step. The gradients of what the steps share come at the end.
    """

    def __init__(self, attention: Attention, memory: Memory, T: int, with_gradients: bool) -> None:
        """Prepare to attend to ``memory`` for T steps."""
        self.attention, self.with_gradients = attention, with_gradients
        self.memory = memory._replace(values=memory.values.detach(), keys=memory.keys.detach())
        self.steps = torch.arange(T, device=memory.values.device)
        self.weights: list[Tensor] = []
        self._taken: list[tuple[Tensor, Tensor]] = []  # the query and the context of each step

    def forward(self, t: int, query: Tensor) -> Tensor:
        """Return the context c_t of queries [N, n]."""
        with torch.set_grad_enabled(self.with_gradients):
            # A copy, since autograd refuses a view of a buffer that is written to again.
            query = query[:, None].detach().clone().requires_grad_(self.with_gradients)
            context, a = self.attention(query, self.memory, self.steps[t : t + 1])
        self.weights.append(a.detach())
        self._taken.append((query, context))
        c: Tensor = context.detach()[:, 0]
        return c

    def backward(self, grad_context: Tensor) -> Tensor:
        """Return the gradient of the last step's query [N, n], and forget that step."""
        query, context = self._taken.pop()
        if not context.requires_grad:  # the score ``self`` uses no query
            return torch.zeros_like(query[:, 0])
        (grad,) = torch.autograd.grad(context, query, grad_context[:, None])
        grad_query: Tensor = grad[:, 0]
        return grad_query

    def shared_gradients(self, queries: Tensor, grad_contexts: Tensor) -> list[Tensor | None]:
        """Return the gradients of what ``shared_by_steps`` returns.

        Args:
            queries: those of all steps, [T, N, n].
            grad_contexts: the gradients of their contexts, [T, N, context size].
        """
        with torch.enable_grad():
            shared = shared_by_steps(self.attention, self.memory)
            leaves = [x.detach().requires_grad_() for x in shared]
            memory = self.memory._replace(values=leaves[0], keys=leaves[1])
            names = [name for name, _ in self.attention.named_parameters()]
            contexts, _ = torch.func.functional_call(
                self.attention,
                dict(zip(names, leaves[2:], strict=True)),
                (queries.transpose(0, 1), memory, self.steps),
            )
        grad = grad_contexts.transpose(0, 1)
        return list(torch.autograd.grad(contexts, leaves, grad, allow_unused=True))


class LuongSteps(torch.autograd.Function):
    """The decoder with input feeding: h~ [T, N, n], and the weights [N, T, M] if it attends.

    h_t = layers([y_t; h~_{t-1}]), c_t = attention(h_t), h~_t = tanh(W_c [c_t; h_t]); without attention
    h~_t is h_t. The tensors are, in this order: y [T, N, e]; the first layer's weight W_e for y; with
    attention, W_c [n, c + n] and what ``shared_by_steps`` returns; and what ``layer_tensors`` returns.
    """

    @staticmethod
    def forward(
        ctx: Any, unrolling: Unrolling, words: Tensor, W_e: Tensor, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        T, N, _ = words.shape
        attention, shared = unrolling.attend(T)
        if attention is None:
            layers = SteppedLayers(unrolling, words, W_e, tensors)
            fed = words.new_zeros(N, layers.hs.shape[2])
            for t in range(T):
                fed = layers.forward(t, fed)
            ctx.steps = layers, None, None, None, None
            return (layers.hs[1:].clone(),)
        W_c, tensors = tensors[0], tensors[1 + shared :]
        layers = SteppedLayers(unrolling, words, W_e, tensors)
        joined, h_tilde = words.new_empty(T, N, W_c.shape[1]), words.new_empty(T, N, len(W_c))
        fed = words.new_zeros(N, len(W_c))
        for t, (joined_t, h_tilde_t) in enumerate(zip(joined, h_tilde, strict=True)):
            h = layers.forward(t, fed)
            fed = attentional(W_c, attention.forward(t, h), h, joined_t, h_tilde_t)
        weights = torch.cat(attention.weights, dim=1)
        ctx.mark_non_differentiable(weights)
        ctx.steps = layers, attention, W_c, joined, h_tilde.detach()
        return h_tilde, weights

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        layers, attention, W_c, joined, h_tilde = ctx.steps
        del ctx.steps
        grad_h_tilde, T = grads[0], len(grads[0])
        layers.start_backward()
        grad_fed = torch.zeros_like(grad_h_tilde[0])  # gradient of h~_t as input of step t + 1
        if attention is None:
            for t in range(T - 1, -1, -1):
                grad_fed = layers.backward(t, grad_h_tilde[t] + grad_fed)
            return None, *layers.gradients()
        # The derivative of tanh, 1 - h~^2. Its product with h~'s gradient is that of W_c [c_t; h_t].
        grad_sums = torch.addcmul(h_tilde.new_ones(()), h_tilde, h_tilde, value=-1)
        grad_joined, c = torch.empty_like(joined), joined.shape[2] - h_tilde.shape[2]
        for t in range(T - 1, -1, -1):
            grad_fed = grad_fed + grad_h_tilde[t]
            torch.mm(grad_sums[t].mul_(grad_fed), W_c, out=grad_joined[t])
            grad_c, grad_h = grad_joined[t].split([c, len(W_c)], dim=1)
            # h_t reaches the loss through W_c and as attention's query.
            grad_fed = layers.backward(t, grad_h + attention.backward(grad_c))
        grad_words, grad_W_e, *grad_layers = layers.gradients()
        grad_W_c = grad_sums.flatten(0, 1).T @ joined.flatten(0, 1)
        grad_shared = attention.shared_gradients(layers.hs[1:], grad_joined[:, :, :c])
        return None, grad_words, grad_W_e, grad_W_c, *grad_shared, *grad_layers


class BahdanauSteps(torch.autograd.Function):
    """The decoder in which attention comes first: s [T, N, n] and the weights [N, T, M].

    c_t = attention(s_{t-1}), s_t = layers([c_t; y_t]). The tensors are those of ``LuongSteps``, without
    W_c.
    """

    @staticmethod
    def forward(
        ctx: Any, unrolling: Unrolling, words: Tensor, W_e: Tensor, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        T = len(words)
        attention, shared = unrolling.attend(T)
        assert attention is not None, "this decoder always attends"
        layers = SteppedLayers(unrolling, words, W_e, tensors[shared:])
        s = layers.hs[0]
        for t in range(T):
            s = layers.forward(t, attention.forward(t, s))
        weights = torch.cat(attention.weights, dim=1)
        ctx.mark_non_differentiable(weights)
        ctx.steps = layers, attention
        return layers.hs[1:].clone(), weights

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        layers, attention = ctx.steps
        del ctx.steps
        layers.start_backward()
        grad_contexts: list[Tensor] = []
        grad_s = torch.zeros_like(grads[0][0])  # gradient of s_t as query of step t + 1
        for t in range(len(grads[0]) - 1, -1, -1):
            grad_contexts.append(layers.backward(t, grads[0][t] + grad_s).clone())
            grad_s = attention.backward(grad_contexts[-1])
        grad_words, grad_W_e, *grad_layers = layers.gradients()
        # The top layer's first state was the first query.
        grad_layers[-1] = grad_layers[-1] + grad_s
        grad_shared = attention.shared_gradients(layers.hs[:-1], torch.stack(grad_contexts[::-1]))
        return None, grad_words, grad_W_e, *grad_shared, *grad_layers
