"""Predictive clustering trees and forests (CLUS-HMC, Clus-HMC-Ens)."""
