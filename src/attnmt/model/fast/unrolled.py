"""The reference's two decoders where a step needs the result of attention, with their derivatives.

They are ``LuongDecoder.forward`` with input feeding and ``BahdanauDecoder.forward``. A step does only
what must wait for the step before: one product per layer, attention for one query, and the product with
W_c. The gradients of what the steps share are computed after the last step back. One product over all
steps gives a weight's gradient. One pass of ``Attention`` over all queries gives those of the keys, the
values and attention's parameters. Autograd would add to each of them at every step.

Each class here has ``inputs``, the tensors that autograd must see, and ``gradients`` gives the gradients
of these by the same names.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from attnmt.model.attention.layer import Attention
from attnmt.model.attention.memory import Memory
from attnmt.model.fast.cells import LayerState, Steps
from attnmt.model.fast.stack import Stack, State
from attnmt.model.products import matmul

Named = dict[str, Tensor]
Gradients = Mapping[str, Tensor | None]  # None where nothing depends on an input


class SteppedLayers:
    """The recurrent layers. The words y_t are known beforehand; each step brings another input x_t.

    The inputs are y and W_y, and for each layer ``W_0``, ``W_1``, .., which is [W_x W_h], and its first
    state: ``h_0`` and, for the LSTM, ``c_0``.
    """

    def __init__(self, stack: Stack, y: Tensor, W_y: Tensor, W_x: Tensor, first: State) -> None:
        """Draw dropout's masks for all steps, and prepare the first step.

        Args:
            y: the embedded words with dropout applied, [T, N, e].
            W_y: the first layer's weight for y, [gates n, e].
            W_x: the first layer's weight for x, [gates n, m].
            first: the state before the first step.
        """
        (_, W_h), *above = stack.weights()
        weights = [torch.cat(pair, dim=1) for pair in [(W_x, W_h), *above]]
        self.y, self.W_y = y, W_y
        self.inputs: Named = {"y": y, "W_y": W_y}
        for number, (W, state) in enumerate(zip(weights, first, strict=True)):
            self.inputs |= {f"W_{number}": W, **_state(number, state)}
        sizes = [W.shape[1] - stack.size for W in weights]  # m, then n for the layers above
        self.masks = [stack.dropout.mask((*y.shape[:2], size), y) for size in sizes]
        self.layers: list[Steps] = []
        with torch.no_grad():
            known = matmul(y.flatten(0, 1), W_y).view(*y.shape[:2], -1)
            for W, state, size in zip(weights, first, sizes, strict=True):
                sums = torch.empty_like(known) if self.layers else known
                self.layers.append(stack.steps(y)(sums, W, state, size))

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

    def gradients(self) -> Named:
        """Return the gradients of ``inputs``, after the last step back."""
        grad_sums = self.layers[0].gates.flatten(0, 1)
        grad_y = matmul(grad_sums, self.W_y.T).view_as(self.y)
        gradients = {"y": grad_y, "W_y": matmul(grad_sums.T, self.y.flatten(0, 1).T)}
        for number, layer in enumerate(self.layers):
            gradients |= {f"W_{number}": layer.grad_weights(), **_state(number, layer.grads)}
        return gradients


def _state(number: int, state: LayerState) -> Named:
    """Name the parts of a layer's state."""
    return {f"{part}_{number}": value for part, value in zip("hc", state, strict=False)}


class SteppedAttention:
    """Attention to one query of each sentence at a time.

    A query's gradient is computed at its step. The gradients of what the steps share come at the end.
    The inputs are the values, the keys and attention's parameters.
    """

    def __init__(self, attention: Attention, memory: Memory, T: int) -> None:
        self.attention, self.memory = attention, memory
        self.inputs: Named = {"values": memory.values, "keys": memory.keys}
        self.inputs |= attention.named_parameters(prefix="attention")
        self.detached = memory._replace(values=memory.values.detach(), keys=memory.keys.detach())
        self.steps = torch.arange(T, device=memory.values.device)
        self.with_gradients = torch.is_grad_enabled()  # asked here: in a Function it is False
        self.weights: list[Tensor] = []
        self._queries: list[Tensor] = []
        self._contexts: list[Tensor] = []

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
        """Return the gradients of ``inputs``.

        Args:
            queries: those of all steps, [T, N, n].
            grad_contexts: the gradients of their contexts, [T, N, context size].
        """
        with torch.enable_grad():
            leaves = {name: x.detach().requires_grad_() for name, x in self.inputs.items()}
            names = [name for name, _ in self.attention.named_parameters()]
            parameters = {name: leaves[f"attention.{name}"] for name in names}
            memory = self.memory._replace(values=leaves["values"], keys=leaves["keys"])
            contexts, _ = torch.func.functional_call(
                self.attention, parameters, (queries.transpose(0, 1), memory, self.steps)
            )
        grad = grad_contexts.transpose(0, 1)
        gradients = torch.autograd.grad(contexts, [*leaves.values()], grad, allow_unused=True)
        return dict(zip(leaves, gradients, strict=True))


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
    return torch.tanh(matmul(joined, W_c, out=h_tilde), out=h_tilde)


class DecoderSteps(ABC):
    """All steps of a decoder, forward and then back; ``unroll`` makes one operation of them."""

    inputs: Named

    @abstractmethod
    def forward(self) -> tuple[Tensor, Tensor | None]:
        """Return h~ (or s) [T, N, n], and the weights [N, T, M] if the decoder attends."""

    @abstractmethod
    def backward(self, grad_outputs: Tensor) -> Gradients:
        """Return the gradients of ``inputs`` from that of h~ (or s), [T, N, n]."""

    def unroll(self) -> tuple[Tensor, Tensor | None]:
        """Return h~ (or s) [N, T, n] of all steps, and the weights [N, T, M] if the decoder attends."""
        outputs, weights = Unrolled.apply(self, *self.inputs.values())
        return outputs.transpose(0, 1), weights


