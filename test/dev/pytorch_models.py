"""Small PyTorch models with seeded random weights, one for each kind of network that users export.

Each entry of MODELS is a function that returns a Case. The networks follow the usual structure of their kind, at a size
that a CPU evaluates in milliseconds.
"""

import math
from dataclasses import dataclass, field

import torch
import torchvision
from torch import nn
from torch.nn import functional as F


@dataclass
class Case:
    model: nn.Module
    inputs: dict  # name: example tensor, in the order of forward's parameters
    dynamic: dict = field(default_factory=dict)  # input name: {axis: symbol}
    others: list = field(default_factory=list)  # more feeds {name: tensor} of other shapes, for the dynamic axes
    exporters: tuple = ("script", "dynamo")


def image(*shape):
    return torch.rand(*shape)


class Encoder(nn.Module):
    """BERT's way: token, position and segment embeddings, a padding mask, a pooled output."""

    def __init__(self, vocabulary=100, width=32, heads=4, layers=2):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(64, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, heads, 64, activation="gelu", batch_first=True)
                                    for _ in range(layers))  # fmt: skip
        self.pool = nn.Linear(width, width)

    def forward(self, ids, mask):
        x = self.norm(self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device)))
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask == 0)
        return x, torch.tanh(self.pool(x[:, 0]))


