"""What users' tests are given: rows fired now, by the real moves and handlers."""
