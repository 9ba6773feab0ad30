"""Command lines as people write them, for models that stand in for theirs.

Each is (model, arguments, what comes of it): None for an om, else the code of the error. The flags and their values are
those of scripts and guides in public; `MODEL` and `OUT` are put in their place.
"""

AIPP_RGB = """aipp_op {
  aipp_mode : static
  related_input_rank : 0
  input_format : RGB888_U8
  csc_switch : false
  rbuv_swap_switch : false
  min_chn_0 :127.5
  min_chn_1 :127.5
  min_chn_2 :127.5
  var_reci_chn_0: 0.0078431372549
}
"""
AIPP_YUV = """aipp_op{
    aipp_mode:static
    input_format : YUV420SP_U8
    src_image_size_w : 64
    src_image_size_h : 64
    csc_switch : true
    rbuv_swap_switch : false
    matrix_r0c0 : 256
    matrix_r0c1 : 0
    matrix_r0c2 : 359
}
"""
KEEP = "conv_1\nOpType::Relu\n"
SWITCH = '{"Switch":{"GraphFusion":{"ALL":"off"},"UBFusion":{"ALL":"off"}}}'
MIXLIST = '{"black-list":{"to-add":["Relu"]}}'
PRECISION = "[ByOpType]\nConv2D=high_precision\n[ByNodeName]\nconv_1=enable_float_32_execution\n"

# Files that the arguments name.
FILES = {"aipp_rgb.cfg": AIPP_RGB, "aipp_yuv.cfg": AIPP_YUV, "exceptionlist.cfg": KEEP, "fusion_switch.cfg": SWITCH,
         "mixlist.json": MIXLIST, "op_precision.ini": PRECISION}  # fmt: skip

# Models: name -> (inputs {name: dims}); all are a convolution with what follows it. Open dims are -1.
MODELS = {
    "classifier": {"actual_input_1": [1, 3, 16, 16]},
    "detector": {"images": [-1, 3, -1, -1]},
    "detector_nms": {"images": [1, 3, 16, 16], "img_info": [1, 4]},
    "image": {"image": [-1, 3, 16, 16]},
    "input": {"input": [-1, 3, -1, -1]},
    "recogniser": {"x": [-1, 3, 16, -1]},
    "two_images": {"input1": [-1, 3, 16, 16], "input2": [-1, 3, 16, 16]},
}

LINES = [
    ("classifier", "--framework=5 --output=OUT --soc_version=Ascend310P3", None),
    ("classifier", "--framework=5 --output=OUT --input_format=NCHW --input_shape=actual_input_1:16,3,16,16 "
     "--enable_small_channel=1 --log=info --soc_version=Ascend310", None),
    ("classifier", "--framework=5 --output=OUT --input_format=NCHW --input_shape=actual_input_1:1,3,16,16 "
     "--input_fp16_nodes=actual_input_1 --soc_version=Ascend310P3 --output_type=FP16", None),
    ("classifier", "--framework=5 --output=OUT --soc_version=Ascend310 --auto_tune_mode=RL,GA", "E10001"),
    ("input", "--framework=5 --output=OUT --input_format=NCHW --input_shape=input:1,3,32,32 --log=info "
     "--soc_version=Ascend310P3 --out_nodes=conv_2:0;relu_2:0", None),
    ("input", "--framework=5 --output=OUT --input_format=NCHW --input_shape=input:1,3,32,32 --log info "
     "--soc_version=Ascend310P3 --out_nodes=Concat_947:0;Reshape_949:0", "E10016"),
    ("input", "--framework=5 --output=OUT --input_format=NCHW --input_shape=input:-1,3,-1,-1 --soc_version=Ascend910B3 "
     "--keep_dtype exceptionlist.cfg", None),
    ("input", "--framework=5 --soc_version=Ascend910B3 --input_shape=input:-1,3,16,16 "
     "--dynamic_batch_size=1,2,4,8,16,32 --output=OUT", None),
    ("input", "--framework=5 --output=OUT --soc_version=Ascend910B3", "E10001"),
    ("image", "--framework=5 --output=OUT --input_format=NCHW --input_shape=image:16,3,16,16 --log=debug "
     "--soc_version=Ascend310", None),
    ("image", "--framework=5 --output=OUT --input_format=NCHW -input_shape=image:1,3,16,16 --log=debug "
     "--soc_version=Ascend310 --output_type=FP32", None),
    ("image", "--framework=5 --output=OUT --insert_op_conf=aipp_rgb.cfg --input_format=NCHW "
     "-input_shape=image:1,3,16,16 --log=debug --soc_version=Ascend310 --output_type=FP32", "E10055"),
    ("image", "--framework=5 --output=OUT --input_format=NCDHW --input_shape=image:1,75,3,16,16 --log=error "
     "--soc_version=Ascend310P3", "E10049"),
    ("detector", "--framework=5 --output=OUT --input_shape=images:1,3,64,64 --soc_version=Ascend310B4 "
     "--insert_op_conf=aipp_yuv.cfg", "E10055"),
    ("detector", "--framework=5 --output=OUT --input_format=NCHW --input_shape=images:1,3,-1,-1 "
     "--dynamic_image_size=64,64;96,96 --soc_version=Ascend310P3", None),
    ("detector", "--framework=5 --output=OUT --input_format=ND --input_shape=images:-1,3,-1,-1 "
     "--dynamic_dims=1,64,64;1,96,96;8,64,64 --soc_version=Ascend910B3", None),
    ("detector", "--framework=5 --output=OUT --input_format=NCHW --input_shape=images:1~10,3,64,64 --log=error "
     "--soc_version=Ascend310P3", None),
    ("detector", "--framework=5 --output=OUT --input_format=NCHW --input_shape=images:1,3,64,64 "
     "--soc_version=Ascend310B1 --precision_mode_v2=mixed_float16 --modify_mixlist=mixlist.json", None),
    ("detector_nms", "--framework=5 --output=OUT --input_shape=images:1,3,16,16;img_info:1,4 "
     "--soc_version=Ascend310B4", None),
    ("detector_nms", "--framework=0 --weight=MODEL --output=OUT --soc_version=Ascend310", "E10055"),
    ("recogniser", "--framework=5 --output_type=FP32 --output=OUT --input_format=NCHW --input_shape=x:1,3,16,48 "
     "--soc_version=Ascend310P3", None),
    ("recogniser", "--framework=5 --output=OUT --input_shape=x:1,3,16,48 --soc_version=Ascend310B1 "
     "--precision_mode_v2=origin", None),
    ("recogniser", "--framework=5 --output=OUT --input_shape=x:1,3,16,48 --soc_version=Ascend910B3 "
     "--precision_mode=allow_fp32_to_fp16 --op_precision_mode=op_precision.ini --fusion_switch_file=fusion_switch.cfg "
     "--op_select_implmode=high_precision --optypelist_for_implmode=Sigmoid", None),
    ("two_images", "--framework=5 --input_shape=input1:2,3,16,16;input2:2,3,16,16 --output=OUT "
     "--soc_version=Ascend310P3 --precision_mode_v2=mixed_float16 --external_weight=1", None),
    ("two_images", "--framework=5 --input_shape=input1:-1,3,16,16;input2:-1,3,16,16 --dynamic_batch_size=1,2,3,4 "
     "--insert_op_conf=aipp_rgb.cfg --output=OUT --soc_version=Ascend310P3", "E10055"),
    ("classifier", "--framework=1 --output=OUT --input_format=NCHW --soc_version=Ascend310 --log=error", "E10055"),
]  # fmt: skip