class RotaryBlock(nn.Module):
    """A decoder block of today: RMS norm, rotary positions, grouped queries, causal mask, SwiGLU."""

    def __init__(self, width=32, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q, self.kv = nn.Linear(width, width, bias=False), nn.Linear(width, 2 * groups * self.size, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, 88, bias=False), nn.Linear(width, 88, bias=False)
        self.down = nn.Linear(88, width, bias=False)
        self.scale1, self.scale2 = nn.Parameter(torch.rand(width)), nn.Parameter(torch.rand(width))

    @staticmethod
    def rms(x, scale):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * scale

    def rotate(self, x, length):
        angle = torch.arange(length).unsqueeze(1) * torch.pow(10000.0, -torch.arange(0, self.size, 2) / self.size)
        cos, sin = angle.cos().repeat(1, 2), angle.sin().repeat(1, 2)
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat((-b, a), -1) * sin

    def forward(self, x):
        batch, length, width = x.shape
        h = self.rms(x, self.scale1)
        q = self.q(h).view(batch, length, self.heads, self.size).transpose(1, 2)
        k, v = self.kv(h).view(batch, length, 2 * self.groups, self.size).transpose(1, 2).chunk(2, 1)
        k = k.repeat_interleave(self.heads // self.groups, 1)
        v = v.repeat_interleave(self.heads // self.groups, 1)
        y = F.scaled_dot_product_attention(self.rotate(q, length), self.rotate(k, length), v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        h = self.rms(x, self.scale2)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(100, 32)
        self.blocks = nn.Sequential(RotaryBlock(), RotaryBlock())

    def forward(self, ids):
        return self.blocks(self.tokens(ids)) @ self.tokens.weight.T


class Translator(nn.Module):
    """An encoder-decoder with cross attention and a causal mask."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(60, 32)
        self.core = nn.Transformer(32, 4, 2, 2, 64, batch_first=True)
        self.head = nn.Linear(32, 60)

    def forward(self, source, target):
        length = target.shape[1]
        mask = torch.triu(torch.full((length, length), float("-inf")), 1)
        return F.log_softmax(self.head(self.core(self.embedding(source), self.embedding(target), tgt_mask=mask)), -1)


def conv(cin, cout, kernel=3, stride=1, groups=1, act=nn.SiLU):
    return nn.Sequential(nn.Conv2d(cin, cout, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(cout), act())  # fmt: skip


class Detector(nn.Module):
    """YOLO's way: a neck with upsampling, two scales of heads decoded to boxes, then class-aware NMS."""

    def __init__(self, classes=5):
        super().__init__()
        self.stem = nn.Sequential(conv(3, 8, 3, 2), conv(8, 16, 3, 2))
        self.deep = nn.Sequential(conv(16, 32, 3, 2), conv(32, 32))
        self.pools = nn.MaxPool2d(5, 1, 2)
        self.merge = conv(32 * 3, 32, 1)
        self.lateral = conv(48, 32)
        self.heads = nn.ModuleList(nn.Conv2d(32, 4 + classes, 1) for _ in range(2))
        self.classes = classes

    def decode(self, y, stride):
        height, width = y.shape[-2:]
        v, u = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        centre = (torch.stack((u, v), 0) + 0.5) * stride
        near, far = (F.softplus(part) * stride for part in y[:, :4].chunk(2, 1))
        boxes = torch.cat((centre - near, centre + far), 1).flatten(2).transpose(1, 2)
        return boxes, y[:, 4:].sigmoid().flatten(2).transpose(1, 2)

    def forward(self, x):
        a = self.stem(x)
        b = self.deep(a)
        p = self.pools(b)
        b = self.merge(torch.cat((b, p, self.pools(p)), 1))
        a = self.lateral(torch.cat((a, F.interpolate(b, scale_factor=2.0, mode="nearest")), 1))
        parts = [self.decode(head(f), s) for head, f, s in zip(self.heads, (a, b), (4, 8))]
        boxes, scores = (torch.cat(p, 1)[0] for p in zip(*parts))
        best, label = scores.max(-1)
        keep = best > 0.45
        boxes, best, label = boxes[keep], best[keep], label[keep]
        kept = torchvision.ops.nms(boxes + label.unsqueeze(1) * 1000.0, best, 0.5)[:50]
        return boxes[kept], best[kept], label[kept]


class Recogniser(nn.Module):
    """CRNN: convolutions that flatten the height, two bidirectional LSTMs, CTC scores."""

    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(conv(1, 16, act=nn.ReLU), nn.MaxPool2d(2), conv(16, 32, act=nn.Hardswish),
                                 nn.MaxPool2d((2, 1)), conv(32, 32, act=nn.LeakyReLU), nn.AvgPool2d((4, 1)))  # fmt: skip
        self.rnn = nn.LSTM(32, 24, 2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(48, 40)

    def forward(self, x):
        x = self.cnn(x).squeeze(2).permute(0, 2, 1)
        return F.softmax(self.head(self.rnn(x)[0]), -1)


class Speech(nn.Module):
    """A Conformer-like encoder: subsampling, half feed-forwards, attention, gated depthwise convolution, GRU on top."""

    def __init__(self, width=32):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 8, 3, 2), nn.ReLU(), nn.Conv2d(8, 8, 3, 2), nn.ReLU())
        self.into = nn.Linear(8 * 9, width)
        self.feed = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 64), nn.SiLU(), nn.Linear(64, width))
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.glu = nn.Conv1d(width, 2 * width, 1)
        self.depth = nn.Conv1d(width, width, 7, padding=3, groups=width)
        self.batch = nn.BatchNorm1d(width)
        self.gru = nn.GRU(width, 16, batch_first=True, bidirectional=True)

    def forward(self, frames):
        x = self.down(frames.unsqueeze(1))
        x = self.into(x.transpose(1, 2).flatten(2))
        x = x + 0.5 * self.feed(x)
        h = self.norm(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        h = F.glu(self.glu(x.transpose(1, 2)), 1)
        x = x + F.silu(self.batch(self.depth(h))).transpose(1, 2)
        y, state = self.gru(x)
        return y, state


class Spectrogram(nn.Module):
    """Log-mel features from samples: STFT, power, a mel-like matrix, running statistics."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.register_buffer("mel", torch.rand(33, 12))

    def forward(self, samples):
        s = torch.stft(samples, 64, 32, window=self.window, center=False, return_complex=False, onesided=True)
        mel = (s.pow(2).sum(-1).transpose(1, 2) @ self.mel).clamp(min=1e-5).log()
        return (mel - mel.mean(1, keepdim=True)) / (mel.std(1, keepdim=True) + 1e-3)


class DenoiserBlock(nn.Module):
    def __init__(self, cin, cout, time):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, cin), nn.GroupNorm(4, cout)
        self.conv1, self.conv2 = nn.Conv2d(cin, cout, 3, padding=1), nn.Conv2d(cout, cout, 3, padding=1)
        self.time = nn.Linear(time, cout)
        self.skip = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(t))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))


class Denoiser(nn.Module):
    """A diffusion U-Net: sinusoidal time embedding, group norms, self and cross attention, skip connections."""

    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 32))
        self.begin = nn.Conv2d(4, 16, 3, padding=1)
        self.a, self.b, self.c = DenoiserBlock(16, 16, 32), DenoiserBlock(16, 32, 32), DenoiserBlock(48, 16, 32)
        self.down = nn.Conv2d(16, 16, 3, 2, 1)
        self.norm = nn.LayerNorm(32)
        self.q, self.kv, self.out = nn.Linear(32, 32), nn.Linear(24, 64), nn.Linear(32, 32)
        self.end = nn.Sequential(nn.GroupNorm(4, 16), nn.SiLU(), nn.Conv2d(16, 4, 3, padding=1))

    def forward(self, latent, step, context):
        f = torch.exp(-math.log(10000.0) * torch.arange(8) / 8)
        t = step[:, None].float() * f
        t = self.time(torch.cat((t.sin(), t.cos()), -1))
        x = self.a(self.begin(latent), t)
        h = self.b(self.down(x), t)
        n, c, height, width = h.shape
        s = h.flatten(2).transpose(1, 2)
        q = self.q(self.norm(s)).view(n, -1, 4, 8).transpose(1, 2)
        k, v = (y.view(n, -1, 4, 8).transpose(1, 2) for y in self.kv(context).chunk(2, -1))
        s = s + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        h = s.transpose(1, 2).reshape(n, c, height, width)
        h = F.interpolate(h, size=x.shape[-2:], mode="bilinear", align_corners=False)
        return self.end(self.c(torch.cat((x, h), 1), t))


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 32, 8, 8)
        self.cls = nn.Parameter(torch.randn(1, 1, 32))
        self.position = nn.Parameter(torch.randn(1, 17, 32))
        self.body = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(32, 4, 64, activation="gelu", batch_first=True, norm_first=True), 2,
            enable_nested_tensor=False)  # fmt: skip
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls.expand(x.shape[0], -1, -1), x), 1) + self.position
        return self.head(self.body(x)[:, 0])


class WindowTransformer(nn.Module):
    """Swin's way: windows cut by reshapes, a cyclic shift by roll, a relative bias taken by index."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.table = nn.Parameter(torch.randn(49, 2))
        grid = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")).flatten(1)
        apart = grid[:, :, None] - grid[:, None, :] + 3
        self.register_buffer("index", apart[0] * 7 + apart[1])

    def forward(self, x):
        n, height, width, c = x.shape
        y = torch.roll(x, (-2, -2), (1, 2))
        y = y.view(n, height // 4, 4, width // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        q, k, v = self.qkv(y).view(-1, 16, 3, 2, 8).permute(2, 0, 3, 1, 4).unbind(0)
        bias = self.table[self.index.flatten()].view(16, 16, 2).permute(2, 0, 1)
        y = (F.softmax(q @ k.transpose(-1, -2) / math.sqrt(8) + bias, -1) @ v).transpose(1, 2).reshape(-1, 16, c)
        y = self.out(y).view(n, height // 4, width // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(n, height, width, c)
        return x + torch.roll(y, (2, 2), (1, 2))


class Segmenter(nn.Module):
    """Dilated convolutions, transposed convolution, pixel shuffle, squeeze-and-excitation, argmax."""

    def __init__(self):
        super().__init__()
        self.a = conv(3, 16, 3, 2)
        self.b = nn.ModuleList(nn.Conv2d(16, 16, 3, padding=d, dilation=d) for d in (1, 2, 4))
        self.squeeze, self.excite = nn.Conv2d(48, 12, 1), nn.Conv2d(12, 48, 1)
        self.up = nn.ConvTranspose2d(48, 16, 3, 2, 1, output_padding=1)
        self.shuffle = nn.Conv2d(16, 24, 1)

    def forward(self, x):
        y = self.a(x)
        y = torch.cat([F.relu6(b(y)) for b in self.b], 1)
        y = y * F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))))
        y = F.pixel_shuffle(self.shuffle(F.elu(self.up(y))), 2)
        y = F.pad(y, (1, 1, 1, 1), mode="reflect")
        return y, y.argmax(1)


