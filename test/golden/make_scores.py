"""Scores by scikit-learn: `/usr/bin/python3 test/golden/make_scores.py` writes scores.json beside itself.

Layout of the file: [{name, classes, float32, labels: [sample], probabilities: [sample, class] in one row, expected}].
`expected` holds accuracy, f1, auc, prAuc, loss, confusion, brier and the reliability table; null stands where
scikit-learn raises an error. Numbers are written with all their digits, so both sides start from the same bits.
"""
import json
import pathlib
import warnings

import numpy as np
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.preprocessing import label_binarize

BINS = 10
warnings.filterwarnings("ignore")  # classes without samples or predictions are what some cases are about


def softmax(logits):
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def predictions(random, samples, classes, skill=1.0, shares=None):
    labels = random.choice(classes, samples, p=shares)
    return labels, softmax(random.normal(size=(samples, classes)) + skill * np.eye(classes)[labels])


def rounded(probabilities, levels):
    """Few distinct values: many ties, within rows and between them. Rows still sum to 1."""
    parts = np.floor(probabilities * levels)
    parts[:, -1] = levels - parts[:, :-1].sum(1)
    return parts / levels


def unless_it_raises(score, *arguments, **options):
    try:
        return float(score(*arguments, **options))
    except ValueError:
        return None


def expected(labels, probabilities):
    classes = probabilities.shape[1]
    everything = np.arange(classes)
    predicted = probabilities.argmax(1)
    if classes == 2:
        positive = probabilities[:, 1]
        f1 = metrics.f1_score(labels, predicted)
        auc = unless_it_raises(metrics.roc_auc_score, labels, positive)
        precision = metrics.average_precision_score(labels, positive)
        brier = metrics.brier_score_loss(labels, positive, pos_label=1)
    else:
        truth = label_binarize(labels, classes=everything)
        f1 = metrics.f1_score(labels, predicted, average="macro")
        auc = unless_it_raises(metrics.roc_auc_score, labels, probabilities, multi_class="ovo", average="macro")
        precision = metrics.average_precision_score(truth, probabilities, average="macro")
        brier = ((probabilities - truth) ** 2).sum(1).mean()
    # scikit-learn's curve is for two classes; "was the prediction right" is such a question for any number of them
    right = (predicted == labels).astype(int)
    shares, confidences = calibration_curve(right, probabilities.max(1), pos_label=1, n_bins=BINS)
    return {
        "accuracy": metrics.accuracy_score(labels, predicted),
        "f1": f1,
        "auc": auc,
        "prAuc": abs(precision),  # -0.0 when a class has no samples
        "loss": float(metrics.log_loss(labels, probabilities, labels=everything)),
        "confusion": metrics.confusion_matrix(labels, predicted, labels=everything).tolist(),
        "brier": float(brier),
        "reliability": {"accuracy": shares.tolist(), "confidence": confidences.tolist()},
    }


def cases():
    random = np.random.default_rng(20230801)
    yield "two classes", *predictions(random, 90, 2)
    yield "three classes", *predictions(random, 80, 3)
    yield "four classes", *predictions(random, 80, 4, skill=2)
    yield "five classes", *predictions(random, 80, 5, skill=0.5)
    labels, probabilities = predictions(random, 120, 2)
    yield "two classes, many ties", labels, rounded(probabilities, 8)
    labels, probabilities = predictions(random, 120, 4)
    yield "four classes, many ties", labels, rounded(probabilities, 6)
    yield "two classes, one rare", *predictions(random, 200, 2, shares=[0.96, 0.04])
    yield "three classes, one rare", *predictions(random, 150, 3, shares=[0.7, 0.27, 0.03])
    labels, probabilities = predictions(random, 60, 3)
    bent = probabilities * [1, 1, 0.01]
    yield "a class never predicted", labels, bent / bent.sum(1, keepdims=True)
    labels, probabilities = predictions(random, 60, 3)
    yield "a class without samples, yet predicted", np.minimum(labels, 1), probabilities
    yield "a class neither in truth nor predicted", np.minimum(labels, 1), softmax(np.log(probabilities) - [0, 0, 9])
    yield "two classes, all scores equal", random.integers(2, size=30), np.full((30, 2), 0.5)
    yield "four classes, all scores equal", random.integers(4, size=40), np.full((40, 4), 0.25)
    yield "nothing labelled 1, nothing predicted 1", np.zeros(10, int), rounded(np.full((10, 2), [0.75, 0.25]), 4)
    yield "nothing labelled 1, something predicted 1", np.zeros(20, int), predictions(random, 20, 2)[1]
    yield "everything labelled 1", np.ones(20, int), predictions(random, 20, 2)[1]
    labels, probabilities = predictions(random, 40, 2, skill=1)
    sure = np.where(probabilities[:, 1:] > 0.5, [1e-9, 1 - 1e-9], [1 - 1e-9, 1e-9])
    yield "probabilities of 1e-9", labels, sure
    yield "probabilities of 0 and 1", labels, np.round(sure)
    labels, probabilities = predictions(random, 40, 3, skill=2)
    yield "three classes, probabilities below 1e-50", labels, softmax(18 * np.log(probabilities))
    edges = np.linspace(0, 1, BINS + 1).repeat(2)
    yield "confidences on the edges of bins", np.tile([0, 1], BINS + 1), np.stack([1 - edges, edges], 1)
    labels, probabilities = predictions(random, 60, 2)
    yield "rows that do not sum to 1", labels, probabilities * random.uniform(0.5, 1, (60, 1))
    labels, probabilities = predictions(random, 60, 2)
    yield "two classes in float32", labels, probabilities.astype(np.float32)
    labels, probabilities = predictions(random, 60, 3, skill=2)
    sure = softmax(40 * np.log(probabilities)).astype(np.float32)
    yield "three classes in float32, some probabilities 0", labels, sure


def write():
    file = [
        {
            "name": name,
            "classes": probabilities.shape[1],
            "float32": probabilities.dtype == np.float32,
            "labels": labels.tolist(),
            "probabilities": probabilities.flatten().tolist(),
            "expected": expected(labels, probabilities),
        }
        for name, labels, probabilities in cases()
    ]
    path = pathlib.Path(__file__).with_name("scores.json")
    text = "[\n" + ",\n".join(json.dumps(entry) for entry in file) + "\n]\n"
    path.write_text(text)
    print(f"{path.name}: {len(text)} bytes, {len(file)} cases")


if __name__ == "__main__":
    write()
