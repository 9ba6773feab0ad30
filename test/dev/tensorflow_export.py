"""The forms in which TensorFlow hands a model on: frozen, frozen with the old control flow, optimised by Grappler, saved."""

import keras
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2, rewriter_config_pb2
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.grappler import tf_optimizer


def call(model, tensors):
    """The outputs of a Keras model or a function, as a flat list."""
    if isinstance(model, keras.Model):
        return tf.nest.flatten(model(list(tensors), training=False))
    return tf.nest.flatten(model(*tensors))


def traced(case, batch_open):
    """The concrete function over placeholders that bear the names of the inputs."""
    specs = [tf.TensorSpec([None, *x.shape[1:]] if batch_open else x.shape, x.dtype, name)
             for name, x in case.inputs.items()]  # fmt: skip
    return tf.function(lambda *tensors: call(case.model, tensors)).get_concrete_function(*specs)


def frozen(concrete, lower=False):
    """(GraphDef, names of the outputs); `lower` gives control flow by Switch, Merge, Enter and the like."""
    constant = convert_variables_to_constants_v2(concrete, lower_control_flow=lower)
    return constant.graph.as_graph_def(), [t.name for t in constant.outputs]


def optimised(graph_def, outputs):
    """What Grappler makes of a frozen graph on a CPU: _FusedConv2D, _FusedMatMul and their like."""
    placed = tf.compat.v1.GraphDef()
    placed.CopyFrom(graph_def)
    for node in placed.node:
        node.device = "/job:localhost/replica:0/task:0/device:CPU:0"  # its remapper looks at the device
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(placed, name="")
    meta = tf.compat.v1.train.export_meta_graph(graph_def=graph.as_graph_def(), graph=graph)
    fetches = meta_graph_pb2.CollectionDef()
    fetches.node_list.value.extend(outputs)
    meta.collection_def["train_op"].CopyFrom(fetches)
    config = config_pb2.ConfigProto()
    rewrites = config.graph_options.rewrite_options
    rewrites.meta_optimizer_iterations = rewriter_config_pb2.RewriterConfig.TWO
    rewrites.min_graph_nodes = -1
    return tf_optimizer.OptimizeGraph(config, meta)


def save(case, folder):
    """Writes a SavedModel with the signature serving_default: Keras models as model.export does."""
    if isinstance(case.model, keras.Model):
        case.model.export(str(folder), verbose=False)
        return
    module = tf.Module()
    module.held = getattr(case.model, "net", None)
    specs = [tf.TensorSpec([None, *x.shape[1:]] if case.open_batch else x.shape, x.dtype, name)
             for name, x in case.inputs.items()]  # fmt: skip

    def serve(*tensors):
        return {f"output_{k}": tf.identity(t) for k, t in enumerate(call(case.model, tensors))}

    module.serve = tf.function(serve, input_signature=specs)
    tf.saved_model.save(module, str(folder), signatures={"serving_default": module.serve})
