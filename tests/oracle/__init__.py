"""The released Java classes themselves, asked again: `make oracle RELEASE=5.3.3`."""
