"""The commands of gene function: ``truepath cafa evaluate``, ``submit``, ``check`` and so on."""
