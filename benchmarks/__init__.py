"""Speed against peers, alternating in one run; README.md says what is measured and how."""
