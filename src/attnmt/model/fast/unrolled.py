"""The reference's two decoders where a step needs the result of attention, with their derivatives.

They are ``LuongDecoder.forward`` with input feeding and ``BahdanauDecoder.forward``. A step does only
what must wait for the step before: one product per layer, attention for one query, and the product with
W_c. The gradients of what the steps share are computed after the last step back. One product over all
steps gives a weight's gradient. One pass of ``Attention`` over all queries gives those of the keys, the
values and attention's parameters. Autograd would add to each of them at every step.

Each class here has ``tensors``, which autograd must see, and ``gradients``, in the same order.
"""

from typing import Any

import torch
from torch import Tensor

from attnmt.model.attention.layer import Attention
from attnmt.model.attention.memory import Memory
from attnmt.model.fast.cells import Steps
from attnmt.model.fast.stack import Stack, State

Gradients = list[Tensor | None]


class SteppedLayers:
    """The recurrent layers. The words y_t are known beforehand; each step brings another input x_t."""

    def __init__(self, stack: Stack, y: Tensor, W_y: Tensor, W_x: Tensor, first: State) -> None:
        """Draw dropout's masks for all steps, and prepare the first step.

        Args:
            y: the embedded words with dropout applied, [T, N, e].
            W_y: the first layer's weight for y, [gates n, e].
            W_x: the first layer's weight for x, [gates n, m].
            first: the state before the first step.
        """
        (_, W_h), *above = stack.weights()
        self.y, self.W_y, self.first = y, W_y, first
        self.W = [torch.cat(pair, dim=1) for pair in [(W_x, W_h), *above]]
        inputs = [W.shape[1] - stack.size for W in self.W]  # m, then n for the layers above
        self.masks = [stack.dropout.mask((*y.shape[:2], size), y) for size in inputs]
        self.layers: list[Steps] = []
        with torch.no_grad():
            known = (y.flatten(0, 1) @ W_y.T).view(*y.shape[:2], -1)
            for W, state, m in zip(self.W, first, inputs, strict=True):
                sums = torch.empty_like(known) if self.layers else known
                self.layers.append(stack.steps(sums, W, state, m))

    def tensors(self) -> list[Tensor]:
        """Return y, W_y and, for each layer, [W_x W_h] and the first state."""
        layers = zip(self.W, self.first, strict=True)
        return [self.y, self.W_y, *(part for W, first in layers for part in (W, *first))]

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
            layer.start_backward((torch.zeros_like(layer.hs[0]),) * 2)

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
        """Return the gradients of ``tensors``, after the last step back."""
        grad_sums = self.layers[0].gates.flatten(0, 1)
        grad_y, grad_W_y = grad_sums @ self.W_y, grad_sums.T @ self.y.flatten(0, 1)
        layers = ((layer.grad_weights(), *layer.grads) for layer in self.layers)
        return [grad_y.view_as(self.y), grad_W_y, *(part for layer in layers for part in layer)]


