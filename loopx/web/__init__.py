"""The web page for people: server-rendered, on this machine only, over the same use cases as the command line."""
