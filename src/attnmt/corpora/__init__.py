"""Raw text and where it comes from: downloads, archives, local files; gold word links."""
