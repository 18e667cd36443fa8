"""Training: embeddings of proteins and annotations to one model per aspect."""