class PlainSteps(DecoderSteps):
    """Input feeding without attention: h_t = layers([y_t; h_{t-1}]), from zero."""

    def __init__(self, layers: SteppedLayers) -> None:
        self.layers, self.inputs = layers, layers.inputs

    def forward(self) -> tuple[Tensor, None]:
        h = torch.zeros_like(self.layers.hs[0])
        for t in range(len(self.layers.y)):
            h = self.layers.forward(t, h)
        return self.layers.hs[1:].clone(), None

    def backward(self, grad_outputs: Tensor) -> Gradients:
        self.layers.start_backward()
        grad_fed = torch.zeros_like(grad_outputs[0])  # gradient of h_t as input of step t + 1
        for t in reversed(range(len(grad_outputs))):
            grad_fed = self.layers.backward(t, grad_fed + grad_outputs[t])
        return self.layers.gradients()


class LuongSteps(DecoderSteps):
    """Input feeding: h_t = layers([y_t; h~_{t-1}]), then h~_t = tanh(W_c [c_t; h_t])."""

    def __init__(self, layers: SteppedLayers, attention: SteppedAttention, W_c: Tensor) -> None:
        self.layers, self.attention, self.W_c = layers, attention, W_c
        self.inputs = {**layers.inputs, "W_c": W_c, **attention.inputs}
        T, N, _ = layers.y.shape
        self.joined = W_c.new_empty(T, N, W_c.shape[1])  # [c_t; h_t]
        self.h_tilde = W_c.new_empty(T, N, len(W_c))

    def forward(self) -> tuple[Tensor, Tensor]:
        h_tilde = torch.zeros_like(self.h_tilde[0])
        for t in range(len(self.h_tilde)):
            h = self.layers.forward(t, h_tilde)
            c = self.attention.forward(t, h)
            h_tilde = attentional(self.W_c, c, h, self.joined[t], self.h_tilde[t])
        # Not this object's own tensor, which would then refer to itself through autograd.
        return self.h_tilde.detach(), torch.cat(self.attention.weights, dim=1)

    def backward(self, grad_outputs: Tensor) -> Gradients:
        layers, attention, h_tilde, n = self.layers, self.attention, self.h_tilde, len(self.W_c)
        layers.start_backward()
        # The derivatives of all tanh, 1 - h~^2; a step back turns them into gradients of W_c [c_t; h_t].
        grad_sums = torch.addcmul(h_tilde.new_ones(()), h_tilde, h_tilde, value=-1)
        grad_joined = torch.empty_like(self.joined)
        grad_c, grad_h = grad_joined[:, :, :-n], grad_joined[:, :, -n:]
        grad_fed = torch.zeros_like(grad_outputs[0])  # gradient of h~_t as input of step t + 1
        for t in reversed(range(len(grad_outputs))):
            grad_sums[t].mul_(grad_fed + grad_outputs[t])
            matmul(grad_sums[t], self.W_c.T, out=grad_joined[t])
            # h_t reaches h~_t through W_c and as attention's query.
            grad_fed = layers.backward(t, grad_h[t] + attention.backward(grad_c[t]))
        grad_W_c = matmul(grad_sums.flatten(0, 1).T, self.joined.flatten(0, 1).T)
        shared = attention.gradients(layers.hs[1:], grad_c)
        return {**layers.gradients(), "W_c": grad_W_c, **shared}


class BahdanauSteps(DecoderSteps):
    """The decoder in which attention comes first: c_t = attention(s_{t-1}), s_t = layers([c_t; y_t])."""

    def __init__(self, layers: SteppedLayers, attention: SteppedAttention) -> None:
        self.layers, self.attention = layers, attention
        self.inputs = layers.inputs | attention.inputs

    def forward(self) -> tuple[Tensor, Tensor]:
        s = self.layers.hs[0]
        for t in range(len(self.layers.y)):
            c = self.attention.forward(t, s)
            s = self.layers.forward(t, c)
        return self.layers.hs[1:].clone(), torch.cat(self.attention.weights, dim=1)

    def backward(self, grad_outputs: Tensor) -> Gradients:
        layers, attention = self.layers, self.attention
        layers.start_backward()
        grad_c: list[Tensor] = []  # from the last step to the first
        grad_s = torch.zeros_like(grad_outputs[0])  # gradient of s_t as query of step t + 1
        for t in reversed(range(len(grad_outputs))):
            grad_c.append(layers.backward(t, grad_outputs[t] + grad_s).clone())
            grad_s = attention.backward(grad_c[-1])
        shared = attention.gradients(layers.hs[:-1], torch.stack(grad_c[::-1]))
        gradients = layers.gradients()
        first_query = f"h_{len(layers.layers) - 1}"  # the top layer's first state
        gradients[first_query] = gradients[first_query] + grad_s
        return {**gradients, **shared}


class Unrolled(torch.autograd.Function):
    """All steps of a decoder as one operation of autograd."""

    @staticmethod
    def forward(ctx: Any, steps: DecoderSteps, *inputs: Tensor) -> tuple[Tensor, Tensor | None]:
        ctx.steps = steps
        outputs, weights = steps.forward()
        if weights is not None:
            ctx.mark_non_differentiable(weights)
        return outputs, weights

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        steps = ctx.steps
        del ctx.steps
        gradients = steps.backward(grads[0])
        return None, *(gradients[name] for name in steps.inputs)
