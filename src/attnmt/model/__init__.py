"""The paper's models: stacked LSTM encoder and decoder, attention, input feeding."""
