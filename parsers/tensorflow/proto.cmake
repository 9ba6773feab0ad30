# Messages of TensorFlow models, generated into the build folder. Only sources in parsers/tensorflow include them.
set(tf_proto parsers/tensorflow/graph_def)
set(tf_generated ${CMAKE_BINARY_DIR}/generated/${tf_proto}.pb.cc ${CMAKE_BINARY_DIR}/generated/${tf_proto}.pb.h)
add_custom_command(
  OUTPUT ${tf_generated}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/generated
  COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR}/generated ${tf_proto}.proto
  DEPENDS ${CMAKE_SOURCE_DIR}/${tf_proto}.proto
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
add_library(tf_proto OBJECT ${tf_generated})
target_include_directories(tf_proto PUBLIC ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(tf_proto PUBLIC protobuf::libprotobuf)