class SteppedAttention:
    """Attention to one query of each sentence at a time.

    A query's gradient is computed at its step. The gradients of what the steps share come at the end.
    """

    def __init__(self, attention: Attention, memory: Memory, T: int) -> None:
        self.attention, self.memory = attention, memory
        self.detached = memory._replace(values=memory.values.detach(), keys=memory.keys.detach())
        self.steps = torch.arange(T, device=memory.values.device)
        self.with_gradients = torch.is_grad_enabled()  # asked here: in a Function it is False
        self.weights: list[Tensor] = []
        self._queries: list[Tensor] = []
        self._contexts: list[Tensor] = []

    def tensors(self) -> list[Tensor]:
        """Return the values, the keys and attention's parameters."""
        return [self.memory.values, self.memory.keys, *self.attention.parameters()]

    def forward(self, t: int, query: Tensor) -> Tensor:
        """Return the context c_t of queries [N, n]."""
        with torch.set_grad_enabled(self.with_gradients):
            # A copy, since autograd refuses a view of a buffer that is written to again.
            query = query[:, None].detach().clone().requires_grad_(self.with_gradients)
            context, a = self.attention(query, self.detached, self.steps[t : t + 1])
        self.weights.append(a.detach())
        self._queries.append(query)
        self._contexts.append(context)
        c: Tensor = context.detach()[:, 0]
        return c

    def backward(self, grad_context: Tensor) -> Tensor:
        """Return the gradient of the last step's query [N, n], and forget that step."""
        query, context = self._queries.pop(), self._contexts.pop()
        if not context.requires_grad:  # the score ``self`` uses no query
            return torch.zeros_like(query[:, 0])
        (grad,) = torch.autograd.grad(context, query, grad_context[:, None])
        grad_query: Tensor = grad[:, 0]
        return grad_query

    def gradients(self, queries: Tensor, grad_contexts: Tensor) -> Gradients:
        """Return the gradients of ``tensors``; those that nothing depends on are None.

        Args:
            queries: those of all steps, [T, N, n].
            grad_contexts: the gradients of their contexts, [T, N, context size].
        """
        with torch.enable_grad():
            leaves = [x.detach().requires_grad_() for x in self.tensors()]
            values, keys, *parameters = leaves
            memory = self.memory._replace(values=values, keys=keys)
            names = (name for name, _ in self.attention.named_parameters())
            contexts, _ = torch.func.functional_call(
                self.attention,
                dict(zip(names, parameters, strict=True)),
                (queries.transpose(0, 1), memory, self.steps),
            )
        grad = grad_contexts.transpose(0, 1)
        return list(torch.autograd.grad(contexts, leaves, grad, allow_unused=True))


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


class SteppedVector:
    """The attentional vector h~_t of one step at a time (``attentional``)."""

    def __init__(self, attention: SteppedAttention, W_c: Tensor) -> None:
        self.attention, self.W_c, self.n = attention, W_c, len(W_c)
        steps = len(attention.steps), len(attention.memory.lengths)
        self.joined = W_c.new_empty(*steps, W_c.shape[1])
        self.h_tilde = W_c.new_empty(*steps, self.n)

    def tensors(self) -> list[Tensor]:
        """Return W_c and what attention's steps share."""
        return [self.W_c, *self.attention.tensors()]

    def forward(self, t: int, h: Tensor) -> Tensor:
        """Return h~_t from h_t, both [N, n]."""
        context = self.attention.forward(t, h)
        return attentional(self.W_c, context, h, self.joined[t], self.h_tilde[t])

    def start_backward(self) -> None:
        """Compute the derivatives of all tanh, 1 - h~^2, from which a step back makes gradients."""
        one, h_tilde = self.h_tilde.new_ones(()), self.h_tilde
        self.grad_sums = torch.addcmul(one, h_tilde, h_tilde, value=-1)  # of W_c [c_t; h_t]
        self.grad_joined = torch.empty_like(self.joined)

    def backward(self, t: int, grad_h_tilde: Tensor) -> Tensor:
        """Return the gradient of h_t, which reaches h~_t through W_c and as attention's query."""
        grad_joined = self.grad_joined[t]
        torch.mm(self.grad_sums[t].mul_(grad_h_tilde), self.W_c, out=grad_joined)
        return grad_joined[:, -self.n :] + self.attention.backward(grad_joined[:, : -self.n])

    def gradients(self, hs: Tensor) -> Gradients:
        """Return the gradients of ``tensors``, after the last step back; hs are all h_t, [T, N, n]."""
        grad_W_c = self.grad_sums.flatten(0, 1).T @ self.joined.flatten(0, 1)
        return [grad_W_c, *self.attention.gradients(hs, self.grad_joined[:, :, : -self.n])]


