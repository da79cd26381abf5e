"""The paper's models: stacked LSTM or GRU encoder and decoder, attention, input feeding."""
