"""What the network is compared with: optima that one place with all data would reach."""