class Sampler(nn.Module):
    """What losses and post-processing use: topk, gather, scatter, cumsum, where, einsum, nonzero, grid sampling."""

    def forward(self, x, index, grid):
        value, place = x.flatten(1).topk(5, -1)
        taken = torch.gather(x.flatten(1), 1, index)
        spread = torch.zeros_like(x.flatten(1)).scatter(1, index, taken)
        mixed = torch.einsum("bchw,bdhw->bcd", x, x)
        sampled = F.grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
        picked = torch.where(x > 0.5, x.cumsum(-1), -x)
        return value, place, spread, mixed, sampled, picked, (x[0, 0] > 0.5).nonzero()


class Generator(nn.Module):
    """A loop that runs until its condition ends it, and a branch on data."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        total = torch.zeros_like(x)
        count = 0
        while bool(total.abs().sum() < 20.0) and count < 50:
            x = torch.tanh(self.linear(x)) + x * 0.1
            if bool(x.sum() > 0.0):
                total = total + x
            else:
                total = total - x * 2.0
            count += 1
        return total


def warm(model, *shape):
    """The model with batch statistics that suit its weights: otherwise deep networks fade to zero."""
    model.train()
    with torch.no_grad():
        for _ in range(20):
            model(torch.rand(*shape))
    return model


def integers(high, *shape):
    return torch.randint(0, high, shape)


MODELS = {
    "encoder": lambda: Case(
        Encoder(), {"ids": integers(100, 2, 9), "mask": (torch.arange(9) < torch.tensor([[9], [5]])).long()},
        {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "length"}},
        [{"ids": integers(100, 3, 4), "mask": torch.ones(3, 4, dtype=torch.long)}]),
    "language_model": lambda: Case(LanguageModel(), {"ids": integers(100, 1, 7)}, {"ids": {1: "length"}},
                                   [{"ids": integers(100, 1, 12)}]),
    "translator": lambda: Case(Translator(), {"source": integers(60, 1, 6), "target": integers(60, 1, 4)}),
    "detector": lambda: Case(Detector(), {"image": image(1, 3, 64, 64)}),
    "recogniser": lambda: Case(Recogniser(), {"line": image(1, 1, 16, 64)}, {"line": {3: "width"}},
                               [{"line": image(1, 1, 16, 100)}]),
    "speech": lambda: Case(Speech(), {"frames": torch.randn(1, 51, 40)}, {"frames": {1: "time"}},
                           [{"frames": torch.randn(1, 83, 40)}]),
    "spectrogram": lambda: Case(Spectrogram(), {"samples": torch.randn(1, 640)}),
    "denoiser": lambda: Case(Denoiser(), {"latent": torch.randn(2, 4, 16, 16), "step": torch.tensor([3, 700]),
                                          "context": torch.randn(2, 5, 24)}),
    "vision_transformer": lambda: Case(VisionTransformer(), {"image": image(2, 3, 32, 32)}, {"image": {0: "batch"}},
                                       [{"image": image(1, 3, 32, 32)}]),
    "window_transformer": lambda: Case(WindowTransformer(), {"x": torch.randn(1, 8, 8, 16)}),
    "segmenter": lambda: Case(Segmenter(), {"image": image(1, 3, 32, 48)}),
    "sampler": lambda: Case(Sampler(), {"x": image(2, 3, 6, 5), "index": integers(90, 2, 4),
                                        "grid": torch.rand(2, 4, 4, 2) * 2 - 1}),
    "generator": lambda: Case(torch.jit.script(Generator()), {"x": torch.randn(3, 8)}, exporters=("script",)),
    "resnet18": lambda: Case(warm(torchvision.models.resnet18(), 4, 3, 64, 64), {"image": image(1, 3, 64, 64)}),
    "mobilenet_v3": lambda: Case(warm(torchvision.models.mobilenet_v3_small(), 4, 3, 64, 64), {"image": image(1, 3, 64, 64)}),
    "efficientnet": lambda: Case(warm(torchvision.models.efficientnet_b0(), 4, 3, 64, 64), {"image": image(1, 3, 64, 64)}),
    "ssdlite": lambda: Case(torchvision.models.detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5, detections_per_img=20, score_thresh=0.01), {"image": image(1, 3, 320, 320)},
        exporters=("script",)),
}  # fmt: skip
