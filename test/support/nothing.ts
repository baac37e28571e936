// A process that does nothing but be preloaded.
process.exit(0)
