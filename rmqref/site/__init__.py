"""The documentation site: built from the notebooks, for any static host."""
