"""Operators in the words that Python users know, on top of the generated methods."""

import functools
import inspect

from .errors import LayoutError
from .operators import naming
from .tensor import SymbolicTensor

_NCHW_TO_NHWC = (0, 2, 3, 1)
_NHWC_TO_NCHW = (0, 3, 1, 2)


def _pair(value, what):
    values = (value, value) if not isinstance(value, (tuple, list)) else tuple(value)
    if len(values) != 2:
        raise ValueError(f"{what} must be a number or a pair (height, width), not {value!r}")
    return [int(v) for v in values]


def _pads(padding):
    """[top, bottom, left, right] of a number, (height, width) or (top, bottom, left, right)."""
    if isinstance(padding, (tuple, list)) and len(padding) == 4:
        return [int(v) for v in padding]
    height, width = _pair(padding, "padding")
    return [height, height, width, width]


def _axes(axis):
    return list(axis) if isinstance(axis, (tuple, list)) else [int(axis)]


class Functions:
    """Mixed into Context."""

    def _require_layout(self, x, layout, user):
        """Raises LayoutError where `x` is known to be laid out in another way than an operator needs."""
        if x.ndim != 4 or x.layout == layout:
            return
        perm = _NCHW_TO_NHWC if layout == "NHWC" else _NHWC_TO_NCHW
        raise LayoutError(
            f"'{user}' takes {layout}, but '{x.node}' gives {x.layout}: insert ctx.transpose({x.name}, "
            f"perm={list(perm)}) between them"
        )

    def conv2d(self, x, weight, bias=None, kernel_size=None, stride=1, padding=0, dilation=1, groups=1, name=None):
        """Two-dimensional convolution of NCHW data.

        Parameters
        ----------
        x : tensor [N, C, H, W]
        weight : tensor or array [M, C / groups, kernel height, kernel width]
        bias : tensor or array [M], optional
        kernel_size : int or pair, optional
            Checked against the weight.
        stride, dilation : int or pair
        padding : int, (height, width) or (top, bottom, left, right)
        groups : int

        Returns
        -------
        y : SymbolicTensor [N, M, H', W']
        """
        weight = self._operand(weight, like=x)
        if kernel_size is not None and weight.ndim == 4:
            wanted, found = _pair(kernel_size, "kernel_size"), list(weight.shape[2:])
            if wanted != found:
                raise ValueError(f"kernel_size is {wanted}, but the weight {weight.name} has {found}")
        self._require_layout(x, "NCHW", name or "conv2d")
        attributes = {"strides": [1, 1, *_pair(stride, "stride")], "pads": _pads(padding),
                      "dilations": [1, 1, *_pair(dilation, "dilation")], "groups": int(groups),
                      "data_format": "NCHW"}  # fmt: skip
        inputs = [x, weight] if bias is None else [x, weight, self._operand(bias, like=x)]
        return self._add("Conv2D", inputs, attributes, name=name, layout="NCHW")

    def conv2d_custom(self, x, weight, bias=None, expected_format="NHWC", name=None, **keywords):
        """A convolution that insists on the layout of its input and gives its output in the same one.

        Raises LayoutError where `x` is laid out in another way; parameters are those of conv2d.
        """
        if expected_format not in ("NCHW", "NHWC"):
            raise ValueError(f"expected_format is NCHW or NHWC, not {expected_format!r}")
        self._require_layout(x, expected_format, name or "conv2d_custom")
        if expected_format == "NCHW":
            return self.conv2d(x, weight, bias, name=name, **keywords)
        y = self.conv2d(self.transpose(x, _NHWC_TO_NCHW), weight, bias, name=name, **keywords)
        return self.transpose(y, _NCHW_TO_NHWC)

    def conv_transpose2d(self, x, weight, bias=None, stride=1, padding=0, output_padding=0, dilation=1, groups=1,
                         name=None):  # fmt: skip
        """Transposed convolution of NCHW data; weight [C, M / groups, kernel height, kernel width]."""
        attributes = {"strides": [1, 1, *_pair(stride, "stride")], "pads": _pads(padding),
                      "dilations": [1, 1, *_pair(dilation, "dilation")], "groups": int(groups),
                      "output_padding": [0, 0, *_pair(output_padding, "output_padding")],
                      "data_format": "NCHW"}  # fmt: skip
        # An input_size of zeros leaves the output's size to the other parameters.
        inputs = [[0, 0, 0, 0], x, self._operand(weight, like=x)]
        if bias is not None:
            inputs.append(self._operand(bias, like=x))
        return self._add("Conv2DTranspose", inputs, attributes, name=name, layout="NCHW")

    def _pool2d(self, type_, x, kernel_size, stride, padding, ceil_mode, name, **more):
        kernel = _pair(kernel_size, "kernel_size")
        self._require_layout(x, "NCHW", name or type_)
        attributes = {"ksize": [1, 1, *kernel], "pads": _pads(padding), "ceil_mode": bool(ceil_mode),
                      "strides": [1, 1, *(kernel if stride is None else _pair(stride, "stride"))],
                      "padding_mode": "CALCULATED", "data_format": "NCHW", **more}  # fmt: skip
        return self._add(type_, [x], attributes, name=name, layout="NCHW")

    def max_pool2d(self, x, kernel_size, stride=None, padding=0, ceil_mode=False, name=None):
        """The largest value of each window of NCHW data; the stride is the kernel's size unless given."""
        return self._pool2d("MaxPoolV3", x, kernel_size, stride, padding, ceil_mode, name)

    def avg_pool2d(self, x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, name=None):
        """The mean of each window of NCHW data; the stride is the kernel's size unless given."""
        return self._pool2d("AvgPoolV2", x, kernel_size, stride, padding, ceil_mode, name,
                            exclusive=not count_include_pad)  # fmt: skip

    def batch_norm(self, x, scale, offset, mean, variance, epsilon=1e-5, name=None):
        """Normalisation by given statistics, one of each for a channel."""
        inputs = [x] + [self._operand(v, like=x) for v in (scale, offset, mean, variance)]
        attributes = {"epsilon": float(epsilon), "is_training": False, "data_format": "NCHW"}
        return self._add("BatchNorm", inputs, attributes, name=name, layout=x.layout)

    def layer_norm(self, x, gamma, beta, axis=-1, epsilon=1e-5, name=None):
        """Normalisation over the axes from `axis` on."""
        axis = axis % x.ndim
        attributes = {"begin_norm_axis": axis, "begin_params_axis": axis, "epsilon": float(epsilon)}
        inputs = [x, self._operand(gamma, like=x), self._operand(beta, like=x)]
        return self._add("LayerNormV3", inputs, attributes, name=name)

    def matmul(self, a, b, transpose_a=False, transpose_b=False, name=None):
        """Matrix product, batched over leading dims."""
        a = self._operand(a, like=b if isinstance(b, SymbolicTensor) else None)
        b = self._operand(b, like=a)
        if a.ndim == 2 and b.ndim == 2:
            return self._add("MatMulV2", [a, b], {"transpose_x1": transpose_a, "transpose_x2": transpose_b}, name=name)
        return self._add("BatchMatMulV2", [a, b], {"adj_x1": transpose_a, "adj_x2": transpose_b}, name=name)

    def linear(self, x, weight, bias=None, name=None):
        """x times the transposed weight [out, in], plus bias [out]."""
        y = self.matmul(x, weight, transpose_b=True, name=name)
        return y if bias is None else y + bias

    def transpose(self, x, perm, name=None):
        """The axes in another order; of four dims the layout follows."""
        perm = [int(p) for p in perm]
        layout = None
        if len(perm) == 4 and isinstance(x, SymbolicTensor) and x.layout in ("NCHW", "NHWC"):
            layout = "".join(x.layout[p] for p in perm)
            layout = layout if layout in ("NCHW", "NHWC") else "ND"
        return self._add("Transpose", [x, perm], {}, name=name, layout=layout)

    def reshape(self, x, shape, name=None):
        """The same elements under another shape; one -1 stands for what is left."""
        return self._add("Reshape", [x, list(shape)], {}, name=name)

    def squeeze(self, x, axis=None, name=None):
        """Without the given axes of length 1, or without all of them."""
        return self._add("Squeeze", [x], {} if axis is None else {"axis": _axes(axis)}, name=name)

    def unsqueeze(self, x, axes, name=None):
        """With axes of length 1 at the given places of the result."""
        return self._add("Unsqueeze", [x], {"axes": _axes(axes)}, name=name)

    def concat(self, tensors, axis=0, name=None):
        """The tensors one after the other along an axis."""
        tensors = list(tensors)
        like = next((t for t in tensors if isinstance(t, SymbolicTensor)), None)
        if like is None:
            raise TypeError("a list with a symbolic tensor is wanted")
        tensors = [self._operand(t, like=like) for t in tensors]
        return self._add("ConcatD", tensors, {"concat_dim": int(axis), "N": len(tensors)}, name=name,
                         layout=like.layout)  # fmt: skip

    def split(self, x, parts, axis=0, name=None):
        """A tuple: `parts` equal pieces, or pieces of the sizes that a list gives."""
        if isinstance(parts, (tuple, list)):
            return self._add("SplitV", [x, list(parts), axis], {"num_split": len(parts)}, name=name,
                             num_outputs=len(parts), always_tuple=True)  # fmt: skip
        return self._add("SplitD", [x], {"split_dim": int(axis), "num_split": int(parts)}, name=name,
                         num_outputs=int(parts), always_tuple=True)  # fmt: skip

    def softmax(self, x, axis=-1, name=None):
        """exp(x) over its sum along an axis."""
        return self._add("SoftmaxV2", [x], {"axes": _axes(axis)}, name=name, layout=x.layout)

    def log_softmax(self, x, axis=-1, name=None):
        """The logarithm of softmax."""
        return self._add("LogSoftmaxV2", [x], {"axes": _axes(axis)}, name=name, layout=x.layout)

    def cast(self, x, dtype, name=None):
        """The same values in another type."""
        from .dtypes import number_of

        return self._add("Cast", [x], {"dst_type": number_of(dtype)}, name=name, layout=x.layout)

    def clip(self, x, low=None, high=None, name=None):
        """Values below `low` or above `high` become these."""
        import numpy as np

        from .dtypes import number_of, numpy_of

        kind = numpy_of(number_of(x.dtype))
        limits = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
        low, high = limits.min if low is None else low, limits.max if high is None else high
        return self._add("ClipByValue", [x, self._operand(low, like=x), self._operand(high, like=x)], {}, name=name,
                         layout=x.layout)  # fmt: skip

    def where(self, condition, x, y, name=None):
        """x where the condition holds, else y."""
        like = next((t for t in (x, y) if isinstance(t, SymbolicTensor)), None)
        return self._add("SelectV2", [condition, self._operand(x, like=like), self._operand(y, like=like)], {},
                         name=name)  # fmt: skip

    def equal(self, x, y, name=None):
        """Elementwise equality (== tells whether two names stand for one tensor)."""
        return self._add("Equal", [x, self._operand(y, like=x)], {}, name=name)

    def gather(self, x, indices, axis=0, name=None):
        """The slices of `x` along an axis that the indices name."""
        return self._add("GatherV2", [x, indices, axis], {}, name=name)

    def _reduce(self, type_, x, axis, keepdims, name):
        axes = list(range(x.ndim)) if axis is None else _axes(axis)
        return self._add(type_, [x, axes], {"keep_dims": bool(keepdims)}, name=name)

    def sum(self, x, axis=None, keepdims=False, name=None):
        """The sum over the given axes, or over all."""
        return self._reduce("ReduceSum", x, axis, keepdims, name)

    def mean(self, x, axis=None, keepdims=False, name=None):
        """The mean over the given axes, or over all."""
        return self._reduce("ReduceMean", x, axis, keepdims, name)

    def max(self, x, axis=None, keepdims=False, name=None):
        """The largest value over the given axes, or over all."""
        return self._reduce("ReduceMax", x, axis, keepdims, name)

    def min(self, x, axis=None, keepdims=False, name=None):
        """The smallest value over the given axes, or over all."""
        return self._reduce("ReduceMin", x, axis, keepdims, name)


def _checked(method):
    """The first operand may be an array too; faults of arguments name the method and the node."""
    first = list(inspect.signature(method).parameters)[1]

    @naming
    @functools.wraps(method)
    def operator(self, *arguments, **keywords):
        if first == "x":
            if arguments:
                arguments = (self._operand(arguments[0]), *arguments[1:])
            elif "x" in keywords:
                keywords["x"] = self._operand(keywords["x"])
        return method(self, *arguments, **keywords)

    return operator


for _name, _method in list(vars(Functions).items()):
    if not _name.startswith("_"):
        setattr(Functions, _name, _checked(_method))
