"""One line for each framework. Each module needs its framework, and nothing else does."""
