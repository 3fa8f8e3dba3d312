"""Estimators and functions of scikit-learn that dispatch on arrays, each of a matrix and what is learnt from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from sklearn import (
    calibration,
    covariance,
    decomposition,
    discriminant_analysis,
    kernel_approximation,
    linear_model,
    metrics,
    mixture,
    model_selection,
    naive_bayes,
    pipeline,
    preprocessing,
)
from sklearn.utils import extmath

from tests.consumers.scipy_calls import Calls, like

_RNG: Final = np.random.default_rng(7)
DATA: Final = _RNG.normal(size=(40, 4)) + np.arange(4.0)
TARGETS: Final = DATA @ np.array([1.0, -2.0, 0.5, 3.0]) + 0.1 * _RNG.normal(size=40)
CLASSES: Final = (TARGETS > np.median(TARGETS)).astype(np.int64)
GUESSES: Final = np.where(_RNG.uniform(size=40) < 0.8, CLASSES, 1 - CLASSES)
MANY: Final = np.digitize(TARGETS, np.quantile(TARGETS, [0.3, 0.6]))
LABELS: Final = np.stack([CLASSES, GUESSES, 1 - CLASSES], axis=1)


def _transformed(estimator: Any, x: Any) -> Any:
    return estimator.fit(x).transform(x)


def _inverted(estimator: Any, x: Any) -> Any:
    return estimator.inverse_transform(estimator.fit_transform(x))


def _predicted(estimator: Any, targets: Any, x: Any) -> Any:
    return estimator.fit(x, like(x, targets)).predict(x)


def _probable(estimator: Any, targets: Any, x: Any) -> Any:
    return estimator.fit(x, like(x, targets)).predict_proba(x)


TRANSFORMERS: Final = {
    "PCA svd": decomposition.PCA(2, svd_solver="full"),
    "PCA covariance": decomposition.PCA(2, svd_solver="covariance_eigh"),
    "PCA whitened": decomposition.PCA(2, svd_solver="full", whiten=True),
    "PCA randomized": decomposition.PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0),
    "StandardScaler": preprocessing.StandardScaler(),
    "MinMaxScaler": preprocessing.MinMaxScaler(),
    "MaxAbsScaler": preprocessing.MaxAbsScaler(),
    "Normalizer": preprocessing.Normalizer(),
    "Binarizer": preprocessing.Binarizer(threshold=1.0),
    "PolynomialFeatures": preprocessing.PolynomialFeatures(2),
    "FunctionTransformer": preprocessing.FunctionTransformer(lambda x: x * 2.0),
    "Nystroem": kernel_approximation.Nystroem(n_components=3, random_state=0),
    "Pipeline of transformers": pipeline.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(2)),
}
REGRESSIONS: Final = {
    "Ridge svd": linear_model.Ridge(solver="svd"),
    "RidgeCV": linear_model.RidgeCV(),
    "Pipeline of Ridge": pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge(solver="svd")),
    "GridSearchCV": model_selection.GridSearchCV(linear_model.Ridge(solver="svd"), {"alpha": [0.1, 1.0]}, cv=3),
}
CLASSIFIERS: Final = {
    "LinearDiscriminantAnalysis": discriminant_analysis.LinearDiscriminantAnalysis(solver="svd"),
    "GaussianNB": naive_bayes.GaussianNB(),
    "CalibratedClassifierCV": calibration.CalibratedClassifierCV(
        discriminant_analysis.LinearDiscriminantAnalysis(), method="temperature", ensemble=False, cv=3
    ),
}
ESTIMATORS: Final[Calls] = {
    **{name: (partial(_transformed, e), DATA) for name, e in TRANSFORMERS.items()},
    **{
        f"{name}, inverse": (partial(_inverted, TRANSFORMERS[name]), DATA)
        for name in list(TRANSFORMERS)[:7]
        if "Norm" not in name
    },
    **{name: (partial(_predicted, e, TARGETS), DATA) for name, e in REGRESSIONS.items()},
    **{f"{name}, classes": (partial(_predicted, e, CLASSES), DATA) for name, e in CLASSIFIERS.items()},
    **{f"{name}, probabilities": (partial(_probable, e, CLASSES), DATA) for name, e in CLASSIFIERS.items()},
    "RidgeClassifier": (partial(_predicted, linear_model.RidgeClassifier(solver="svd"), CLASSES), DATA),
    "LogisticRegression": (partial(_probable, linear_model.LogisticRegression(), CLASSES), DATA),
    "GaussianMixture": (
        lambda x: mixture.GaussianMixture(2, init_params="random", random_state=0, max_iter=20).fit(x).score_samples(x),
        DATA,
    ),
    "LedoitWolf": (lambda x: covariance.ledoit_wolf_shrinkage(x), DATA),
    "KernelCenterer": (lambda x: preprocessing.KernelCenterer().fit_transform(x @ x.T), DATA),
    "LabelEncoder": (lambda x: preprocessing.LabelEncoder().fit_transform(like(x, MANY)), DATA),
    "LabelBinarizer": (lambda x: preprocessing.LabelBinarizer().fit_transform(like(x, MANY)), DATA),
    "train_test_split": (lambda x: model_selection.train_test_split(x, random_state=0), DATA),
    "cross_val_predict": (
        lambda x: model_selection.cross_val_predict(linear_model.Ridge(solver="svd"), x, like(x, TARGETS), cv=3),
        DATA,
    ),
    "randomized_svd": (
        lambda x: extmath.randomized_svd(x, 2, random_state=0, power_iteration_normalizer="QR")[1],
        DATA,
    ),
}


def _of(names: str, actual: Any, guess: Any, **options: Any) -> Calls:
    """Functions of metrics of what is, and what was guessed: of two arrays, the second one of x's library, too."""

    def call(function: Callable[..., Any], x: Any) -> Any:
        return function(like(x, actual), x, **options)

    return {f"metrics.{name}": (partial(call, getattr(metrics, name)), guess) for name in names.split()}


