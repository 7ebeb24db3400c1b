"""Networks with random weights and small inputs: tests/frontends/executorch_networks.py lowers them."""
import torch
import torch.nn.functional as F
import torchvision.models as vision
from torch import nn


class Recurrent(nn.Module):
    """Layers of one kind over a sequence, and a product behind them."""

    def __init__(self, kind, **options):
        super().__init__()
        self.layers = kind(8, 16, batch_first=True, **options)
        self.out = nn.Linear(32 if options.get("bidirectional") else 16, 4)

    def forward(self, x):
        return self.out(self.layers(x)[0])


def encoder(**options):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0, **options)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


class Masked(nn.Module):
    """A decoder's attention: positions see those before them."""

    def __init__(self):
        super().__init__()
        self.layers = encoder()
        self.register_buffer("mask", torch.triu(torch.full((6, 6), float("-inf")), 1))

    def forward(self, x):
        return self.layers(x, mask=self.mask, is_causal=False)  # else the values of the mask are asked


class Translated(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)

    def forward(self, x, y):
        return self.both(x, y)


class Patches(nn.Module):
    """A vision transformer."""

    def __init__(self):
        super().__init__()
        self.cut, self.first = nn.Conv2d(3, 32, 8, 8), nn.Parameter(torch.rand(1, 1, 32))
        self.layers, self.out = encoder(activation="gelu", norm_first=True), nn.Linear(32, 10)

    def forward(self, x):
        y = self.cut(x).flatten(2).transpose(1, 2)
        return self.out(self.layers(torch.cat([self.first.expand(y.shape[0], -1, -1), y], 1))[:, 0])


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.columns = nn.Sequential(nn.Linear(8, 16), nn.Hardswish(), nn.Linear(16, 8))
        self.norm = nn.LayerNorm(8)

    def forward(self, x):
        x = x + self.rows(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.columns(self.norm(x))


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())
        self.down, self.deep, self.up, self.out = block(3, 8), block(8, 16), block(24, 8), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.down(x)
        b = F.interpolate(self.deep(F.max_pool2d(a, 2)), scale_factor=2.0, mode="nearest")
        return torch.sigmoid(self.out(self.up(torch.cat([a, b], 1))))


