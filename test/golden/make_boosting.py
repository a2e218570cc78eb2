"""Boosted trees by scikit-learn: `/usr/bin/python3 test/golden/make_boosting.py` writes boosting.json beside itself.

Layout of the file: [{name, classes, features, values: [sample, feature] in one row with null where missing, labels: [sample],
tested: the same for other samples, probabilities: {iterations: [sample, class] in one row}}].
Values are float32, so both sides start from the same bits.
"""
import json
import pathlib

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

# A prime: where a 255th of the samples is a whole number, NumPy's rounding decides between two neighbours.
SAMPLES, TESTED, FEATURES = 421, 60, 4
STAGES = (1, 5, 20)


def numbers(array):
    return [None if np.isnan(value) else float(f"{value:.9g}") for value in array.ravel()]


def case(name, classes, missing, rounded=False, samples=SAMPLES, **options):
    random = np.random.default_rng(20240817)
    values = random.normal(size=(samples + TESTED, FEATURES))
    if rounded:
        values = np.round(values * 4) / 4  # few distinct values: bins between all of them
    noise = random.normal(size=len(values)) * 0.4
    score = values[:, 0] * values[:, 1] + np.sin(2 * values[:, 2]) + noise
    labels = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    values = values.astype("float32")
    if missing:
        # What is missing says something: the larger a value, the likelier it is gone.
        values[random.random(values.shape) < 0.3 / (1 + np.exp(-2 * values))] = np.nan
    train, tested = slice(0, samples), slice(samples, None)
    model = HistGradientBoostingClassifier(max_iter=max(STAGES), early_stopping=False, **options)
    model.fit(values[train], labels[train])
    staged = list(model.staged_predict_proba(values[tested]))
    return {
        "name": name,
        "classes": classes,
        "features": FEATURES,
        "options": {"l2": options.get("l2_regularization", 0), "leaves": options.get("max_leaf_nodes", 31)},
        "values": numbers(values[train]),
        "labels": labels[train].tolist(),
        "tested": numbers(values[tested]),
        "probabilities": {stage: numbers(staged[stage - 1]) for stage in STAGES},
    }


if __name__ == "__main__":
    cases = [
        case("two classes", 2, missing=False),
        case("two classes, some values missing", 2, missing=True, samples=250),
        case("three classes, values rounded, some missing", 3, missing=True, rounded=True),
        case("four classes, few leaves, pulled to zero", 4, missing=False, l2_regularization=3.0, max_leaf_nodes=5),
    ]
    path = pathlib.Path(__file__).parent / "boosting.json"
    path.write_text(json.dumps(cases) + "\n")
    print(f"{path.name}: {path.stat().st_size} bytes, {len(cases)} cases")
