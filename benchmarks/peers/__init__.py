"""What a platform would pick instead, driven at its best in the same run."""
