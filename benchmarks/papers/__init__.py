"""The experiments of three papers, run from scenario files and written up as docs/results.md."""
