"""What pooling all readings would reach: boosted trees, an LSTM and a transformer on every owner's raw windows.

  python3 pooled.py FOLDER... [--models boosting,lstm,transformer] [--splits fixed,...] [--seeds 3]
                    [--record expected.json] [--only-finished]

A FOLDER is what export-windows.ts wrote. The first seed on the fixed split tries every setting of a model's space, and the
lowest validation loss decides; all other fits of the data set run with that setting. The test part is scored once per
fit, with the weights (or the number of trees) of the lowest validation loss. Finished fits are kept in FOLDER/fits.json.
"""

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np
import sklearn
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from torch import nn

PARTS = ("train", "validation", "test")
# The settings that each model tries, in this order.
SPACES = {
    "boosting": [{"max_features": share} for share in (0.1, 1.0)],
    "lstm": [{"hidden": 64, "dropout": dropout} for dropout in (0.2, 0.5)],
    "transformer": [{"hidden": 64, "dropout": 0.2}],
}
LEARNING_RATE = 1e-3
WEIGHT_DECAY = 0.1
BATCH = 100
EPOCHS = 150
PATIENCE = 20
TREES = 300


class Pool:
    """Windows [sample, owner, time, variate] with NaN where an owner is absent, labels [sample], parts of one split."""

    def __init__(self, folder, split):
        facts = json.loads((folder / "facts.json").read_text())
        self.windows = np.fromfile(folder / "windows.f32", dtype="<f4").reshape(facts["shape"])
        self.labels = np.array(facts["labels"])
        self.classes = len(facts["classes"])
        self.rows = {part: np.array(facts["splits"][split][part]) for part in PARTS}

    def score(self, probabilities, part):
        truth = self.labels[self.rows[part]]
        said = probabilities.argmax(1)
        if self.classes == 2:
            return {"f1": f1_score(truth, said), "auc": roc_auc_score(truth, probabilities[:, 1])}
        auc = roc_auc_score(truth, probabilities, multi_class="ovo", labels=range(self.classes))
        return {"f1": f1_score(truth, said, average="macro"), "auc": auc}

    def loss(self, probabilities, part):
        return log_loss(self.labels[self.rows[part]], probabilities, labels=range(self.classes))


def fit_boosting(pool, setting, seed):
    flat = pool.windows.reshape(len(pool.windows), -1)
    x, y = ({part: values[pool.rows[part]] for part in PARTS} for values in (flat, pool.labels))
    trees = HistGradientBoostingClassifier(
        **setting, max_iter=TREES, early_stopping=True, n_iter_no_change=PATIENCE, random_state=seed
    )
    trees.fit(x["train"], y["train"], X_val=x["validation"], y_val=y["validation"])
    losses = [pool.loss(p, "validation") for p in trees.staged_predict_proba(x["validation"])]
    best = int(np.argmin(losses))
    test = next(p for i, p in enumerate(trees.staged_predict_proba(x["test"])) if i == best)
    return losses[best], best + 1, test


