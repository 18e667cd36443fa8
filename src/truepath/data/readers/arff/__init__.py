"""The ARFF format: header, cells, dense and sparse rows, and the table they make."""
