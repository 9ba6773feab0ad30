"""How a graph is compiled: the knobs of CompileConfig and the flags of atc that they stand for."""

from dataclasses import dataclass, fields

_LEVELS = {0: "O0", 1: "O1", 2: "O3", 3: "O3"}


@dataclass
class CompileConfig:
    """Every knob is the atc flag of the same meaning, and is checked as atc checks it.

    Parameters
    ----------
    graph_opt_level : 0 to 3
        0 and 1 make only the rewrites without which nothing runs (--oo_level=O1); 2 and 3 make all.
    enable_const_fold : bool
        --oo_constant_folding.
    enable_mem_reuse : bool
        --disable_reuse_memory, turned around.
    precision_mode : str
        --precision_mode, or a word of --precision_mode_v2.
    buffer_optimize_level : 0 to 2
        0 switches buffer fusion off (elementwise operators stay tasks of their own).
    soc_version : str
    enable_single_stream : bool
    multi_stream_parallel_mode : str, optional
        "cv", "LoadBalance:N" or "MainStream:N".
    flags : dict, optional
        Further flags of atc by name, such as {"modify_mixlist": "ops.json"}.
    """

    graph_opt_level: int = 3
    enable_const_fold: bool = True
    enable_mem_reuse: bool = True
    precision_mode: str = "force_fp16"
    buffer_optimize_level: int = 2
    soc_version: str = "Ascend910B3"
    enable_single_stream: bool = False
    multi_stream_parallel_mode: str | None = None
    flags: dict | None = None

    def __post_init__(self):
        for name, top in (("graph_opt_level", 3), ("buffer_optimize_level", 2)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= top:
                raise ValueError(f"{name} is a whole number from 0 to {top}, not {value!r}")
        for name in ("enable_const_fold", "enable_mem_reuse", "enable_single_stream"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} is True or False, not {getattr(self, name)!r}")
        for name in ("precision_mode", "soc_version"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} is a text, not {getattr(self, name)!r}")
        if not isinstance(self.flags, (dict, type(None))):
            raise TypeError(f"flags are given as {{name: value}}, not as {type(self.flags).__name__}")
        self.validate()

    def to_flags(self, switches=None):
        """The flags of atc, as a list. `switches`: {pass name: on?}, from fusion scopes."""
        older = {"force_fp16", "force_fp32", "cube_fp16in_fp32out", "allow_mix_precision", "allow_mix_precision_fp16",
                 "allow_mix_precision_bf16", "allow_fp32_to_fp16", "allow_fp32_to_bf16",
                 "must_keep_origin_dtype"}  # fmt: skip
        spelling = "precision_mode" if self.precision_mode in older else "precision_mode_v2"
        flags = [
            f"--soc_version={self.soc_version}",
            f"--{spelling}={self.precision_mode}",
            f"--disable_reuse_memory={0 if self.enable_mem_reuse else 1}",
            f"--enable_single_stream={'true' if self.enable_single_stream else 'false'}",
        ]
        if self.multi_stream_parallel_mode:
            flags.append(f"--multi_stream_parallel_mode={self.multi_stream_parallel_mode}")
        if self.graph_opt_level < 2:
            flags.append("--oo_level=O1")
        flags.append(f"--oo_constant_folding={'true' if self.enable_const_fold else 'false'}")
        all_switches = dict(switches or {})
        if self.buffer_optimize_level == 0:
            all_switches.update(HeavyElementwiseFusionPass=False, ElementwiseChainFusionPass=False)
        if all_switches:
            words = (f"{name}:{'on' if on else 'off'}" for name, on in sorted(all_switches.items()))
            flags.append("--optimization_switch=" + ";".join(words))
        return flags + [f"--{name}={value}" for name, value in (self.flags or {}).items()]

    def validate(self):
        """Raises pyasc.Error, with atc's code, for what atc would refuse."""
        from . import _core

        _core.options(self.to_flags())

    def __repr__(self):
        changed = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default)
        return f"CompileConfig({', '.join(changed)})"