class Recurrent(nn.Module):
    """An LSTM over time, whose input is the readings of all owners at once; the last state is read out."""

    def __init__(self, inputs, length, classes, hidden, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.lstm = nn.LSTM(inputs, hidden, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        _, (state, _) = self.lstm(self.dropout(x))
        return self.head(self.dropout(state[-1]))


class Attention(nn.Module):
    """A transformer of two layers over time; a token is the readings of all owners at one step."""

    def __init__(self, inputs, length, classes, hidden, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.embed = nn.Linear(inputs, hidden)
        self.position = nn.Parameter(0.02 * torch.randn(length, hidden))
        layer = nn.TransformerEncoderLayer(hidden, 4, 2 * hidden, dropout, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        tokens = self.embed(self.dropout(x)) + self.position
        return self.head(self.norm(self.layers(tokens).mean(1)))


def pooled_inputs(pool):
    """[sample, time, owner × (variate + presence)]: z-scored on the training part, 0 where an owner is absent."""
    train = pool.windows[pool.rows["train"]]
    mean = np.nan_to_num(np.nanmean(train, axis=(0, 2), keepdims=True))
    deviation = np.nan_to_num(np.nanstd(train, axis=(0, 2), keepdims=True))
    scaled = (pool.windows - mean) / np.where(deviation > 0, deviation, 1)
    present = ~np.isnan(pool.windows[..., :1])
    values = np.nan_to_num(scaled)
    if not present.all():
        values = np.concatenate([values, present.astype(np.float32)], axis=3)
    samples, owners, length, variates = values.shape
    return torch.from_numpy(values.transpose(0, 2, 1, 3).reshape(samples, length, owners * variates).astype(np.float32))


def fit_network(make, pool, setting, seed):
    torch.manual_seed(seed)
    order = torch.Generator().manual_seed(seed)
    x, y = pooled_inputs(pool), torch.from_numpy(pool.labels)
    rows = {part: torch.from_numpy(pool.rows[part]) for part in PARTS}
    model = make(x.shape[2], x.shape[1], pool.classes, setting["hidden"], setting["dropout"])
    optimiser = torch.optim.AdamW(model.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)

    def predict(part):
        model.eval()
        with torch.no_grad():
            return torch.cat([model(x[batch]).softmax(1) for batch in rows[part].split(512)]).double().numpy()

    best = (np.inf, 0, None)
    for epoch in range(1, EPOCHS + 1):
        model.train()
        for batch in rows["train"][torch.randperm(len(rows["train"]), generator=order)].split(BATCH):
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimiser.step()
        said = predict("validation")
        loss = pool.loss(said / said.sum(1, keepdims=True), "validation")
        if loss < best[0]:
            best = (loss, epoch, {name: value.clone() for name, value in model.state_dict().items()})
        if epoch - best[1] >= PATIENCE:
            break
    model.load_state_dict(best[2])
    said = predict("test")
    return best[0], best[1], said / said.sum(1, keepdims=True)


FITS = {
    "boosting": fit_boosting,
    "lstm": lambda *of: fit_network(Recurrent, *of),
    "transformer": lambda *of: fit_network(Attention, *of),
}


class Fits:
    """Finished fits of a folder, by split, model, setting and seed."""

    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "fits.json"
        self.known = json.loads(self.file.read_text()) if self.file.exists() else {}

    def has(self, split, model, setting, seed):
        return json.dumps([split, model, setting, seed]) in self.known

    def get(self, split, model, setting, seed):
        key = json.dumps([split, model, setting, seed])
        if key not in self.known:
            start = time.perf_counter()
            pool = Pool(self.folder, split)
            loss, best, test = FITS[model](pool, setting, seed)
            seconds = round(time.perf_counter() - start, 1)
            self.known[key] = {"validationLoss": loss, "best": best, **pool.score(test, "test"), "seconds": seconds}
            self.file.write_text(json.dumps(self.known, indent=1))
            print(self.folder.name, key, f"validation {loss:.4f}, {seconds} s", flush=True)
        return self.known[key]


def measure(fits, split, model, seeds, only_finished):
    """The setting that the fixed split's validation part chose, and its scores over the seeds; None if nothing is there."""
    space = SPACES[model]
    if only_finished:
        space = [setting for setting in space if fits.has("fixed", model, setting, 1)]
        if not space:
            return None
    chosen = min(space, key=lambda setting: fits.get("fixed", model, setting, 1)["validationLoss"])
    wanted = range(1, seeds + 1)
    if chosen.get("max_features") == 1.0:
        wanted = [1]  # Trees that see every reading draw nothing at random.
    if only_finished:
        wanted = [seed for seed in wanted if fits.has(split, model, chosen, seed)]
    runs = [fits.get(split, model, chosen, seed) for seed in wanted]
    if not runs:
        return None
    figures = {"seeds": len(runs), "chosen": chosen}
    for score in ("f1", "auc", "validationLoss"):
        values = [run[score] for run in runs]
        figures[score] = float(np.mean(values))
        figures[f"{score}Deviation"] = float(np.std(values, ddof=1)) if len(runs) > 1 else 0.0
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--models", default="boosting,lstm,transformer")
    parser.add_argument("--splits", default="", help="by default all that were exported")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--record", type=Path, help="JSON file that takes the figures")
    parser.add_argument("--only-finished", action="store_true", help="record what is finished and fit nothing")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    record = {"versions": {}, "datasets": {}}
    if options.record and options.record.exists():
        record = json.loads(options.record.read_text())
    record["versions"] = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "torch": torch.__version__.split("+")[0],
    }
    for folder in options.folders:
        facts = json.loads((folder / "facts.json").read_text())
        fits = Fits(folder)
        for split in options.splits.split(",") if options.splits else facts["splits"]:
            models = options.models.split(",")
            figures = {model: measure(fits, split, model, options.seeds, options.only_finished) for model in models}
            rows = record["datasets"].setdefault(facts["dataset"], {}).setdefault(split, {})
            rows.update({model: found for model, found in figures.items() if found})
            if not rows:
                del record["datasets"][facts["dataset"]][split]
            if options.record:
                options.record.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
