"""Tables in files: label sets, scores, matrices with named rows and columns, and frames of any library."""
