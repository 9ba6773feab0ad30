# Messages of the om, generated into the build folder. Only sources in compiler/om and compiler/dump include them.
set(om_protos compiler/om/proto/ge_model.proto compiler/om/proto/ge_onnx.proto compiler/om/proto/task.proto)
set(om_generated)
foreach(proto ${om_protos})
  string(REGEX REPLACE "\\.proto$" "" stem ${CMAKE_BINARY_DIR}/generated/${proto})
  add_custom_command(
    OUTPUT ${stem}.pb.cc ${stem}.pb.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/generated
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR}/generated ${proto}
    DEPENDS ${CMAKE_SOURCE_DIR}/${proto}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  list(APPEND om_generated ${stem}.pb.cc ${stem}.pb.h)
endforeach()
add_library(om_proto OBJECT ${om_generated})
target_include_directories(om_proto PUBLIC ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(om_proto PUBLIC protobuf::libprotobuf)