class LuongSteps:
    """The decoder with input feeding: h_t = layers([y_t; h~_{t-1}]); without attention h~_t is h_t."""

    def __init__(self, layers: SteppedLayers, vector: SteppedVector | None) -> None:
        self.layers, self.vector = layers, vector

    def tensors(self) -> list[Tensor]:
        """Return those of the layers and of the attentional vector."""
        return self.layers.tensors() + (self.vector.tensors() if self.vector else [])

    def forward(self) -> tuple[Tensor, Tensor | None]:
        """Return h~ [T, N, n], and the weights [N, T, M] if it attends."""
        layers, vector = self.layers, self.vector
        h_tilde = torch.zeros_like(layers.hs[0])
        for t in range(len(layers.y)):
            h = layers.forward(t, h_tilde)
            h_tilde = h if vector is None else vector.forward(t, h)
        if vector is None:
            return layers.hs[1:].clone(), None
        # Not the vector's own tensor, which would then refer to itself through autograd.
        return vector.h_tilde.detach(), torch.cat(vector.attention.weights, dim=1)

    def backward(self, grad_h_tilde: Tensor) -> Gradients:
        """Return the gradients of ``tensors`` from that of h~, [T, N, n]."""
        layers, vector = self.layers, self.vector
        layers.start_backward()
        if vector is not None:
            vector.start_backward()
        grad_fed = torch.zeros_like(grad_h_tilde[0])  # gradient of h~_t as input of step t + 1
        for t in range(len(grad_h_tilde) - 1, -1, -1):
            grad = grad_fed + grad_h_tilde[t]
            grad_fed = layers.backward(t, grad if vector is None else vector.backward(t, grad))
        return layers.gradients() + (vector.gradients(layers.hs[1:]) if vector else [])


class BahdanauSteps:
    """The decoder in which attention comes first: c_t = attention(s_{t-1}), s_t = layers([c_t; y_t])."""

    def __init__(self, layers: SteppedLayers, attention: SteppedAttention) -> None:
        self.layers, self.attention = layers, attention

    def tensors(self) -> list[Tensor]:
        """Return those of the layers and of attention."""
        return self.layers.tensors() + self.attention.tensors()

    def forward(self) -> tuple[Tensor, Tensor]:
        """Return s [T, N, n] and the weights [N, T, M]."""
        layers, attention = self.layers, self.attention
        s = layers.hs[0]
        for t in range(len(layers.y)):
            s = layers.forward(t, attention.forward(t, s))
        return layers.hs[1:].clone(), torch.cat(attention.weights, dim=1)

    def backward(self, grad_outputs: Tensor) -> Gradients:
        """Return the gradients of ``tensors`` from that of s, [T, N, n]."""
        layers, attention = self.layers, self.attention
        layers.start_backward()
        grad_contexts: list[Tensor] = []
        grad_s = torch.zeros_like(grad_outputs[0])  # gradient of s_t as query of step t + 1
        for t in range(len(grad_outputs) - 1, -1, -1):
            grad_contexts.append(layers.backward(t, grad_outputs[t] + grad_s).clone())
            grad_s = attention.backward(grad_contexts[-1])
        grad_layers = layers.gradients()
        # The top layer's first state was the first query.
        grad_layers[-1] = grad_layers[-1] + grad_s
        queries, contexts = layers.hs[:-1], torch.stack(grad_contexts[::-1])
        return grad_layers + attention.gradients(queries, contexts)


class Unrolled(torch.autograd.Function):
    """All steps of a decoder as one operation of autograd."""

    @staticmethod
    def forward(
        ctx: Any, steps: LuongSteps | BahdanauSteps, *tensors: Tensor
    ) -> tuple[Tensor, Tensor | None]:
        ctx.steps = steps
        outputs, weights = steps.forward()
        if weights is not None:
            ctx.mark_non_differentiable(weights)
        return outputs, weights

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        steps = ctx.steps
        del ctx.steps
        return None, *steps.backward(grads[0])


def unroll(steps: LuongSteps | BahdanauSteps) -> tuple[Tensor, Tensor | None]:
    """Return h~ (or s) [N, T, n] of all steps, and the weights [N, T, M] if the decoder attends."""
    outputs, weights = Unrolled.apply(steps, *steps.tensors())
    return outputs.transpose(0, 1), weights
