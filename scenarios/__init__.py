"""The built-in scenarios: YAML files that `netsim run NAME` finds wherever netsim is installed."""
