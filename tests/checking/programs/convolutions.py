"""A convolutional network, pooling and patches."""

from dataclasses import dataclass
from typing import Literal, TypedDict

import effects as fx
from effects import F32, nn


class Network[C](TypedDict):
    first: F32[C, Literal[1], Literal[3], Literal[3]]
    second: F32[Literal[16], C, Literal[3], Literal[3]]
    last: F32[Literal[64], Literal[10]]


def block[N, I, O, H, W](x: F32[N, I, H, W], kernel: F32[O, I, Literal[3], Literal[3]]) -> F32[N, O, H, W]:
    return nn.relu(fx.conv(x, kernel, padding="same"))


def block_with_kernel_turned[N, I, O, H, W](x: F32[N, I, H, W], kernel: F32[I, O, 3, 3]) -> F32[N, O, H, W]:
    return nn.relu(fx.conv(x, kernel, padding="same"))  # E: shape


def block_without_padding[N, I, O, H, W](x: F32[N, I, H, W], kernel: F32[O, I, 3, 3]) -> F32[N, O, H, W]:
    return nn.relu(fx.conv(x, kernel))  # E: shape


def logits[N, C](net: Network[C], images: F32[N, 1, 8, 8]) -> F32[N, 10]:
    x = nn.max_pool(block(images, net["first"]), 2)
    x = nn.max_pool(block(x, net["second"]), 2)
    return x.reshape(x.shape[0], -1) @ net["last"]


def logits_after_one_pool[N, C](net: Network[C], images: F32[N, 1, 8, 8]) -> F32[N, 10]:
    x = nn.max_pool(block(images, net["first"]), 2)
    x = block(x, net["second"])
    return x.reshape(x.shape[0], -1) @ net["last"]  # E: shape


def logits_in_wrong_order[N, C](net: Network[C], images: F32[N, 1, 8, 8]) -> F32[N, 10]:
    x = block(images, net["second"])  # E: shape
    return x.reshape(x.shape[0], -1) @ net["last"]


def logits_of_large_images[N, C](net: Network[C], images: F32[N, 1, 28, 28]) -> F32[N, 10]:
    return logits(net, images)  # E: shape


def halved[N, C, H, W](x: F32[N, C, H, W]) -> F32[N, C, Literal["H // 2"], Literal["W // 2"]]:
    return nn.max_pool(x, 2)


def halved_once[N, C, H, W](x: F32[N, C, H, W]) -> F32[N, C, Literal["H // 2"], Literal["W // 2"]]:
    return nn.max_pool(x, (2, 1))  # E: shape


def patches[N, C, H, W](x: F32[N, C, H, W]) -> F32[N, Literal["(H // 4) * (W // 4)"], Literal["16 * C"]]:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 4, 4, w // 4, 4).transpose(0, 2, 4, 1, 3, 5).reshape(n, (h // 4) * (w // 4), 16 * c)


def patches_of_channels[N, C, H, W](x: F32[N, C, H, W]) -> F32[N, Literal["(H // 4) * (W // 4)"], Literal["16 * C"]]:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 4, 4, w // 4, 4).transpose(0, 2, 4, 1, 3, 5).reshape(n, c, -1)  # E: shape


def unpacked_too_far[N, C, H, W](x: F32[N, C, H, W]) -> F32[N, C]:
    n, c, h = x.shape  # E: shape
    return x.mean(axis=(2, 3))


def global_mean[N, C, H, W](x: F32[N, C, H, W]) -> F32[N, C]:
    return x.mean(axis=(-1, -2))


def global_mean_of_channels[N, C, H, W](x: F32[N, C, H, W]) -> F32[N, C]:
    return x.mean(axis=(1, 2))  # E: shape


@dataclass(frozen=True)
class Bias[C]:
    value: F32[C]

    def add[N, H, W](self, x: F32[N, C, H, W]) -> F32[N, C, H, W]:
        return x + self.value[:, None, None]

    def add_to_columns[N, H, W](self, x: F32[N, C, H, W]) -> F32[N, C, H, W]:
        return x + self.value  # E: shape
