"""What commands share: options, checks of outputs, progress, opening data, and tables of results."""
