"""The stacked LSTM encoder."""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System

State = tuple[Tensor, Tensor]  # h and c of every layer, each [L, N, n]


class Encoder(nn.Module):
    """LSTM layers without biases over the source words.

    Cell (Zaremba et al. 2014, without biases): i, f, o = sigmoid, g = tanh of W [x; h_{t-1}];
    c_t = f c_{t-1} + i g; h_t = o tanh(c_t). Dropout acts on the input of every layer, fresh at every
    step, and nowhere else. Without biases a zero input keeps a zero state, so padding on the left
    leaves every sentence to start from zero.
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.reverse = system.reverse
        self.embedding = nn.Embedding(vocabulary, shape.size)
        self.dropout = nn.Dropout(system.dropout)
        between = system.dropout if shape.layers > 1 else 0.0
        self.lstm = nn.LSTM(shape.size, shape.size, shape.layers, bias=False, dropout=between)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, State]:
        """Return the top states [N, M, n], the original position of each column [N, M], the last state.

        Args:
            source: ids as read (reversed for a model that reads reversed), padded on the left, [N, M].
            lengths: words of each sentence, [N].
        """
        columns = torch.arange(source.shape[1], device=source.device)
        read = columns - (source.shape[1] - lengths)[:, None]  # 0 .. S-1 in reading order
        x = self.embedding(source) * (read >= 0).unsqueeze(-1)
        h, state = self.lstm(self.dropout(x).transpose(0, 1))
        positions = (
            torch.where(read >= 0, lengths[:, None] - 1 - read, -1) if self.reverse else read
        )
        return h.transpose(0, 1).contiguous(), positions.clamp(min=-1), state
