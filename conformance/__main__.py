"""`python -m conformance run`: the judge without the rest of the package."""

from conformance.commands import main

main()