class Waves(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = nn.ModuleList([nn.Conv1d(4, 8, 2, dilation=2 ** k) for k in range(3)])
        self.thin = nn.ModuleList([nn.Conv1d(4, 4, 1) for _ in range(3)])

    def forward(self, x):
        total = 0
        for k, (wide, thin) in enumerate(zip(self.wide, self.thin)):
            a, b = wide(F.pad(x, (2 ** k, 0))).chunk(2, 1)
            y = torch.tanh(a) * torch.sigmoid(b)
            x, total = x + thin(y), total + y
        return total


class Decoder(nn.Module):
    """One layer of a language model with a cache of keys and values."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.words = heads, nn.Embedding(32, width)
        self.q, self.k, self.v, self.o = [nn.Linear(width, width, bias=False) for _ in range(4)]
        self.up, self.gate, self.down = [nn.Linear(*s, bias=False) for s in [(width, 32), (width, 32), (32, width)]]
        self.scale = nn.Parameter(torch.ones(width))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, heads, 8, width // heads))
        self.register_buffer("mask", torch.tril(torch.ones(8, 8, dtype=torch.bool)))

    def norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.scale

    def forward(self, tokens, at):
        x = self.words(tokens)
        n, t, c = x.shape
        y = self.norm(x)
        q, k, v = [m(y).view(n, t, self.heads, -1).transpose(1, 2) for m in (self.q, self.k, self.v)]
        self.keys.index_copy_(2, at, k)
        self.values.index_copy_(2, at, v)
        a = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=self.mask[at])
        x = x + self.o(a.transpose(1, 2).reshape(n, t, c))
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Bert(nn.Module):
    """Words, places, an encoder, a pooled answer."""

    def __init__(self):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(50, 32), nn.Embedding(8, 32), nn.LayerNorm(32)
        self.layers, self.pool = encoder(activation="gelu"), nn.Linear(32, 32)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        return torch.tanh(self.pool(self.layers(self.norm(x))[:, 0]))


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.shrink = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ELU(), nn.Conv2d(8, 4, 3, 2, 1))
        self.grow = nn.Sequential(nn.ConvTranspose2d(4, 8, 4, 2, 1), nn.LeakyReLU(0.1), nn.ConvTranspose2d(8, 1, 4, 2, 1))

    def forward(self, x):
        z = self.shrink(x)
        return torch.sigmoid(self.grow(z)), z.mean((2, 3))


class Detector(nn.Module):
    """Two heads over two scales."""

    def __init__(self):
        super().__init__()
        block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, 2, 1, bias=False), nn.BatchNorm2d(b), nn.SiLU())
        self.one, self.two, self.side = block(3, 8), block(8, 16), nn.Conv2d(16, 8, 1)
        self.boxes, self.classes = nn.Conv2d(8, 4, 1), nn.Conv2d(8, 5, 1)

    def forward(self, x):
        a = self.one(x)
        b = self.side(self.two(a))
        a = a + F.interpolate(b, scale_factor=2.0, mode="nearest")
        rows = [torch.cat([self.boxes(y), self.classes(y)], 1).flatten(2) for y in (a, b)]
        return torch.cat(rows, 2).transpose(1, 2)


def pictures(size=32, channels=3):
    return (torch.rand(1, channels, size, size),)


def seen(maker, size=32, **options):
    return lambda: (maker(weights=None, num_classes=10, **options), pictures(size))


def made(maker, *shapes):
    return lambda: (maker(), tuple(torch.rand(*s) for s in shapes))


def headed():
    """Its last layer is made of zeros, which hide everything before them."""
    made = vision.VisionTransformer(32, 16, 2, 2, 32, 64, num_classes=10)
    nn.init.normal_(made.heads.head.weight)
    return made


def normed(maker, size, **options):
    """With statistics of its batch norms: without, 94 layers of small weights shrink the picture away, and only biases are seen at the end."""
    made, given = maker(weights=None, num_classes=10, **options), pictures(size)
    with torch.no_grad():
        for _ in range(50):
            made.train()(pictures(size)[0].repeat(2, 1, 1, 1) + torch.rand(2, 1, 1, 1))
    return made, given


CONVNEXT = [vision.convnext.CNBlockConfig(16, 32, 1), vision.convnext.CNBlockConfig(32, None, 1)]
# name: (module, inputs), made anew
NETWORKS = {
    "autoencoder": made(Autoencoder, (1, 1, 16, 16)),
    "bert": lambda: (Bert(), (torch.randint(0, 50, (1, 6)),)),
    "convnext": lambda: (vision.convnext.ConvNeXt(CONVNEXT, num_classes=10), pictures()),
    "decoder": lambda: (Decoder(), (torch.tensor([[3, 4]]), torch.tensor([0, 1]))),
    "detector": made(Detector, (1, 3, 16, 16)),
    "encoder": made(encoder, (1, 6, 32)),
    "gru": made(lambda: Recurrent(nn.GRU), (1, 4, 8)),
    "gru_both_ways": made(lambda: Recurrent(nn.GRU, bidirectional=True), (1, 3, 8)),
    "lstm": made(lambda: Recurrent(nn.LSTM), (1, 4, 8)),
    "lstm_two_layers": made(lambda: Recurrent(nn.LSTM, num_layers=2), (1, 3, 8)),
    "masked": made(Masked, (1, 6, 32)),
    "mixer": made(Mixer, (1, 16, 8)),
    "mobilenet_v2": seen(vision.mobilenet_v2, width_mult=0.25),
    "mobilenet_v3_small": seen(vision.mobilenet_v3_small, width_mult=0.25),
    "patches": made(Patches, (1, 3, 32, 32)),
    "rnn": made(lambda: Recurrent(nn.RNN), (1, 4, 8)),
    "shufflenet": seen(vision.shufflenet_v2_x0_5),
    "squeezenet": seen(vision.squeezenet1_1, 48),
    "swin": lambda: (vision.swin_transformer.SwinTransformer([4, 4], 16, [1, 1], [2, 2], [4, 4], num_classes=10), pictures()),
    "translated": made(Translated, (1, 4, 16), (1, 3, 16)),
    "unet": made(Unet, (1, 3, 16, 16)),
    "waves": made(Waves, (1, 4, 16)),
    "mnasnet": seen(vision.mnasnet0_5),
    "resnet18": seen(vision.resnet18, width_per_group=64),
    "vit": lambda: (headed(), pictures()),
    "alexnet": seen(vision.alexnet, 64),
    "vgg11": seen(vision.vgg11, 32),
    "googlenet": seen(vision.googlenet, 64, aux_logits=False, init_weights=False),
    "efficientnet": seen(vision.efficientnet_b0),
    "regnet": seen(vision.regnet_y_400mf),
    "densenet": lambda: (vision.DenseNet(8, (2, 2, 2), 16, num_classes=10), pictures(64)),
    "inception": lambda: normed(vision.inception_v3, 96, aux_logits=False, init_weights=False),
}
