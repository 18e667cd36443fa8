"""Files with one fact per line, cut by tabs: any size, compressed or not, bad lines named."""
