"""What ``truepath fit`` needs in some cases: parts of one's own choice, what was tried, whom to trust."""