METRICS: Final[Calls] = {
    **_of(
        "r2_score mean_squared_error root_mean_squared_error mean_absolute_error max_error mean_pinball_loss "
        "median_absolute_error explained_variance_score mean_absolute_percentage_error d2_absolute_error_score",
        TARGETS,
        TARGETS + 0.3 * np.sin(np.arange(40.0)),
    ),
    **_of(
        "mean_squared_log_error root_mean_squared_log_error mean_gamma_deviance mean_poisson_deviance "
        "mean_tweedie_deviance d2_tweedie_score",
        np.abs(TARGETS) + 1.0,
        np.abs(TARGETS) + 1.2,
    ),
    **_of(
        "accuracy_score balanced_accuracy_score zero_one_loss f1_score precision_score recall_score jaccard_score "
        "hamming_loss confusion_matrix cohen_kappa_score matthews_corrcoef class_likelihood_ratios",
        CLASSES,
        GUESSES,
    ),
    **_of(
        "log_loss brier_score_loss roc_auc_score average_precision_score", CLASSES, 0.05 + 0.9 * np.abs(np.sin(TARGETS))
    ),
    **_of("multilabel_confusion_matrix", LABELS, LABELS[::-1].copy()),
    **{
        f"metrics.pairwise.{name}": (partial(lambda f, x: f(x, x[:5] + 1.0), getattr(metrics.pairwise, name)), DATA)
        for name in (
            *("euclidean_distances", "cosine_similarity", "cosine_distances", "linear_kernel", "polynomial_kernel"),
            *("rbf_kernel", "sigmoid_kernel", "laplacian_kernel", "chi2_kernel", "additive_chi2_kernel"),
            *("paired_euclidean_distances", "paired_cosine_distances", "pairwise_distances", "manhattan_distances"),
        )
    },
    "metrics.pairwise.pairwise_distances": (lambda x: metrics.pairwise_distances(x), DATA),
}
for name in ("paired_euclidean_distances", "paired_cosine_distances"):
    METRICS[f"metrics.pairwise.{name}"] = (partial(lambda f, x: f(x, x * x), getattr(metrics.pairwise, name)), DATA)
for name in ("chi2_kernel", "additive_chi2_kernel"):
    METRICS[f"metrics.pairwise.{name}"] = (partial(lambda f, x: f(x, x), getattr(metrics.pairwise, name)), DATA**2)

CALLS: Final[Calls] = ESTIMATORS | METRICS
