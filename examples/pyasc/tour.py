"""A tour of pyasc, in cells."""

# %% A graph
import tempfile
from pathlib import Path

import numpy as np
import pyasc

random = np.random.default_rng(0)
image = random.standard_normal((1, 16, 32, 32)).astype(np.float32)
kernel = random.standard_normal((16, 16, 3, 3)).astype(np.float32)

ctx = pyasc.Context(device_id=0)
x = ctx.input("input", shape=(1, 16, 32, 32), dtype="float32")
w = ctx.input("weight", shape=(16, 16, 3, 3), dtype="float32")
conv = ctx.conv2d(x, w, kernel_size=3, padding=1, stride=1, name="conv")
relu = ctx.relu(conv, name="relu")
result = ctx.execute({"input": image, "weight": kernel})
print("by tensor:", result[relu].shape, " by name:", result["output"].dtype, " smallest:", result["relu"].min())

# %% What the compiler made of it
for node in ctx.graph():
    print(f"  {node.type:10} {node.name:20} stream {node.stream:2}  {node.why('fusion') or node.why('format')}")
for stage in ctx.stages(["PreRunBegin", "PreRunAfterOptimizeOriginalGraph", "Build"]):
    print(f"  after {stage.name}: {stage.num_nodes} nodes, {stage.graph.types()}")

# %% Fusion and configuration
with pyasc.FusionScope() as scope:
    scope.set_mode(pyasc.FUSION_MODE_AGGRESSIVE)
    scope.disable_fusion("Conv2dBiasAddReLU")
    scope.set_tensor_layout("input", "NC1HWC0")
    apart = ctx.execute({"input": image, "weight": kernel})
    print("in the scope: ", ctx.graph().types())
config = pyasc.CompileConfig(graph_opt_level=3, enable_const_fold=True, enable_mem_reuse=True,
                             precision_mode="force_fp32", buffer_optimize_level=2)  # fmt: skip
exact = ctx.execute({"input": image, "weight": kernel}, config=config)
print("fp16 against fp32: largest difference", np.abs(apart[relu] - exact[relu]).max())
ctx.destroy()

# %% Layouts
with pyasc.Context() as ctx:
    x = ctx.input("input", shape=(1, 16, 32, 32))
    fused = ctx.relu(ctx.conv2d(x, kernel, padding=1), name="fused")
    try:
        ctx.conv2d_custom(fused, kernel, expected_format="NHWC", name="custom")
    except pyasc.LayoutError as error:
        print("refused:", error)
    y = ctx.conv2d_custom(ctx.transpose(fused, perm=[0, 2, 3, 1]), kernel, expected_format="NHWC", name="custom")
    print("with a transpose:", ctx.execute({"input": image})[y].shape)

# %% Two contexts
with pyasc.Context() as first, pyasc.Context() as second:
    a = first.relu(first.input("x", (4, 4)))
    b = second.input("x", (4, 4)) * 10.0
    run = first.execute_async({"x": np.eye(4, dtype=np.float32)})
    try:
        second.execute_async({"x": run[a]})
    except pyasc.DependencyError as error:
        print("refused:", error)
    second.add_dependency(stream=second.stream, depends_on=first.stream)
    print("ordered:", second.execute_async({"x": run[a]}).result()[b].trace())

# %% Dump and save
with tempfile.TemporaryDirectory() as folder, pyasc.Context() as ctx:
    ctx.set_dump_flag(dump_path=folder)
    x = ctx.input("x", (2, 8))
    ctx.softmax(x * 2.0)
    ctx.save_optimized_graph(Path(folder) / "softmax.om")
    print("dumps:", len(list(Path(folder).rglob("*.pbtxt"))), " om:", pyasc.inspect(Path(folder) / "softmax.om").summary)

# %% Streams by hand
@pyasc.stream_pass
def right_alone(context):
    for node in context.nodes:
        if node.name == "right":
            context.set_stream(node, context.new_stream())


with right_alone, pyasc.Context() as ctx:
    x = ctx.input("x", (8, 8))
    ctx.matmul(ctx.tanh(x, name="left"), ctx.sigmoid(x, name="right"))
    print("streams:", ctx.graph().streams)
