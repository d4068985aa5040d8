"""A minute under load: two dispatchers, one killed again and again, a sweep, an editor; then the judge."""
