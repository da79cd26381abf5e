"""Speed against peers, taking turns in one run; README.md says what is measured and how."""
