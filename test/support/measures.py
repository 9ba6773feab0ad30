"""How near two arrays are."""

import numpy as np


def cosine(a, b):
    """1 for equal directions; two zero vectors count as equal."""
    a, b = a.astype(np.float64).ravel(), b.astype(np.float64).ravel()
    norms = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / norms) if norms else float(np.array_equal(a, b))
