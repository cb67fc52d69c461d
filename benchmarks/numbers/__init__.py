"""The numbers to reach: what the settings of three papers give here, beside reference values."""
