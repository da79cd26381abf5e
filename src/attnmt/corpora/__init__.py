"""Raw text and where it comes from: downloads, archives, the demo's grammar; gold word links."""
