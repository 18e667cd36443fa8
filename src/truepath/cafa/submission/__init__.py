"""Submissions: written as the rules of a challenge say, and checked line by line."""
