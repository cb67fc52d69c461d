"""What runs on a sensor: the data it owns, its features and loss, how it adapts and combines, what it puts on the wire.

Nothing here knows of scenarios, links or clocks; a node sees the network through a :class:`nodes.port.Port` only.
"""
