"""Small modules of which ExecuTorch lowers (nearly) everything to XNNPACK: (module, inputs) by name."""
import torch
import torch.nn.functional as F
from torch import nn


class Calls(nn.Module):
    """What a function makes of its inputs; `parts` are modules or parameters that it uses."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def normal(*shape):
    return torch.randn(*shape)


def seq(*modules):
    return nn.Sequential(*modules)


IMAGE = (1, 8, 12, 10)
SPREAD = 3  # of the numbers that calls are given
GRAPHS = {
    "add": lambda: (Calls(lambda s, x, y: x + y), (normal(2, 3), normal(2, 3))),
    "add-relu": lambda: (Calls(lambda s, x, y: F.relu(x + y)), (normal(2, 3), normal(2, 3))),
    "sub-mul": lambda: (Calls(lambda s, x, y: (x - y) * y), (normal(2, 3), normal(2, 3))),
    "broadcast": lambda: (Calls(lambda s, x, y: x + y), (normal(2, 3, 4), normal(4))),
    "numbers": lambda: (Calls(lambda s, x: x * 3.0 + 1.5), (normal(2, 5),)),
    "bounds": lambda: (Calls(lambda s, x, y: torch.maximum(x, y) / torch.minimum(x, y).clamp(1, 2)), (normal(2, 5), normal(2, 5))),
    "unary": lambda: (Calls(lambda s, x: torch.abs(x).sqrt() + x.floor() + x.ceil() - (-x) + x * x + torch.exp(x) + torch.rsqrt(x.abs() + 1)
                            + torch.log(x.abs() + 1) + x.sin() * x.cos()), (normal(2, 5),)),
    "activations": lambda: (Calls(lambda s, x: torch.sigmoid(x) + torch.tanh(x) * F.hardtanh(x, -0.5, 0.7) + F.gelu(x)
                                  + F.leaky_relu(x, 0.2) + F.elu(x)), (normal(2, 5),)),
    "square": lambda: (Calls(lambda s, x: x.pow(2) + torch.square(x)), (normal(2, 5),)),
    "cat": lambda: (Calls(lambda s, x, y: torch.cat([x, y, x, y, x, y], 1)), (normal(2, 5), normal(2, 3))),
    "slice": lambda: (Calls(lambda s, x: x[:, 1:4] * 2), (normal(2, 5),)),
    "permute": lambda: (Calls(lambda s, x: x.permute(0, 2, 1).reshape(2, -1) + 1), (normal(2, 5, 3),)),
    "view": lambda: (Calls(lambda s, x: torch.sigmoid(x.view(2, 6))), (normal(2, 3, 2),)),
    "squeeze": lambda: (Calls(lambda s, x: torch.sigmoid(x.squeeze(1).unsqueeze(-1))), (normal(2, 1, 3),)),
    "softmax": lambda: (nn.Softmax(-1), (normal(2, 5),)),
    "pad": lambda: (Calls(lambda s, x: F.pad(x, (1, 2, 0, 1), value=0.5)), (normal(*IMAGE),)),
    "linear": lambda: (nn.Linear(4, 6), (normal(3, 4),)),
    "linear-relu": lambda: (seq(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2, bias=False)), (normal(2, 3, 4),)),
    "linear-norm": lambda: (seq(nn.Linear(4, 6), nn.BatchNorm1d(6)), (normal(3, 4),)),
    "product": lambda: (Calls(lambda s, x: x @ s.w, w=nn.Parameter(normal(4, 5))), (normal(3, 4),)),
    "batch-product": lambda: (Calls(lambda s, x, y: torch.bmm(x, y)), (normal(2, 5, 3), normal(2, 3, 4))),
    "attention": lambda: (Calls(lambda s, q, k, v: F.scaled_dot_product_attention(q, k, v)), tuple(normal(1, 2, 5, 4) for _ in range(3))),
    "conv": lambda: (nn.Conv2d(8, 4, 3, stride=2, padding=1), (normal(*IMAGE),)),
    "conv-relu": lambda: (seq(nn.Conv2d(8, 4, 3, padding=(1, 0)), nn.ReLU(), nn.Conv2d(4, 5, 1, bias=False)), (normal(*IMAGE),)),
    "conv-norm": lambda: (seq(nn.Conv2d(8, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU6()), (normal(*IMAGE),)),
    "conv-depth": lambda: (seq(nn.Conv2d(8, 8, 3, groups=8), nn.Hardswish(), nn.Conv2d(8, 16, 3, groups=8)), (normal(*IMAGE),)),
    "conv-groups": lambda: (nn.Conv2d(8, 4, 3, groups=2, dilation=2), (normal(*IMAGE),)),
    "conv-1d": lambda: (nn.Conv1d(8, 4, 3), (normal(1, 8, 12),)),
    "conv-1d-norm": lambda: (seq(nn.Conv1d(8, 4, 3, padding=1), nn.BatchNorm1d(4)), (normal(1, 8, 12),)),
    "conv-transposed": lambda: (nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1), (normal(*IMAGE),)),
    "norm": lambda: (seq(nn.ReLU(), nn.BatchNorm2d(8)), (normal(*IMAGE),)),
    "residual": lambda: (Calls(lambda s, x: F.relu(s.norm(s.conv(x)) + x), conv=nn.Conv2d(8, 8, 3, padding=1, bias=False), norm=nn.BatchNorm2d(8)),
                         (normal(*IMAGE),)),
    "pool": lambda: (seq(nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2)), (normal(*IMAGE),)),
    "pool-up": lambda: (nn.MaxPool2d(3, 2, ceil_mode=True), (normal(*IMAGE),)),
    "pool-padded": lambda: (nn.AvgPool2d(3, 2, 1, count_include_pad=False), (normal(*IMAGE),)),
    "mean": lambda: (Calls(lambda s, x: x.mean((2, 3), keepdim=True)), (normal(*IMAGE),)),
    "mean-linear": lambda: (seq(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3)), (normal(*IMAGE),)),
    "resize": lambda: (nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), (normal(*IMAGE),)),
    "resize-plain": lambda: (nn.Upsample(scale_factor=2, mode="bilinear"), (normal(*IMAGE),)),
    "images": lambda: (seq(nn.Conv2d(2, 3, 1), nn.AvgPool2d(3, 2, 1, count_include_pad=False), nn.AvgPool2d((2, 1), (1, 2), divisor_override=2), nn.PReLU(3),
                           nn.Upsample(scale_factor=2, mode="bilinear"), nn.Upsample(size=(7, 9), mode="bilinear", align_corners=True)), (normal(1, 2, 9, 11),)),
    "lines": lambda: (seq(nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2), nn.Conv1d(6, 4, 2, bias=False), nn.BatchNorm1d(4), nn.ReLU(),
                          nn.ConvTranspose1d(4, 2, 3, stride=2, padding=1, output_padding=1)), (normal(2, 4, 13),)),
    "turned": lambda: (Calls(lambda s, x: F.relu(s.l(x.permute(0, 2, 1))), l=nn.Linear(3, 4)), (normal(2, 3, 5),)),
    "last": lambda: (seq(nn.Conv2d(2, 3, (3, 2)), nn.ReLU()), (normal(1, 2, 4, 5).to(memory_format=torch.channels_last),)),
    "prelu": lambda: (seq(nn.Conv2d(8, 4, 3), nn.PReLU(4)), (normal(*IMAGE),)),
    "cat-images": lambda: (Calls(lambda s, x: torch.cat([s.a(x), x], 1), a=nn.Conv2d(8, 8, 1)), (normal(*IMAGE),)),
    "mul-images": lambda: (Calls(lambda s, x: s.a(x) * torch.sigmoid(s.b(x.mean((2, 3), keepdim=True))), a=nn.Conv2d(8, 8, 1), b=nn.Conv2d(8, 8, 1)),
                           (normal(*IMAGE),)),
}


# All are quantised by the quantizer of XNNPACK, too: with one scale for a weight, these with one for each channel that comes out.
BY_CHANNEL = ("linear-relu", "conv-relu", "conv-depth", "conv-groups", "conv-1d")
GRAPHS |= {
    "relu": lambda: (Calls(lambda s, x, y: F.relu(x) * y), (normal(2, 5), normal(2, 5))),
    "bounded": lambda: (Calls(lambda s, x, y: F.hardtanh(x, -0.5, 2.5) + F.relu6(y)), (normal(2, 5), normal(2, 5))),
    "hard": lambda: (Calls(lambda s, x: F.hardswish(s.a(x)) + F.hardsigmoid(s.b(x)), a=nn.Conv2d(8, 8, 1), b=nn.Conv2d(8, 8, 1)), (normal(*IMAGE),)),
    "padded": lambda: (seq(nn.ZeroPad2d((1, 2, 0, 1)), nn.Conv2d(8, 4, 3), nn.ReLU6()), (normal(*IMAGE),)),
    "flat": lambda: (seq(nn.Conv2d(8, 4, 3), nn.Flatten(), nn.Dropout(), nn.Linear(320, 3)), (normal(*IMAGE),)),
    "shuffled": lambda: (Calls(lambda s, x: s.b(s.a(x).view(1, 2, 4, 12, 10).transpose(1, 2).reshape(1, 8, 12, 10)), a=nn.Conv2d(8, 8, 1),
                               b=nn.Conv2d(8, 4, 1)), (normal(*IMAGE),)),
}
NAMES = [*GRAPHS, *(f"{name}, quantised" for name in GRAPHS), *(f"{name}, by channel" for name in BY_CHANNEL)]


def quantised(module, inputs, by_channel):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=by_channel))
    made = prepare_pt2e(torch.export.export(module, inputs, strict=False).module(), quantizer)
    torch.manual_seed(1)
    for _ in range(3):
        made(*[torch.randn_like(x) * SPREAD for x in inputs])
    return convert_pt2e(made)


def made(name):
    """The module and its inputs; "NAME, quantised" and "NAME, by channel" are quantised."""
    name, _, how = name.partition(", ")
    module, inputs = plain(name)
    if not how:
        return module, inputs
    inputs = tuple(x * SPREAD for x in inputs)
    return quantised(module, inputs, how == "by channel"), inputs


def plain(name):
    torch.manual_seed(0)
    module, inputs = GRAPHS[name]()
    for part in module.modules():
        if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d)):
            part.running_mean.normal_(), part.running_var.uniform_(0.5, 2), part.weight.data.normal_(), part.bias.data.normal_()
    return module.eval().requires_grad_(False), inputs
