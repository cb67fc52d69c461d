"""What the network is compared with: optima computed in one place, and nodes that never talk."""
