"""What runs on a sensor: the data it owns, its features and loss, how it adapts and combines, what it puts on the wire.

Nothing here knows of links or clocks; a node sees the network through a :class:`nodes.port.Port` only. The pieces that
a scenario can name are declared here with what may be written in it.
"""
